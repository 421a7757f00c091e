/**
 * Sub-agents (A3–A5): starts children as durable runs in sessions of their own, carries their events to the top, tells their
 * callers how they ended, and leaves none behind. Owns the checks before a start and the names `agent_1`, `agent_2`, ….
 */
import { once } from "node:events";
import {
  type Durable,
  type Json,
  type KaryiEngine,
  type RunEndBody,
  type RunRecord,
  RunSuspended,
  type SessionHandle,
  type Subagents,
  type TaskRecord,
  ToolFailure,
  type ToolOutput,
  type ToolSpec,
} from "../../contract/index.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { Conversation } from "../history/conversation.ts";
import { noUsage } from "../history/message.ts";
import { interrupted } from "../loop/interrupted.ts";
import type { ChildInput, RunInput } from "../loop/run-input.ts";
import type { AgentDefinitions, SideWork } from "../ports.ts";
import type { SpawnRequest } from "./agent-tool.ts";
import { CallOrder, callsBefore } from "./call-order.ts";
import { type Child, type ChildEnd, endStatus, outputOf, resultHead, startedOutput, toldLater } from "./child.ts";
import { eventsTold, forwardEvents } from "./forward-events.ts";
import { subagentRegistry } from "./registry.ts";
import type { Worktree, Worktrees } from "./worktree.ts";

export interface SubagentPorts {
  readonly durable: Durable;
  readonly engine: Pick<KaryiEngine, "sessionById" | "openSession" | "approvals" | "call" | "changed" | "describeTool">;
  readonly definitions: AgentDefinitions;
  readonly worktrees: Worktrees;
  defaultModel(session: SessionHandle): Promise<string | undefined>;
  /** Throws a `ToolFailure` if the model cannot be used. */
  openModel(id: string, session: SessionHandle): Promise<{ readonly price?: object }>;
  maxDepth(session: SessionHandle): Promise<number>;
  saveTask(sessionId: string, task: TaskRecord): Promise<void>;
  /** Settles calls that dead processes left in other directories than this engine's. */
  recoverElsewhere(): Promise<void>;
  now(): number;
  newId(): string;
  log(message: string, cause?: unknown): void;
}

/** Everything that is known before a child starts. */
interface Prepared {
  readonly request: SpawnRequest;
  readonly parent: SessionHandle;
  readonly parentRun: RunRecord | undefined;
  readonly top: SessionHandle;
  readonly definition: AgentDefinition;
  readonly model: string;
  /** Absent with another model than the parent's. */
  readonly tools: readonly ToolSpec[] | undefined;
  /** Calls of the same answer whose children are named first. */
  readonly before: readonly string[];
}

