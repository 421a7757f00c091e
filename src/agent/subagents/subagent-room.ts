/**
 * Sub-agents (A3–A5): starts children as durable runs in sessions of their own, carries their events to the top, tells their
 * callers how they ended, and leaves none behind. Owns the checks before a start and the names `agent_1`, `agent_2`, ….
 */
import { once } from "node:events";
import { RunSuspended, type SessionHandle, type Subagents, type ToolOutput } from "../../contract/index.ts";
import { Conversation } from "../history/conversation.ts";
import { interrupted } from "../loop/interrupted.ts";
import type { RunInput } from "../loop/run-input.ts";
import type { SideWork } from "../ports.ts";
import { childOf, inputOf, recordable } from "../recorded.ts";
import type { SpawnRequest } from "./agent-tool.ts";
import { CallOrder } from "./call-order.ts";
import { type Child, outputOf, resultHead, startedOutput, toldLater } from "./child.ts";
import { childAtWork, followTask } from "./child-life.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { subagentRegistry } from "./registry.ts";
import { revive } from "./revive.ts";
import type { SubagentPorts } from "./subagent-ports.ts";
import type { Worktree } from "./worktree.ts";

export class SubagentRoom implements SideWork {
  readonly #ports: SubagentPorts;
  /** At work in this process, by run; those that ended stay until their caller's run ends. */
  readonly #children = new Map<string, Child>();
  /** Runs at work here that another process had begun. */
  readonly #resumed = new Set<string>();
  readonly #order: CallOrder;
  #starting: Promise<unknown> = Promise.resolve();

  constructor(ports: SubagentPorts) {
    this.#ports = ports;
    this.#order = new CallOrder(ports.engine);
  }

  /** Starts a child. In the background the answer names its task; otherwise it is the child's last words. */
  async spawn(request: SpawnRequest): Promise<ToolOutput> {
    try {
      const child = (await this.#revivedBy(request)) ?? (await this.#enter(await prepare(request, this.#ports)));
      if (request.mode === "background") return startedOutput(child);
      const end = await child.done;
      if (end.isSuspended) throw await suspendedWith(child, request.signal);
      child.isTold = true;
      return outputOf(child, end);
    } finally {
      this.#order.forget(request.callId);
    }
  }

  /** Worktrees are made side by side; names follow the order of the calls. */
  async #enter(prepared: Prepared): Promise<Child> {
    const { request, parent, before } = prepared;
    const { worktrees, newId, log } = this.#ports;
    const branch = request.branchName ?? `karyi/${request.agent}-${newId().slice(0, 8)}`;
    const worktree = request.mode === "worktree" ? await worktrees.create(parent.workspace, branch) : undefined;
    try {
      await this.#order.take(request.callId, before, request.signal);
      return await this.#begin(prepared, worktree);
    } catch (error) {
      if (worktree !== undefined)
        await worktrees.finish(worktree, "unused").catch((failure) => log(`The worktree ${worktree.root} could not be put away`, failure));
      throw error;
    }
  }

  /** The child that this very call started before its process was gone. */
  async #revivedBy({ sessionId, callId, signal }: SpawnRequest): Promise<Child | undefined> {
    const { durable, engine } = this.#ports;
    const parent = await engine.sessionById(sessionId);
    const caller = (await durable.runs({ sessionId, open: true })).find(({ id }) => this.#resumed.has(id));
    if (parent === undefined || caller === undefined) return undefined;
    const below = await durable.runs({ rootSessionId: caller.rootSessionId });
    const run = below.find((one) => childOf(one)?.callId === callId);
    return run === undefined ? undefined : (this.#children.get(run.id) ?? this.#kept(await revive(run, parent, signal, this.#ports)));
  }

  #kept(child: Child | undefined): Child | undefined {
    if (child !== undefined) this.#children.set(child.runId, child);
    return child;
  }

  async resumed(runId: string, session: SessionHandle): Promise<void> {
    const { durable } = this.#ports;
    const run = await durable.run(runId);
    if (run === undefined) return;
    this.#resumed.add(runId);
    const heard = JSON.stringify(Conversation.of(await durable.steps(session.id), "").messages);
    for (const below of await durable.runs({ rootSessionId: run.rootSessionId })) {
      const child = childOf(below);
      if (below.parentId !== runId || child?.mode !== "background" || this.#children.has(below.id)) continue;
      const revived = this.#kept(await revive(below, session, undefined, this.#ports));
      if (revived !== undefined) revived.isTold = heard.includes(JSON.stringify(resultHead(child.subagentId)).slice(1, -1));
    }
  }

  /** One at a time, so that no two children have one name. */
  #begin(prepared: Prepared, worktree: Worktree | undefined): Promise<Child> {
    const begun = this.#starting.then(() => this.#start(prepared, worktree));
    this.#starting = begun.catch(() => {});
    return begun;
  }

