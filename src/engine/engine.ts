/** The engine: sessions, calls, approvals, undo, events. The only caller of a tool's `plan`, `rehearse` and `run`. */
import {
  type ApprovalRecord,
  type ApprovalReply,
  type Call,
  type CallFilter,
  type CallOptions,
  type CallRecord,
  type CallRequest,
  type Decision,
  type EventDraft,
  type ForeignBeginning,
  type ForeignCall,
  type ForeignOptions,
  type ForeignOutcome,
  type JournalEntry,
  type KaryiEvent,
  type Listening,
  type Mode,
  type Plan,
  type Result,
  type SessionKey,
  type SessionRecord,
  type SessionRights,
  ToolFailure,
  traitsOf,
  type UndoOptions,
  type UndoTarget,
} from "../contract/index.ts";
import { CallLife, callOf } from "./call-life.ts";
import { judge } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { EventFeed, type EventListener } from "./event-feed.ts";
import { Foreign, passedOn } from "./foreign.ts";
import { Gate } from "./gate.ts";
import { openedEnv } from "./kept-env.ts";
import { orchestrate } from "./orchestrator.ts";
import { findTool, PlanFailed, prepare } from "./prepare.ts";
import { isSameCall } from "./records.ts";
import { type FoundAtStart, type RecoveredCall, recover } from "./recover.ts";
import { noValues, Session } from "./session.ts";
import { CallMemory, OpenSessionState } from "./session-state.ts";
import { Undo } from "./undo.ts";

export interface OpenOptions {
  readonly key: SessionKey;
  readonly workspace: string;
  readonly cwd: string;
  readonly rights?: SessionRights;
}

/** Whatever a caller without types hands in: what is no call is answered like one that could not be read. */
function wellFormed(request: CallRequest): CallRequest {
  const loose = request as Partial<CallRequest> | null | undefined;
  if (typeof loose?.name === "string" && (loose.id === undefined || typeof loose.id === "string")) return request;
  return { name: typeof loose?.name === "string" ? loose.name : "", input: {}, unreadable: "a call needs a `name` and an `input`" };
}

/** A decoded call's id is its provider's: it goes back in the result, and the record gets an id of its own. */
function ownId(request: CallRequest): CallRequest {
  if (request.raw === undefined || request.id === undefined) return request;
  const { id: providerId, ...call } = request;
  return { ...call, providerId };
}

export class Engine {
  readonly #dependencies: EngineDependencies;
  readonly #feed: EventFeed;
  readonly #gate: Gate;
  readonly #life: CallLife;
  readonly #undo: Undo;
  readonly #foreign: Foreign;
  /** One open state a session, however many handles hold it. */
  readonly #states = new Map<string, Promise<OpenSessionState>>();
  #closed = false;

  constructor(dependencies: EngineDependencies) {
    this.#dependencies = dependencies;
    this.#feed = new EventFeed(dependencies.store, dependencies.log);
    const { locks } = dependencies;
    this.#gate = new Gate(dependencies, this.#feed);
    this.#life = new CallLife(dependencies, locks, this.#feed, this.#gate);
    this.#undo = new Undo(dependencies, locks, this.#feed);
    this.#foreign = new Foreign(dependencies, this.#feed, this.#gate);
  }