/** What a child in this process works with. */
interface ChildWork {
  readonly session: SessionHandle;
  readonly top: SessionHandle;
  readonly done: Promise<Json>;
  readonly worktree: Worktree | undefined;
  /** What of it a process that is gone told at the top. */
  readonly told: { readonly count: number; readonly isEnded: boolean };
}

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
      const child = (await this.#revivedBy(request)) ?? (await this.#enter(await this.#prepare(request)));
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
    const run = below.find(({ input }) => childOfRun(input)?.callId === callId);
    return run === undefined ? undefined : (this.#children.get(run.id) ?? this.#revive(run, parent, signal));
  }

  /** Goes on with a child whose process is gone, or takes its end from the record. */
  async #revive(run: RunRecord, parent: SessionHandle, callSignal: AbortSignal | undefined): Promise<Child | undefined> {
    const { engine, durable, recoverElsewhere, log } = this.#ports;
    const input = childOfRun(run.input);
    const session = await engine.sessionById(run.sessionId);
    const top = (await engine.sessionById(run.rootSessionId)) ?? parent;
    if (input === undefined || session === undefined || (run.phase !== "ended" && !run.orphaned)) return undefined;
    const { subagentId, description, mode, callId, worktree } = input;
    // Calls that were cut off in another directory than the parent's are settled first: a resumed run asks what became of them.
    if (worktree !== undefined && run.phase !== "ended") await recoverElsewhere().catch((error) => log("Nothing was recovered", error));
    const told = await eventsTold(top, subagentId);
    const cancelled = new AbortController();
    const signal = callSignal === undefined ? cancelled.signal : AbortSignal.any([cancelled.signal, callSignal]);
    const done =
      run.phase === "ended"
        ? Promise.resolve(run.outcome ?? null)
        : durable
            .resume(run.id, signal)
            .then((handle) => handle?.done ?? Promise.reject(new Error(`The run of ${subagentId} is elsewhere.`)));
    const facts = { subagentId, runId: run.id, callId, parentRunId: run.parentId, description, mode };
    const child = this.#keep({ ...facts, agent: (run.input as unknown as RunInput).agent }, { session, top, done, worktree, told }, () =>
      cancelled.abort(),
    );
    if (mode === "background") this.#followTask(child, parent);
    return child;
  }

  async resumed(runId: string, session: SessionHandle): Promise<void> {
    const { durable } = this.#ports;
    const run = await durable.run(runId);
    if (run === undefined) return;
    this.#resumed.add(runId);
    const heard = JSON.stringify(Conversation.of(await durable.steps(session.id), "").messages);
    for (const below of await durable.runs({ rootSessionId: run.rootSessionId })) {
      const child = childOfRun(below.input);
      if (below.parentId !== runId || child?.mode !== "background" || this.#children.has(below.id)) continue;
      const revived = await this.#revive(below, session, undefined);
      if (revived !== undefined) revived.isTold = heard.includes(JSON.stringify(resultHead(child.subagentId)).slice(1, -1));
    }
  }

  async #prepare(request: SpawnRequest): Promise<Prepared> {
    const { engine, definitions, durable } = this.#ports;
    const parent = await engine.sessionById(request.sessionId);
    if (parent === undefined) throw new Error(`There is no session ${request.sessionId}.`);
    const definition = await definitions.find(parent, request.agent);
    if (definition === undefined) {
      const names = (await definitions.names(parent)).join(", ");
      throw new ToolFailure("invalid_tool_input", `There is no agent '${request.agent}'. Valid agents: ${names}.`, {
        hint: `Choose one of: ${names}.`,
        details: { reason: "unknown_agent" },
      });
    }
    await this.#demandDepth(parent);
    if (request.mode === "worktree" && parent.mode === "plan") {
      throw new ToolFailure("permission_denied", "In plan mode no agent works in a worktree.", { details: { reason: "plan_mode" } });
    }
    const parentRun = (await durable.runs({ sessionId: parent.id, open: true })).find(
      ({ phase, orphaned }) => phase === "running" && !orphaned,
    );
    const parentModel = (parentRun?.input as unknown as RunInput | undefined)?.model;
    const model = request.model ?? definition.model ?? parentModel ?? (await this.#ports.defaultModel(parent));
    if (model === undefined) {
      throw new ToolFailure("invalid_tool_input", "No model is configured.", {
        hint: 'Name one as PROVIDER/MODEL: "model" of the call, of the agent, or of the config.',
        details: { reason: "no_model" },
      });
    }
    const { price } = await this.#ports.openModel(model, parent);
    if (costLimitOf(parentRun) !== undefined && price === undefined) {
      throw new ToolFailure("invalid_tool_input", `The price of ${model} is not known, and the cost of this run is limited.`, {
        hint: "Leave the model out: the agent then has yours.",
        details: { reason: "unknown_price" },
      });
    }
    const top = (await engine.sessionById(parentRun?.rootSessionId ?? parent.id)) ?? parent;
    // With its parent's model a child's requests begin byte for byte as its parent's do (A4).
    const conversation = parentRun === undefined ? undefined : Conversation.of(await durable.steps(parent.id), "");
    const tools = model === parentModel ? conversation?.tools : undefined;
    const before = conversation === undefined ? [] : callsBefore(request.callId, conversation, engine);
    return { request, parent, parentRun, top, definition, model, tools, before };
  }

  async #demandDepth(parent: SessionHandle): Promise<void> {
    const { engine, maxDepth } = this.#ports;
    const most = await maxDepth(parent);
    let depth = 1;
    for (let above: SessionHandle | undefined = parent; above?.record.state.rights?.parent !== undefined; depth += 1)
      above = await engine.sessionById(above.record.state.rights.parent);
    if (depth <= most) return;
    throw new ToolFailure("tool_disabled", `Agents may start agents ${most} deep, and this would be ${depth}.`, {
      hint: "Do the task yourself.",
      details: { reason: "too_deep", max_depth: most },
    });
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
    const above = (parentRun?.input as unknown as RunInput | undefined)?.child?.subagentId;
    const { maxCostUsd, record } = (parentRun?.input ?? {}) as unknown as Partial<RunInput>;
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
        input: input as unknown as Json,
      },
      signal,
    );
    const facts = { subagentId, runId, callId, parentRunId: parentRun?.id, agent: definition.name, description, mode };
    const child = this.#keep(
      facts,
      { session, top, done: handle.then(({ done }) => done), worktree, told: { count: 0, isEnded: false } },
      () => cancelled.abort(),
    );
    if (mode === "background") await this.#followTask(child, parent);
    await handle;
    return child;
  }

  #keep(facts: Omit<Child, "text" | "calls" | "isTold" | "cancel" | "done">, work: ChildWork, cancel: () => void): Child {
    const child: Child = {
      ...facts,
      text: "",
      calls: 0,
      isTold: false,
      cancel,
      done: Promise.resolve().then(() => this.#life(child, work)),
    };
    this.#children.set(child.runId, child);
    return child;
  }

  /** A child in the background is a task of its parent's. */
  async #followTask(child: Child, parent: SessionHandle): Promise<void> {
    const { now, saveTask, log } = this.#ports;
    const { subagentId: id, description, agent } = child;
    const title = description === "" ? agent : description;
    const startedAt = (await parent.tasks.list()).find((known) => known.id === id)?.startedAt ?? now();
    const task: TaskRecord = { id, kind: "agent", title, status: "in_progress", startedAt, outputBytes: 0 };
    await saveTask(parent.id, task);
    const ended = child.done.then(({ status, isSuspended }) => {
      if (isSuspended) return;
      const outputBytes = Buffer.byteLength(child.text);
      return saveTask(parent.id, { ...task, status: status === "max_rounds" ? "done" : status, endedAt: now(), outputBytes });
    });
    ended.catch((error) => log(`The end of ${id} was not kept`, error));
  }

  /** Until the child's last event is at the top and its worktree is put away. */
  async #life(child: Child, { session, top, done, worktree, told }: ChildWork): Promise<ChildEnd> {
    const { runId, subagentId } = child;
    const over = new AbortController();
    const forwarding = forwardEvents({
      child: session,
      top,
      runId,
      subagentId,
      signal: over.signal,
      toldUpTo: told.count,
      onEvent: (event) => {
        if (event.type === "tool_result") child.calls += 1;
        if (event.type === "text") child.text += `${event.body.text}\n`;
      },
    }).catch((error) => this.#ports.log(`Events of ${subagentId} could not be told`, error));
    let outcome: Pick<RunEndBody, "status" | "text" | "usage" | "error">;
    try {
      outcome = ((await done) ?? { status: "cancelled", text: "", usage: noUsage }) as unknown as RunEndBody;
      await forwarding;
    } catch (error) {
      if (error instanceof RunSuspended) return this.#leave(child);
      outcome = { status: "failed", text: "", usage: noUsage, error: { code: "internal", message: (error as Error).message } };
    } finally {
      over.abort();
    }
    const { status, text, usage, error } = outcome;
    let end: ChildEnd = {
      status: endStatus(status),
      text,
      calls: child.calls,
      usage,
      ...(error === undefined ? {} : { error: error.message }),
    };
    if (worktree !== undefined && !told.isEnded) end = { ...end, ...(await this.#putAway(worktree, child)) };
    child.end = end;
    const { status: ended, calls } = end;
    if (told.isEnded) return end;
    await top
      .append([{ type: "subagent_end", subagentId, body: { status: ended, calls, usage, text } }])
      .catch((failure) => this.#ports.log("An end was not told", failure));
    return end;
  }

  /** Nothing is told or put away: the child goes on in another process. */
  #leave(child: Child): ChildEnd {
    child.end = { status: "cancelled", text: child.text, calls: child.calls, usage: noUsage, isSuspended: true };
    return child.end;
  }

  async #putAway(worktree: Worktree, { agent, description, subagentId }: Child): Promise<Pick<ChildEnd, "branch" | "changed" | "error">> {
    try {
      const { changed } = await this.#ports.worktrees.finish(worktree, description === "" ? `${agent} (${subagentId})` : description);
      return { branch: worktree.branch, changed };
    } catch (error) {
      this.#ports.log(`The worktree ${worktree.root} could not be put away`, error);
      return { branch: worktree.branch, error: `its worktree stays at ${worktree.root}: ${(error as Error).message}` };
    }
  }

  async #nextName(topId: string): Promise<string> {
    const runs = await this.#ports.durable.runs({ rootSessionId: topId });
    const numbers = runs.map(({ input }) => Number(/^agent_(\d+)$/.exec((input as unknown as RunInput).child?.subagentId ?? "")?.[1] ?? 0));
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
      const { child } = run.input as unknown as RunInput;
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

function childOfRun(input: Json): ChildInput | undefined {
  return (input as unknown as RunInput | null)?.child;
}

/** A limit holds for a run and everybody below it together. */
function costLimitOf(run: RunRecord | undefined): number | undefined {
  return (run?.input as unknown as RunInput | undefined)?.maxCostUsd;
}
