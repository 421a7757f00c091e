/** A session as its user holds it: call, call all, undo, history, events. */
import type { CallRecord, Catalog, Decision, KaryiEvent, Plan, Result } from "../contract/index.ts";
import type { CallOptions, CallRequest, Engine, Session, UndoOptions, UndoTarget } from "../engine/index.ts";

export class SessionHandle {
  readonly #engine: Engine;
  readonly #session: Session;

  constructor(engine: Engine, session: Session) {
    this.#engine = engine;
    this.#session = session;
  }

  get id(): string {
    return this.#session.record.id;
  }

  get cwd(): string {
    return this.#session.cwd;
  }

  /** What a model sees now, and how the rest is found. */
  get catalog(): Catalog {
    return this.#session.catalog;
  }

  call(name: string, input: unknown, options?: CallOptions & { readonly callId?: string }): Promise<Result> {
    return this.begin({ name, input, ...(options?.callId === undefined ? {} : { id: options.callId }) }, options);
  }

  /** A call as a decoder hands it over; idempotent where it has an id. */
  begin(call: CallRequest, options?: CallOptions): Promise<Result> {
    return this.#engine.begin(this.#session, call, options);
  }

  /** Results in call order, whatever finished first. */
  callAll(calls: readonly CallRequest[], options?: CallOptions): Promise<Result[]> {
    return this.#engine.beginAll(this.#session, calls, options);
  }

  /** Takes back one call, the last n, or all calls of a message. */
  undo(target: string | UndoTarget = { last: 1 }, options?: UndoOptions): Promise<Result> {
    return this.#engine.undo(this.#session, typeof target === "string" ? { callId: target } : target, options);
  }

  /** Newest first. */
  history(limit?: number): Promise<readonly CallRecord[]> {
    return this.#engine.history({ sessionId: this.id, ...(limit === undefined ? {} : { limit }) });
  }

  /** What would happen to a call and why; runs nothing. */
  explain(name: string, input: unknown): Promise<{ readonly tool: string; readonly decision: Decision; readonly plan: Plan }> {
    return this.#engine.explain(this.#session, { name, input });
  }

  /** Events after `after`, then as they come, from any process, until the signal aborts. */
  events(after = 0, signal: AbortSignal = new AbortController().signal): AsyncGenerator<KaryiEvent> {
    return this.#engine.watch(this.id, after, signal);
  }
}