  /** Settles what a dead process left behind. Call once after opening. */
  recover(found: FoundAtStart): Promise<readonly RecoveredCall[]> {
    return recover(this.#dependencies, this.#undo, found);
  }

  async openSession(options: OpenOptions): Promise<Session> {
    const { store } = this.#dependencies;
    const { key, workspace, cwd, rights } = options;
    const record = await store.openSession(key, workspace, { cwd, env: {}, activated: [], allowedRules: [], ...(rights && { rights }) });
    // Rights that are named at a later opening are the session's from then on.
    if (rights !== undefined) await store.patchSession(record.id, { state: { rights: { ...record.state.rights, ...rights } } });
    return this.attach(record.id);
  }

  /** The session by its id, with the rights it was opened with; toolkits are views of one open state. */
  async attach(sessionId: string): Promise<Session> {
    const { store } = this.#dependencies;
    const record = await store.session(sessionId);
    if (!record)
      throw new ToolFailure("tool_not_found", `There is no session '${sessionId}'.`, { details: { reason: "session_not_found" } });
    await this.#dependencies.holdPolicy(record);
    const ports = await this.#dependencies.sessionPorts({ record });
    const known = this.#states.get(sessionId);
    const state = known ?? OpenSessionState.open(record, store, (env) => openedEnv(env, ports.values ?? noValues));
    if (!known) this.#states.set(sessionId, state);
    try {
      return new Session(await state, ports, this.#dependencies);
    } catch (error) {
      this.#states.delete(sessionId);
      throw error;
    }
  }

  /** Another process may have changed the session, its rights too. */
  async #follow({ open }: Session): Promise<void> {
    if (await open.follow()) await this.#dependencies.holdPolicy({ ...open.record, state: open.state });
  }

  /** Idempotent by call id; may answer `suspended`. Never rejects for anything a tool, a person or the policy does. */
  async begin(session: Session, request: CallRequest, options: CallOptions = {}): Promise<Result> {
    const asked = this.#closed ? { ...wellFormed(request), unreadable: "the engine is closed" } : wellFormed(request);
    const call = ownId(asked);
    const { providerId } = call;
    if (!this.#closed) await this.#follow(session);
    const known = (await this.#waiting(session, call)) ?? call.id;
    const isNew = known === undefined || options.fresh === true;
    const result = await this.#life.begin(session, { ...call, id: known ?? this.#dependencies.newId() }, options, isNew);
    return providerId === undefined ? result : { ...result, providerId };
  }

  /** Id of exactly this call, under the same id of the provider, if it still waits for a person: the question is the same one. */
  async #waiting(session: Session, call: CallRequest): Promise<string | undefined> {
    if (call.providerId === undefined || this.#closed) return undefined;
    const { store } = this.#dependencies;
    const sessionId = session.record.id;
    const pending = await store.listApprovals({ sessionId, status: "pending" });
    const granted = await store.listApprovals({ sessionId, status: "granted" });
    for (const { callId } of [...pending, ...granted]) {
      const record = await store.call(callId);
      if (record?.phase !== "asked" || callOf(record).providerId !== call.providerId) continue;
      if (isSameCall(record, session, { ...call, id: callId }, this.#dependencies)) return callId;
    }
    return undefined;
  }

  /** Results in call order, whatever finished first and whatever went wrong. */
  beginAll(session: Session, requests: readonly CallRequest[], options: CallOptions = {}): Promise<Result[]> {
    const { registry, limits } = this.#dependencies;
    const safe = (request: CallRequest) => {
      const tool = registry.get(wellFormed(request).name);
      // An unknown tool only answers with an error, which hurts nobody beside it.
      return tool === undefined || traitsOf(tool).concurrencySafe;
    };
    return orchestrate(requests, safe, limits.maxConcurrent, (request) => this.begin(session, request, options));
  }

  /** Records an answer to an approval; `undefined` when it is not pending any more. */
  answer(approvalId: string, reply: ApprovalReply, answeredBy: string): Promise<ApprovalRecord | undefined> {
    return this.#gate.answer(approvalId, reply, answeredBy);
  }

  /** Continues a suspended call after its approval was answered, here or anywhere. */
  async resume(approvalId: string, options: CallOptions = {}): Promise<Result> {
    const { store } = this.#dependencies;
    const approval = await store.approval(approvalId);
    const record = approval && (await store.call(approval.callId));
    if (!approval || !record)
      throw new ToolFailure("tool_not_found", `There is no approval '${approvalId}'.`, { details: { reason: "approval_missing" } });
    const call = callOf(record);
    if (call.foreign) return passedOn(call, approval);
    return this.begin(await this.attach(record.sessionId), call, options);
  }

  /** A pending question as it is now. One that was rehearsed stays: it is about what the rehearsal left. */
  async refreshApproval(record: ApprovalRecord): Promise<ApprovalRecord> {
    const { store } = this.#dependencies;
    const call = await store.call(record.callId);
    if (record.status !== "pending" || record.card.rehearsal !== undefined || call === undefined) return record;
    const asked = callOf(call);
    if (asked.foreign) return record;
    const session = await this.attach(record.sessionId);
    const signal = new AbortController().signal;
    try {
      const prepared = await prepare(session, asked, findTool(session, asked), new CallMemory(session.open), signal);
      const decision = judge(session, asked, prepared, this.#dependencies);
      return await this.#gate.renew({ session, call: asked, prepared, decision, wait: false, signal }, record);
    } catch (error) {
      // The call cannot be planned any more: whoever says yes to it hears why.
      if (error instanceof ToolFailure || error instanceof PlanFailed) return record;
      throw error;
    }
  }

  undo(session: Session, target: UndoTarget, options: UndoOptions = {}): Promise<Result> {
    return this.#undo.undo(session, target, options);
  }

  /** What would happen to a call and why; runs nothing. Throws the ToolFailure that the call would end with. */
  async explain(
    session: Session,
    request: CallRequest,
    mode?: Mode,
  ): Promise<{ readonly tool: string; readonly decision: Decision; readonly plan: Plan }> {
    const call: Call = { ...request, id: request.id ?? "explain" };
    const tool = findTool(session, call);
    const prepared = await prepare(session, call, tool, new CallMemory(session.open), new AbortController().signal).catch((error) => {
      // What a failing plan looked at is what the call would be judged by.
      if (error instanceof PlanFailed) return error.looked;
      throw error;
    });
    const { policy } = this.#dependencies;
    const inMode = mode && { ...this.#dependencies, policy: (record: SessionRecord) => ({ ...policy(record), mode }) };
    return { tool: tool.name, decision: judge(session, call, prepared, inMode ?? this.#dependencies), plan: prepared.plan };
  }

  /** Judges a call that another agent makes, and keeps images of what it is about to change. */
  beginForeign(session: Session, call: ForeignCall, options?: ForeignOptions): Promise<ForeignBeginning> {
    return this.#foreign.begin(session, call, options);
  }

  settleForeign(session: Session, call: ForeignCall, journal: readonly JournalEntry[], outcome: ForeignOutcome): Promise<Result> {
    return this.#foreign.settle(session, call, journal, outcome);
  }

  history(filter: CallFilter): Promise<readonly CallRecord[]> {
    return this.#dependencies.store.listCalls(filter);
  }

  /** Whatever is called from now on is refused. */
  close(): void {
    this.#closed = true;
  }

  /** Hands events that a port wrote to the store to whoever listens. */
  publish(events: readonly KaryiEvent[]): void {
    this.#feed.publish(events);
  }

  /** The one writer of events that are not part of a call's own transaction. */
  async append(sessionId: string, drafts: readonly EventDraft[]): Promise<readonly KaryiEvent[]> {
    return this.#feed.append(sessionId, this.#dependencies.masker.maskJson(drafts));
  }

  /** Live events of this process. */
  listen(listener: EventListener, listening?: Listening): () => void {
    return this.#feed.listen(listener, listening);
  }

  /** Events after `after` and then as they come, from any process. */
  watch(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<KaryiEvent> {
    return this.#feed.watch(sessionId, after, signal);
  }
}
