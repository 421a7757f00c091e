/** The tasks of one session: to-do items kept in the store, background commands run by the host, one list. */
import { type Store, type TaskRecord, type TaskStatus, type Tasks, ToolFailure } from "../contract/index.ts";
import { BackgroundTasks } from "../host/index.ts";

/** Where a status may go; the ones without an entry are final. */
const transitions: Partial<Record<TaskStatus, readonly TaskStatus[]>> = {
  pending: ["in_progress", "cancelled"],
  in_progress: ["done", "failed", "cancelled", "pending"],
};

export class SessionTasks implements Tasks {
  readonly background: BackgroundTasks;
  readonly #store: Store;
  readonly #sessionId: string;
  readonly #kept = new Map<string, TaskRecord>();
  readonly #notices: string[] = [];

  private constructor(store: Store, sessionId: string, kept: readonly TaskRecord[]) {
    this.#store = store;
    this.#sessionId = sessionId;
    for (const task of kept) this.#kept.set(task.id, task);
    const commands = kept.filter(({ kind }) => kind === "command").length;
    this.background = new BackgroundTasks(commands + 1, (task) => this.#onChange(task));
  }

  static async open(store: Store, sessionId: string): Promise<SessionTasks> {
    return new SessionTasks(store, sessionId, await store.tasks(sessionId));
  }

  async list(): Promise<readonly TaskRecord[]> {
    const running = new Map(this.background.list().map((task) => [task.id, task]));
    return [...[...this.#kept.values()].filter(({ id }) => !running.has(id)), ...running.values()];
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    return this.background.get(id) ?? this.#kept.get(id);
  }

  async create(title: string, description?: string): Promise<TaskRecord> {
    const number = [...this.#kept.values()].filter(({ kind }) => kind === "todo").length + 1;
    const task: TaskRecord = {
      id: `task_${number}`,
      kind: "todo",
      title,
      status: "pending",
      startedAt: Date.now(),
      outputBytes: 0,
      ...(description === undefined ? {} : { description }),
    };
    await this.#save(task);
    return task;
  }

  async update(id: string, status: TaskStatus): Promise<TaskRecord> {
    const task = await this.get(id);
    if (!task)
      throw new ToolFailure("tool_not_found", `There is no task '${id}'.`, {
        hint: "TaskList shows the tasks.",
        details: { reason: "task_not_found" },
      });
    if (task.kind === "command") {
      throw new ToolFailure("tool_conflict", `${id} is a background command; its status is what it does.`, {
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
    await this.#save(updated);
    return updated;
  }

  async output(id: string, offset: number, waitMs: number, signal: AbortSignal): ReturnType<Tasks["output"]> {
    const live = await this.background.output(id, offset, waitMs, signal);
    if (live) return live;
    const task = this.#kept.get(id);
    // A command of an earlier engine: what it printed died with it.
    return task && { task, text: "", offset, next: offset, dropped: 0 };
  }

  async stop(id: string): Promise<TaskRecord | undefined> {
    return (await this.background.stop(id)) ?? this.#kept.get(id);
  }

  takeNotices(): readonly string[] {
    return this.#notices.splice(0);
  }

  #onChange(task: TaskRecord): void {
    if (task.endedAt !== undefined) {
      const code = task.exitCode === undefined ? "" : ` with exit code ${task.exitCode}`;
      this.#notices.push(`[${task.id} ended${code} (${task.status}); read it with TaskOutput {"id": "${task.id}"}]`);
    }
    void this.#save(task).catch(() => {});
  }

  async #save(task: TaskRecord): Promise<void> {
    this.#kept.set(task.id, task);
    await this.#store.saveTask(this.#sessionId, task);
  }
}