  async #start(prepared: Prepared, worktree: Worktree | undefined): Promise<Child> {
    const { request, parent, parentRun, top, definition, model, tools } = prepared;
    const { engine, durable, newId } = this.#ports;
    const subagentId = await this.#nextName(top.id);
    const runId = newId();
    const { owner } = parent.record.key;
    const session = await engine.openSession({
      id: `${subagentId}:${runId}`,
      owner,
      channel: "agent",
      parent,
      workspace: worktree?.workspace ?? parent.workspace,
      cwd: worktree?.workspace ?? parent.cwd,
      ...(worktree === undefined ? {} : { worktree: true as const }),
    });
    const { description, mode, callId } = request;
    const above = parentRun && childOf(parentRun)?.subagentId;
    const { maxCostUsd, record } = (parentRun ? inputOf(parentRun) : {}) as Partial<RunInput>;
    await top.append([
      {
        type: "subagent_start",
        subagentId,
        callId,
        body: { agent: definition.name, description, mode, model, ...(above === undefined ? {} : { parent_id: above }) },
      },
    ]);
    const input: RunInput = {
      prompt: request.prompt,
      agent: definition.name,
      model,
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      // Another model's answers would not be played again: its name stays in the call.
      ...(record === undefined || tools === undefined ? {} : { record }),
      child: {
        subagentId,
        description,
        mode,
        callId,
        ...(worktree === undefined ? {} : { worktree }),
        ...(tools === undefined ? {} : { tools }),
        ...(above === undefined ? {} : { parentSubagentId: above }),
      },
    };
    const cancelled = new AbortController();
    // A child in the background outlives the call that started it, and ends with its run.
    const signal = mode === "background" ? cancelled.signal : AbortSignal.any([cancelled.signal, request.signal]);
    const handle = durable.start(
      {
        id: runId,
        sessionId: session.id,
        rootSessionId: top.id,
        ...(parentRun === undefined ? {} : { parentId: parentRun.id }),
        name: "agent",
        input: recordable(input),
      },
      signal,
    );
    const facts = { subagentId, runId, callId, parentRunId: parentRun?.id, agent: definition.name, description, mode };
    const work = { session, top, done: handle.then(({ done }) => done), worktree, told: { count: 0, isEnded: false } };
    const child = childAtWork(facts, work, () => cancelled.abort(), this.#ports);
    this.#children.set(runId, child);
    if (mode === "background") await followTask(child, parent, this.#ports);
    await handle;
    return child;
  }

  async #nextName(topId: string): Promise<string> {
    const runs = await this.#ports.durable.runs({ rootSessionId: topId });
    const numbers = runs.map((run) => Number(/^agent_(\d+)$/.exec(childOf(run)?.subagentId ?? "")?.[1] ?? 0));
    return `agent_${Math.max(0, ...numbers) + 1}`;
  }

  async beforeEnd(runId: string, _: SessionHandle, signal: AbortSignal): Promise<string | undefined> {
    const waiting = this.#of(runId).filter(({ mode, isTold }) => mode === "background" && !isTold);
    if (waiting.length === 0) return undefined;
    const stopped = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const ends = await Promise.race([Promise.all(waiting.map(({ done }) => done)), stopped]);
    if (ends === undefined) return undefined;
    for (const child of waiting) child.isTold = true;
    return ends.map((end, at) => toldLater(waiting[at] as Child, end)).join("\n\n");
  }

  async afterEnd(runId: string, session: SessionHandle): Promise<void> {
    this.#resumed.delete(runId);
    const children = this.#of(runId);
    for (const child of children) if (child.end === undefined) child.cancel();
    await Promise.all(children.map(({ done }) => done));
    for (const child of children) this.#children.delete(child.runId);
    await this.#closeOrphans(session);
    // Nobody can read what a child's commands print once it is over.
    if (session.record.state.rights?.parent === undefined) return this.#ports.definitions.leave(session);
    for (const { id, kind, status } of await session.tasks.list())
      if (kind === "command" && status === "in_progress")
        await session.tasks.stop(id).catch((error) => this.#ports.log(`${id} could not be ended`, error));
  }

  /** Children of a process that is gone: they get their end, so that every start has one. */
  async #closeOrphans(top: SessionHandle): Promise<void> {
    const { durable } = this.#ports;
    for (const run of await durable.runs({ rootSessionId: top.id, open: true })) {
      const child = childOf(run);
      if (child === undefined || !run.orphaned) continue;
      const ended = await interrupted(durable, run, "The process that drove this agent ended before it did.");
      await durable.end(run.id, ended);
      const { usage, text } = ended.body;
      const calls = (await subagentRegistry(top.id, this.#ports).find(child.subagentId))?.calls ?? 0;
      await top.append([{ type: "subagent_end", subagentId: child.subagentId, body: { status: "cancelled", calls, usage, text } }]);
    }
  }

  registry(sessionId: string): Subagents {
    return subagentRegistry(sessionId, this.#ports);
  }

  /** The child of a task's name in a session, if it is at work in this process or was a moment ago. */
  async childOf(sessionId: string, subagentId: string): Promise<Child | undefined> {
    for (const child of this.#children.values()) {
      if (child.subagentId !== subagentId) continue;
      const run = child.parentRunId === undefined ? undefined : await this.#ports.durable.run(child.parentRunId);
      if (run?.sessionId === sessionId) return child;
    }
    return undefined;
  }

  #of(runId: string): readonly Child[] {
    return [...this.#children.values()].filter(({ parentRunId }) => parentRunId === runId);
  }
}

/** The caller's run is left as it is too, a moment before or after its child. */
async function suspendedWith({ parentRunId }: Child, signal: AbortSignal): Promise<RunSuspended> {
  if (parentRunId !== undefined && !signal.aborted) await once(signal, "abort");
  return new RunSuspended();
}
