/** The engine: sessions, calls, approvals, undo, events. The only caller of a tool's `plan`, `rehearse` and `run`. */
import {
  type ApprovalRecord,
  type ApprovalReply,
  type Call,
  type CallFilter,
  type CallRecord,
  type Decision,
  type KaryiEvent,
  type Plan,
  type Result,
  type SessionKey,
  ToolFailure,
  traitsOf,
} from "../contract/index.ts";
import { CallLife, type CallOptions, callOf } from "./call-life.ts";
import { judge } from "./decide.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { EventFeed, type EventListener } from "./event-feed.ts";
import { Gate } from "./gate.ts";
import { openedEnv } from "./kept-env.ts";
import { orchestrate } from "./orchestrator.ts";
import { PathLocks } from "./path-locks.ts";
import { findTool, PlanFailed, prepare } from "./prepare.ts";
import { recover } from "./recover.ts";
import { Session, type Toolkit } from "./session.ts";
import { CallMemory, OpenSessionState } from "./session-state.ts";
import { Undo, type UndoOptions, type UndoTarget } from "./undo.ts";

/** A call without an id gets one; with an id it is idempotent. */
export type CallRequest = Omit<Call, "id"> & { readonly id?: string };

export interface OpenOptions {
  readonly key: SessionKey;
  readonly workspace: string;
  readonly cwd: string;
  readonly toolkit?: Toolkit;
}

/** Whatever a caller without types hands in: what is no call is answered like one that could not be read. */
function wellFormed(request: CallRequest): CallRequest {
  const loose = request as Partial<CallRequest> | null | undefined;
  if (typeof loose?.name === "string" && (loose.id === undefined || typeof loose.id === "string")) return request;
  return { name: typeof loose?.name === "string" ? loose.name : "", input: {}, unreadable: "a call needs a `name` and an `input`" };
}

export class Engine {
  readonly #dependencies: EngineDependencies;
  readonly #feed: EventFeed;
  readonly #gate: Gate;
  readonly #life: CallLife;
  readonly #undo: Undo;
  #closed = false;

  constructor(dependencies: EngineDependencies) {
    this.#dependencies = dependencies;
    this.#feed = new EventFeed(dependencies.store);
    const locks = new PathLocks(dependencies.store);
    this.#gate = new Gate(dependencies, this.#feed);
    this.#life = new CallLife(dependencies, locks, this.#feed, this.#gate);
    this.#undo = new Undo(dependencies, locks, this.#feed);
  }

  /** Settles what a dead process left behind. Call once after opening. */
  recover(): Promise<number> {
    return recover(this.#dependencies, this.#undo);
  }

  async openSession(options: OpenOptions): Promise<Session> {
    const { store } = this.#dependencies;
    const record = await store.openSession(options.key, options.workspace, { cwd: options.cwd, env: {}, activated: [], allowedRules: [] });
    return this.#attach(record.id, options.toolkit);
  }

  async #attach(sessionId: string, toolkit?: Toolkit): Promise<Session> {
    const { store } = this.#dependencies;
    const record = await store.session(sessionId);
    if (!record)
      throw new ToolFailure("tool_not_found", `There is no session '${sessionId}'.`, { details: { reason: "session_not_found" } });
    const ports = await this.#dependencies.sessionPorts({ record });
    const session = new Session(new OpenSessionState(record, await store.seenFiles(record.id)), ports, this.#dependencies, toolkit);
    session.open.apply({ state: { env: await openedEnv(record.state.env, session.values) } });
    return session;
  }

  /** Idempotent by call id; may answer `suspended`. Never rejects for anything a tool, a person or the policy does. */
  begin(session: Session, request: CallRequest, options: CallOptions = {}): Promise<Result> {
    const asked = this.#closed ? { ...wellFormed(request), unreadable: "the engine is closed" } : wellFormed(request);
    const isNew = asked.id === undefined;
    return this.#life.begin(session, { ...asked, id: asked.id ?? this.#dependencies.newId() }, options, isNew);
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
    return this.begin(await this.#attach(record.sessionId), callOf(record), options);
  }

  undo(session: Session, target: UndoTarget, options: UndoOptions = {}): Promise<Result> {
    return this.#undo.undo(session, target, options);
  }

  /** What would happen to a call and why; runs nothing. Throws the ToolFailure that the call would end with. */
  async explain(
    session: Session,
    request: CallRequest,
  ): Promise<{ readonly tool: string; readonly decision: Decision; readonly plan: Plan }> {
    const call: Call = { ...request, id: request.id ?? "explain" };
    const tool = findTool(session, call);
    const prepared = await prepare(session, call, tool, new CallMemory(session.open), new AbortController().signal).catch((error) => {
      // What a failing plan looked at is what the call would be judged by.
      if (error instanceof PlanFailed) return error.looked;
      throw error;
    });
    return { tool: tool.name, decision: judge(session, call, prepared, this.#dependencies), plan: prepared.plan };
  }

  history(filter: CallFilter): Promise<readonly CallRecord[]> {
    return this.#dependencies.store.listCalls(filter);
  }

  /** Whatever is called from now on is refused. */
  close(): void {
    this.#closed = true;
  }

  /** Live events of this process. */
  listen(listener: EventListener): () => void {
    return this.#feed.listen(listener);
  }

  /** Events after `after` and then as they come, from any process. */
  watch(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<KaryiEvent> {
    return this.#feed.watch(sessionId, after, signal);
  }
}
