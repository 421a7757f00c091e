/**
 * The embedded adapter of `Durable`: one process drives a run, the store keeps its steps. Owns waiting for a session's
 * turn, cancelling from other processes, and calling a run's function again after a crash. Refuses to be a cluster:
 * a run stays with its process until that is gone.
 */
import {
  type Durable,
  isSuspended,
  type Json,
  type KaryiEvent,
  type RunFunction,
  type RunHandle,
  type RunRecord,
  type RunResult,
  type RunSignal,
  type RunStart,
  type RunStore,
  RunSuspended,
} from "../contract/index.ts";
import { EmbeddedContext } from "./embedded-context.ts";

export interface EmbeddedOptions {
  readonly store: RunStore & { changed(signal: AbortSignal): Promise<void> };
  /** Tells live listeners of events that were written with a step. */
  publish(events: readonly KaryiEvent[]): void;
  now(): number;
}

/** The holder of a session's turn may die without a commit that would wake anybody. */
const lookAgainMs = 500;

export function createEmbeddedDurable(options: EmbeddedOptions): Durable {
  return new EmbeddedDurable(options);
}

class EmbeddedDurable implements Durable {
  readonly #options: EmbeddedOptions;
  readonly #functions = new Map<string, RunFunction>();
  readonly #driven = new Map<string, RunHandle>();
  readonly #closed = new AbortController();
  #close: ((run: RunRecord) => Promise<RunResult>) | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
  }

  register(name: string, run: RunFunction): void {
    this.#functions.set(name, run);
  }

  onSuperseded(close: (run: RunRecord) => Promise<RunResult>): void {
    this.#close = close;
  }

  async start(start: RunStart, signal?: AbortSignal): Promise<RunHandle> {
    const record = await this.#options.store.createRun(start);
    const driven = this.#driven.get(record.id);
    if (driven) return driven;
    if (record.phase === "ended") return { record, done: Promise.resolve(record.outcome ?? null) };
    return this.#drive(record, signal, false);
  }

  async resume(runId: string, signal?: AbortSignal): Promise<RunHandle | undefined> {
    const record = await this.run(runId);
    if (!record?.orphaned || this.#driven.has(runId)) return undefined;
    return this.#drive(record, signal, true);
  }

  steps(sessionId: string): ReturnType<Durable["steps"]> {
    return this.#options.store.steps(sessionId);
  }

  run(id: string): Promise<RunRecord | undefined> {
    return this.#options.store.run(id);
  }

  runs(filter: Parameters<RunStore["runs"]>[0]): ReturnType<RunStore["runs"]> {
    return this.#options.store.runs(filter);
  }

  async end(runId: string, { outcome, events }: RunResult): Promise<void> {
    await this.#ended(runId, { outcome, events });
  }

  /** False: the run goes on, because somebody said something in the last moment. */
  async #ended(runId: string, { outcome, events, unless }: RunResult): Promise<boolean> {
    const written = await this.#options.store.endRun(runId, outcome, events, unless);
    this.#options.publish(written ?? []);
    return written !== undefined;
  }

  signal(runId: string, signal: RunSignal): Promise<boolean> {
    return this.#options.store.addSignal(runId, signal);
  }

  cancel(runId: string): Promise<boolean> {
    return this.#options.store.askCancel(runId);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.allSettled([...this.#driven.values()].map(({ done }) => done));
  }

  #drive(record: RunRecord, signal: AbortSignal | undefined, resumed: boolean): RunHandle {
    const done = this.#life(record, signal, resumed).finally(() => this.#driven.delete(record.id));
    // Whoever holds the handle hears of a failure; a run that nobody waits for must not end the process.
    done.catch(() => {});
    const handle = { record, done };
    this.#driven.set(record.id, handle);
    return handle;
  }

  async #life(queued: RunRecord, outer: AbortSignal | undefined, resumed: boolean): Promise<Json> {
    const { store } = this.#options;
    const over = new AbortController();
    const cancel = new AbortController();
    const onOuter = () => {
      // Whoever wants the run ends with the process: the run is left as it is, not cancelled.
      if (isSuspended(outer)) cancel.abort(new RunSuspended());
      else void store.askCancel(queued.id).finally(() => cancel.abort());
    };
    if (outer?.aborted) onOuter();
    outer?.addEventListener("abort", onOuter);
    const watching = this.#watchForCancel(queued.id, cancel, over.signal);
    try {
      await this.#claim(queued, cancel.signal);
      const record = (await store.run(queued.id)) ?? queued;
      if (record.phase === "ended") return record.outcome ?? null;
      const run = this.#functions.get(record.name);
      if (!run) throw new Error(`There is no run function '${record.name}'.`);
      const context = await EmbeddedContext.open({ ...this.#options, record, resumed, signal: cancel.signal });
      for (;;) {
        const result = await run(context);
        if (await this.#ended(record.id, result)) return result.outcome;
      }
    } catch (error) {
      throw isSuspended(cancel.signal) || this.#closed.signal.aborted ? new RunSuspended() : error;
    } finally {
      outer?.removeEventListener("abort", onOuter);
      over.abort();
      await watching;
    }
  }

  /** Waits for the session's turn. A run that is cancelled while it waits is claimed all the same, so that it ends in order. */
  async #claim(record: RunRecord, cancelled: AbortSignal): Promise<void> {
    const { store } = this.#options;
    for (;;) {
      this.#closed.signal.throwIfAborted();
      const news = store.changed(AbortSignal.any([AbortSignal.timeout(lookAgainMs), this.#closed.signal]));
      const claim = await store.claimRun(record.id);
      if (claim.kind === "claimed" || claim.kind === "ended") return;
      if (claim.kind === "supersedes") {
        for (const run of claim.runs) await this.end(run.id, (await this.#close?.(run)) ?? { outcome: null, events: [] });
        continue;
      }
      if (cancelled.aborted && claim.by !== record.id) {
        await this.end(record.id, (await this.#close?.(record)) ?? { outcome: null, events: [] });
        return;
      }
      await news;
    }
  }

  async #watchForCancel(runId: string, cancel: AbortController, over: AbortSignal): Promise<void> {
    const { store } = this.#options;
    const stop = AbortSignal.any([over, cancel.signal, this.#closed.signal]);
    while (!stop.aborted) {
      const changed = store.changed(stop);
      const isCancelling = await store.isCancelling(runId).catch(() => undefined);
      // A store that is closed or broken has no news.
      if (isCancelling === undefined) return;
      if (isCancelling) cancel.abort();
      else await changed;
    }
    if (this.#closed.signal.aborted) cancel.abort(new RunSuspended());
  }
}
