/**
 * Runs of sessions as fronts know them: start, resume, watch, steer, cancel. Owns what is checked before anything starts.
 * Refuses a run whose model, agent or limits cannot be kept.
 */
import {
  type AgentRunner,
  type KaryiEvent,
  type RunHandle,
  type RunOutcome,
  type RunRecord,
  type RunRequest,
  type RunResult,
  type RunState,
  type SessionHandle,
  type Subagents,
  ToolFailure,
} from "../contract/index.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { messageTopic, runAgent } from "./loop/agent-loop.ts";
import { interrupted } from "./loop/interrupted.ts";
import type { RunInput } from "./loop/run-input.ts";
import type { AgentPorts } from "./ports.ts";
import { endOf, inputOf, recordable } from "./recorded.ts";

const runName = "agent";
const defaultAgent = "general";

/** A child of a run, as the sub-agents of this room start it. */
export interface ChildRun {
  readonly id: string;
  readonly parent: RunRecord;
  readonly session: SessionHandle;
  readonly input: RunInput;
  readonly signal: AbortSignal;
}

export class Runner implements AgentRunner {
  readonly #ports: AgentPorts;

  constructor(ports: AgentPorts) {
    this.#ports = ports;
    ports.durable.register(runName, (context) => runAgent(context, ports));
    ports.durable.onSuperseded((run) => this.#superseded(run));
  }

  async *run(session: SessionHandle, request: RunRequest): AsyncGenerator<KaryiEvent, RunOutcome> {
    const head = await this.#ports.lastSeq(session.id);
    const stop = new AbortController();
    const signals = request.signal === undefined ? [stop.signal] : [request.signal, stop.signal];
    const handle = await this.#start(session, request, AbortSignal.any(signals));
    try {
      return yield* this.watch(session, handle, head);
    } finally {
      // Whoever stops listening to a run of their own does not want it any more.
      stop.abort();
    }
  }

  /** The events of a run from `after` on, until its `run_end`. */
  async *watch(session: SessionHandle, { record, done }: RunHandle, after: number): AsyncGenerator<KaryiEvent, RunOutcome> {
    const over = new AbortController();
    let failure: unknown;
    done.catch((error) => {
      failure = error;
      over.abort();
    });
    // A run that is resumed has begun already; events of other runs before it are not its own.
    let begun = record.startedAt !== undefined;
    const isOwn = (event: KaryiEvent) => "run_id" in event.body && event.body.run_id === record.id;
    try {
      for await (const event of session.events(after, over.signal)) {
        begun ||= event.type === "run_start" && isOwn(event);
        const isEnd = event.type === "run_end" && isOwn(event);
        if (begun || isEnd) yield event;
        if (isEnd) return { session_id: session.id, ...event.body } as RunOutcome;
      }
    } finally {
      over.abort();
    }
    throw failure ?? new Error(`The run ${record.id} ended without its last event.`);
  }

  async start(session: SessionHandle, request: RunRequest): Promise<RunState> {
    const { record } = await this.#start(session, request, request.signal);
    return (await this.state(session.id, record.id)) ?? this.#stateOf(record);
  }

  /** Starts a run below another one. Its usage counts with its parent's. */
  startChild({ id, parent, session, input, signal }: ChildRun): Promise<RunHandle> {
    const { rootSessionId } = parent;
    const start = { id, sessionId: session.id, rootSessionId, parentId: parent.id, name: runName, input: recordable(input) };
    return this.#ports.durable.start(start, signal);
  }

  /** The run that a session's calls belong to now. */
  async activeRun(sessionId: string): Promise<RunRecord | undefined> {
    const open = await this.#ports.durable.runs({ sessionId, open: true });
    return open.find(({ phase, orphaned }) => phase === "running" && !orphaned);
  }

  /** A model that only lacks its key or its script is let through: these may come before the run. */
  async demand(workspace: string, { agent, model }: Pick<RunRequest, "agent" | "model">): Promise<void> {
    if (agent !== undefined) await this.#definition({ workspace }, agent);
    if (model === undefined) return;
    try {
      await this.#ports.openModel(model, { workspace });
    } catch (error) {
      if (!(error instanceof ToolFailure && error.details?.reason !== "unknown_model")) throw error;
    }
  }

  async state(sessionId: string, runId: string): Promise<RunState | undefined> {
    const record = await this.#ports.durable.run(runId);
    return record?.sessionId === sessionId ? this.#stateOf(record) : undefined;
  }

  async list(sessionId: string): Promise<readonly RunState[]> {
    const records = await this.#ports.durable.runs({ sessionId });
    return Promise.all(records.map((record) => this.#stateOf(record)));
  }

  async leftByServers(): Promise<readonly RunState[]> {
    const open = await this.#ports.durable.runs({ open: true });
    const left = open.filter((run) => run.orphaned && inputOf(run).served === true);
    return Promise.all(left.reverse().map((record) => this.#stateOf(record)));
  }

  async cancel(sessionId: string, runId: string): Promise<boolean> {
    const record = await this.#ports.durable.run(runId);
    if (record?.sessionId !== sessionId || record.phase === "ended") return false;
    if (!record.orphaned) return this.#ports.durable.cancel(runId);
    await this.#ports.durable.end(runId, await this.#superseded(record));
    return true;
  }

  async message(sessionId: string, runId: string, text: string, when: "now" | "after"): Promise<boolean> {
    const record = await this.#ports.durable.run(runId);
    if (record?.sessionId !== sessionId || record.phase === "ended") return false;
    if (when === "now") return this.#ports.durable.signal(runId, { topic: messageTopic, key: this.#ports.newId(), body: text });
    const { maxRounds: _rounds, maxCostUsd: _cost, child: _child, ...input } = inputOf(record);
    const next: RunInput = { ...input, prompt: text };
    await this.#ports.durable.start({ id: this.#ports.newId(), sessionId, name: runName, input: recordable(next) });
    return true;
  }

  subagents(sessionId: string): Subagents {
    return this.#ports.sideWork.registry(sessionId);
  }

  close(): Promise<void> {
    return this.#ports.durable.close();
  }

  async #start(session: SessionHandle, request: RunRequest, signal: AbortSignal | undefined): Promise<RunHandle> {
    const { durable, newId } = this.#ports;
    if (request.resume) return this.#resume(session, request, signal);
    const known = request.runId === undefined ? undefined : await durable.run(request.runId);
    if (known && known.sessionId !== session.id) throw taken(known.id);
    const input = known ? inputOf(known) : await this.#inputOf(session, request);
    return durable.start({ id: request.runId ?? newId(), sessionId: session.id, name: runName, input: recordable(input) }, signal);
  }

  async #resume(session: SessionHandle, { runId }: RunRequest, signal: AbortSignal | undefined): Promise<RunHandle> {
    const open = await this.#ports.durable.runs({ sessionId: session.id, open: true });
    const found = open.findLast(({ id, orphaned }) => orphaned && (runId === undefined || id === runId));
    if (found) await this.#demandModel(session, found);
    const handle = found && (await this.#ports.durable.resume(found.id, signal));
    if (handle) return handle;
    throw new ToolFailure("invalid_tool_input", "There is no unfinished run to resume in this session.", {
      hint: "Begin a new run with a prompt.",
      details: { reason: "nothing_to_resume" },
    });
  }

  /** A run whose model cannot be used now, such as for want of a key, stays as it is: it can be resumed later. */
  async #demandModel(session: SessionHandle, run: RunRecord): Promise<void> {
    await this.#ports.openModel(inputOf(run).model, session);
  }

  async #definition(session: Pick<SessionHandle, "workspace">, agent: string): Promise<AgentDefinition> {
    const { definitions } = this.#ports;
    const definition = await definitions.find(session, agent);
    if (definition) return definition;
    const names = await definitions.names(session);
    throw new ToolFailure("invalid_tool_input", `There is no agent '${agent}'.`, {
      hint: `Agents: ${names.join(", ")}.`,
      details: { reason: "unknown_agent" },
    });
  }

  /** Everything that can be wrong with a request is found before anything is recorded. */
  async #inputOf(session: SessionHandle, request: RunRequest): Promise<RunInput> {
    const { defaultModel, openModel } = this.#ports;
    const agent = request.agent ?? defaultAgent;
    const definition = await this.#definition(session, agent);
    if (request.prompt === undefined || request.prompt.trim() === "") {
      throw new ToolFailure("invalid_tool_input", "A run needs a prompt.", { details: { reason: "no_prompt" } });
    }
    const model = request.model ?? definition.model ?? (await defaultModel(session));
    if (model === undefined) {
      throw new ToolFailure("invalid_tool_input", "No model is configured.", {
        hint: 'Name one with --model PROVIDER/MODEL, KARYI_MODEL, or "model" in the config.',
        details: { reason: "no_model" },
      });
    }
    const opened = await openModel(model, session);
    if (request.maxCostUsd !== undefined && opened.price === undefined) {
      throw new ToolFailure("invalid_tool_input", `The price of ${model} is not known, so its cost cannot be limited.`, {
        hint: `Set "price" of the model in the config, or leave --max-cost out.`,
        details: { reason: "unknown_price" },
      });
    }
    return {
      prompt: request.prompt,
      agent,
      model,
      ...(request.maxRounds === undefined ? {} : { maxRounds: request.maxRounds }),
      ...(request.maxCostUsd === undefined ? {} : { maxCostUsd: request.maxCostUsd }),
      ...(request.record === undefined ? {} : { record: request.record }),
      ...(request.served === true ? { served: true } : {}),
    };
  }

  /** How a run ends whose process is gone and whose place another one takes. Its open calls are closed where that one begins. */
  #superseded(run: RunRecord): Promise<RunResult> {
    return interrupted(this.#ports.durable, run, "The process that drove this run ended before the run did.");
  }

  async #stateOf(record: RunRecord): Promise<RunState> {
    const { id, sessionId, phase, createdAt, startedAt = createdAt } = record;
    const base = { runId: id, sessionId, startedAt };
    const end = endOf(record);
    if (phase === "ended" && end) {
      const outcome = { session_id: sessionId, ...end };
      return { ...base, status: outcome.status, outcome };
    }
    if (phase === "queued") return { ...base, status: "queued" };
    const pending = await this.#ports.engine.approvals("pending");
    return { ...base, status: record.orphaned || pending.some((one) => one.sessionId === sessionId) ? "waiting" : "running" };
  }
}

function taken(runId: string): ToolFailure {
  return new ToolFailure("tool_conflict", `The run ${runId} belongs to another session.`, { details: { reason: "run_id_taken" } });
}
