/** A session as its user holds it: call, call all, undo, history, events, runs. A thin face of the engine room's session. */
import type {
  AgentRunner,
  CallIds,
  CallOptions,
  CallRecord,
  CallRequest,
  Catalog,
  Decision,
  EventDraft,
  ForeignBeginning,
  ForeignCall,
  ForeignOptions,
  ForeignOutcome,
  Json,
  KaryiEvent,
  Mode,
  Plan,
  Result,
  RunOutcome,
  RunRequest,
  SessionHandle,
  SessionRecord,
  SessionTool,
  Store,
  Subagents,
  Tasks,
  UndoOptions,
  UndoTarget,
} from "../contract/index.ts";
import { ToolFailure } from "../contract/index.ts";
import type { Engine, Session } from "../engine/index.ts";
import { readArtifacts } from "./session-artifacts.ts";

/** The parts of a wired engine that a session needs. */
export interface SessionSurroundings {
  readonly engine: Engine;
  readonly store: Pick<Store, "readEvents" | "createOutput" | "artifacts" | "artifact" | "artifactVersions">;
  runner(): AgentRunner;
  mode(record: SessionRecord): Mode;
  setMode(record: SessionRecord, mode: Mode): Promise<void>;
  tasks(record: SessionRecord): Tasks;
  /** Makes the tools of a server known that was never asked for them. */
  learnTools(name: string): Promise<void>;
}

/** Everything else is known without asking anybody. */
function mayNeedServer(call: CallRequest | null): boolean {
  // A caller without types may hand over anything; `call` is then answered as one that cannot be read.
  const name: unknown = call?.name;
  return typeof name === "string" && (name.startsWith("mcp__") || name === "ToolSearch" || name === "tool_search");
}

export class WiredSession implements SessionHandle {
  readonly #session: Session;
  readonly #around: SessionSurroundings;

  constructor(session: Session, around: SessionSurroundings) {
    this.#session = session;
    this.#around = around;
  }

  get id(): string {
    return this.#session.record.id;
  }

  get record(): SessionRecord {
    return { ...this.#session.record, state: this.#session.open.state };
  }

  get workspace(): string {
    return this.#session.record.workspace;
  }

  get cwd(): string {
    return this.#session.cwd;
  }

  get mode(): Mode {
    return this.#around.mode(this.#session.record);
  }

  get catalog(): Catalog {
    return this.#session.catalog;
  }

  get tasks(): Tasks {
    return this.#around.tasks(this.#session.record);
  }

  get agents(): Subagents {
    return this.#around.runner().subagents(this.id);
  }

  get artifacts(): SessionHandle["artifacts"] {
    return readArtifacts(this.#around.store, this.id);
  }

  call(name: string, input: unknown, { callId, providerId, ...options }: CallOptions & CallIds = {}): Promise<Result> {
    const ids = { ...(callId === undefined ? {} : { id: callId }), ...(providerId === undefined ? {} : { providerId }) };
    return this.begin({ name, input, ...ids }, options);
  }

  async begin(call: CallRequest, options?: CallOptions): Promise<Result> {
    if (mayNeedServer(call)) await this.#around.learnTools(call.name);
    return this.#around.engine.begin(this.#session, call, options);
  }

  async callAll(calls: readonly CallRequest[], options?: CallOptions): Promise<Result[]> {
    for (const call of calls) if (mayNeedServer(call)) await this.#around.learnTools(call.name);
    return this.#around.engine.beginAll(this.#session, calls, options);
  }

  undo(target: string | UndoTarget = { last: 1 }, options?: UndoOptions): Promise<Result> {
    return this.#around.engine.undo(this.#session, typeof target === "string" ? { callId: target } : target, options);
  }

  history(limit?: number): Promise<readonly CallRecord[]> {
    return this.#around.engine.history({ sessionId: this.id, ...(limit === undefined ? {} : { limit }) });
  }

  explain(name: string, input: unknown, mode?: Mode): Promise<{ readonly tool: string; readonly decision: Decision; readonly plan: Plan }> {
    return this.#around.engine.explain(this.#session, { name, input }, mode);
  }

  events(after = 0, signal: AbortSignal = new AbortController().signal): AsyncGenerator<KaryiEvent> {
    return this.#around.engine.watch(this.id, after, signal);
  }

  readEvents(after: number, limit: number): Promise<readonly KaryiEvent[]> {
    return this.#around.store.readEvents(this.id, after, limit);
  }

  append(drafts: readonly EventDraft[]): Promise<readonly KaryiEvent[]> {
    return this.#around.engine.append(this.id, drafts);
  }

  setMode(mode: Mode): Promise<void> {
    return this.#around.setMode(this.#session.record, mode);
  }

  beginForeign(call: ForeignCall, options?: ForeignOptions): Promise<ForeignBeginning> {
    return this.#around.engine.beginForeign(this.#session, call, options);
  }

  settleForeign(call: ForeignCall, journal: ForeignBeginning["journal"], outcome: ForeignOutcome): Promise<Result> {
    return this.#around.engine.settleForeign(this.#session, call, journal, outcome);
  }

  async keepOutput(text: string): Promise<string> {
    const writer = await this.#around.store.createOutput(this.id);
    await writer.write(text);
    await writer.close();
    return writer.ref;
  }

  tools(): readonly SessionTool[] {
    return this.catalog.activeTools().map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
      needsApproval: (input: Json) => this.#mayAsk(name, input),
      call: (input: Json, options) => this.call(name, input, options),
    }));
  }

  /** What is rehearsed first may be asked about afterwards; what would fail anyway is not. */
  async #mayAsk(name: string, input: Json): Promise<boolean> {
    try {
      const { verdict } = (await this.explain(name, input)).decision;
      return verdict === "ask" || verdict === "rehearse";
    } catch (error) {
      if (error instanceof ToolFailure) return false;
      throw error;
    }
  }

  run(prompt: string | RunRequest, options: Omit<RunRequest, "prompt"> = {}): AsyncGenerator<KaryiEvent, RunOutcome> {
    return this.#around.runner().run(this, typeof prompt === "string" ? { prompt, ...options } : prompt);
  }
}
