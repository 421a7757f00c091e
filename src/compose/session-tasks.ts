/** The tasks of one session: to-do items kept in the store, background commands run by the host, one list for all its processes. */
import { randomUUID } from "node:crypto";
import { type Store, type TaskRecord, type TaskStatus, type Tasks, ToolFailure } from "../contract/index.ts";
import { BackgroundTasks } from "../host/index.ts";
import type { AgentTasks } from "./subagents.ts";

const claimRetryMs = 200;

/** Where a status may go; the ones without an entry are final. */
const transitions: Partial<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["done", "failed", "cancelled", "pending"],
};

export class SessionTasks implements Tasks {
  readonly background: BackgroundTasks;
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #agents: () => AgentTasks | undefined;
  readonly #notices: string[] = [];
  #claiming: Promise<unknown> = Promise.resolve();

  constructor(store: Store, sessionId: string, agents: () => AgentTasks | undefined = () => undefined) {
    this.#agents = agents;
    this.#store = store;
    this.#sessionId = sessionId;
    this.background = new BackgroundTasks(
      1,
      (task) => this.#onChange(task),
      (task) => this.#claim("bg_task_", task),
    );
  }

  /** Those of other processes of the session too; of the own ones what is known here is newer. */
  async list(): Promise<readonly TaskRecord[]> {
    return (await this.#store.tasks(this.#sessionId)).map((task) => this.background.get(task.id) ?? task);
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    return this.background.get(id) ?? (await this.#kept(id));
  }

  async create(title: string, description?: string): Promise<TaskRecord> {
    return this.#claim("task_", {
      kind: "todo",
      title,
      status: "pending",
      startedAt: Date.now(),
      outputBytes: 0,
      ...(description === undefined ? {} : { description }),
    });
  }

  async update(id: string, status: TaskStatus): Promise<TaskRecord> {
    const task = await this.get(id);
    if (!task)
      throw new ToolFailure("tool_not_found", `There is no task '${id}'.`, {
        hint: "TaskList shows the tasks.",
        details: { reason: "task_not_found" },
      });
    if (task.kind !== "todo") {
      const what = task.kind === "command" ? "a background command" : "an agent";
      throw new ToolFailure("tool_conflict", `${id} is ${what}; its status is what it does.`, {
        hint: "End it with TaskStop.",
        details: { reason: "not_a_todo" },
      });
    }
    const allowed = transitions[task.status] ?? [];
    if (status !== task.status && !allowed.includes(status)) {
      const next = allowed.length === 0 ? `'${task.status}' is final` : `from '${task.status}' it can become ${allowed.join(", ")}`;
      throw new ToolFailure("tool_conflict", `${id} cannot become '${status}': ${next}.`, {
        details: { reason: "bad_transition", from: task.status, to: status },
      });
    }
    const updated: TaskRecord = { ...task, status, ...(transitions[status] === undefined ? { endedAt: Date.now() } : {}) };
    await this.#store.saveTask(this.#sessionId, updated);
    return updated;
  }

  async output(id: string, offset: number, waitMs: number, signal: AbortSignal): ReturnType<Tasks["output"]> {
    const live = await this.background.output(id, offset, waitMs, signal);
    if (live) return live;
    const task = await this.#kept(id);
    const said = task?.kind === "agent" ? await this.#agents()?.output(this.#sessionId, task, offset, waitMs, signal) : undefined;
    if (said) return said;
    // A command of another engine: what it printed lives and dies with that.
    return task && { task, text: "", offset, next: offset, dropped: 0 };
  }

  async stop(id: string): Promise<TaskRecord | undefined> {
    const task = (await this.background.stop(id)) ?? (await this.#kept(id));
    const stopped = task?.kind === "agent" && task.status === "in_progress" ? await this.#agents()?.stop(this.#sessionId, task) : undefined;
    if (stopped) return stopped;
    if (task !== undefined && task.kind !== "todo" && task.status === "in_progress") {
      throw new ToolFailure("tool_conflict", `${id} runs in another Karyi process of this session, which alone can end it.`, {
        details: { reason: "other_process" },
      });
    }
    return task;
  }

  takeNotices(): readonly string[] {
    return this.#notices.splice(0);
  }

  #onChange(task: TaskRecord): void {
    if (task.endedAt !== undefined) {
      const code = task.exitCode === undefined ? "" : ` with exit code ${task.exitCode}`;
      const limit = task.timedOut ? " by its time limit" : "";
      this.#notices.push(`[${task.id} ended${limit}${code} (${task.status}); read it with TaskOutput {"id": "${task.id}"}]`);
    }
    this.#store.saveTask(this.#sessionId, task).catch(() => {});
  }

  async #kept(id: string): Promise<TaskRecord | undefined> {
    return (await this.#store.tasks(this.#sessionId)).find((task) => task.id === id);
  }

  /** Numbers are not used twice in a session, whichever of its processes counts: one at a time, by a lock that all of them see. */
  #claim(prefix: string, record: Omit<TaskRecord, "id">): Promise<TaskRecord> {
    const claimed = this.#claiming.then(async () => {
      const claim = randomUUID();
      while (await this.#store.acquireLocks(claim, [`tasks of ${this.#sessionId}`])) await this.#news();
      try {
        const numbers = (await this.#store.tasks(this.#sessionId)).map(({ id }) =>
          id.startsWith(prefix) ? Number(id.slice(prefix.length)) || 0 : 0,
        );
        const task: TaskRecord = { ...record, id: `${prefix}${Math.max(0, ...numbers) + 1}` };
        await this.#store.saveTask(this.#sessionId, task);
        return task;
      } finally {
        await this.#store.releaseLocks(claim);
      }
    });
    this.#claiming = claimed.catch(() => {});
    return claimed;
  }

  /** Somebody changed something, or a moment went by: the holder may have died without a word. */
  async #news(): Promise<void> {
    await this.#store.changed(AbortSignal.timeout(claimRetryMs));
  }
}
