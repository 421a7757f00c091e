/**
 * Locks by path: first come first served within this process, all or none across processes.
 * A call that waits holds nothing it did not hold before, so two waiting calls never wait for each other. A running call may take
 * further paths (`extend`) ahead of calls that wait to begin; two running calls that want each other's paths are told so.
 * A wait is told (`onWait`) and has an end (`timeoutMs`); the lock of a stopped process is passed only if `onSteal` is given.
 */

import type { LockHolder, LockSteal, LockWait, Store } from "../contract/index.ts";
import { ToolFailure } from "../contract/index.ts";

type Release = () => void;
type LockStore = Pick<Store, "acquireLocks" | "releaseLocks" | "changed"> & { readonly owner?: Store["owner"] };

export interface LockOptions {
  /** How long anybody waits. */
  readonly timeoutMs?: number;
  /** Told once of a wait that is not over at once. */
  readonly onWait?: (wait: LockWait) => void;
  /** Given: locks of stopped processes are taken from them, and it is told of each. */
  readonly onSteal?: LockSteal;
}

const defaultTimeoutMs = 60_000;
/** A shorter wait is none worth telling. */
const tellAfterMs = 300;

interface Request {
  readonly callId: string;
  readonly paths: readonly string[];
  /** The call runs already. */
  readonly extending: boolean;
  readonly grant: () => void;
}

export class PathLocks {
  readonly #store: LockStore;
  readonly #options: LockOptions;
  /** Path → the call of this process that holds it. */
  readonly #holders = new Map<string, string>();
  /** Call → what it holds. */
  readonly #held = new Map<string, Set<string>>();
  /** Call → when it got the first of them. */
  readonly #since = new Map<string, number>();
  /** In the order they came. */
  readonly #waiting: Request[] = [];

  constructor(store: LockStore, options: LockOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** Waits until all paths are free. The settlement of the call frees them in the store; the returned function frees them here. */
  async acquire(callId: string, paths: readonly string[], signal: AbortSignal): Promise<Release> {
    await this.#take(callId, paths, signal, false);
    return () => this.release(callId);
  }

  /** More paths for a call that runs already; they are freed together with those it holds. */
  async extend(callId: string, paths: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#take(callId, paths, signal, true);
  }

  /** For work that no settlement ends: the returned function frees the paths here and in the store. */
  async hold(id: string, paths: readonly string[], signal: AbortSignal): Promise<() => Promise<void>> {
    const release = await this.acquire(id, paths, signal);
    return async () => {
      await this.#store.releaseLocks(id);
      release();
    };
  }

  /** Frees in this process whatever the call holds. */
  release(callId: string): void {
    this.#free(callId, this.#held.get(callId) ?? []);
  }

  async #take(callId: string, paths: readonly string[], signal: AbortSignal, extending: boolean): Promise<void> {
    const mine = this.#held.get(callId);
    const wanted = [...new Set(paths)].filter((path) => mine?.has(path) !== true);
    if (wanted.length === 0) return;
    const { timeoutMs = defaultTimeoutMs } = this.#options;
    const began = Date.now();
    const limit = new Waiting(callId, timeoutMs, this.#options.onWait);
    try {
      await this.#enter(callId, wanted, AbortSignal.any([signal, limit.signal]), extending, limit);
      try {
        for (;;) {
          const holder = await this.#store.acquireLocks(callId, wanted, this.#options.onSteal);
          if (!holder) return;
          limit.meets(holder);
          await this.#waitForRelease(holder, signal, limit.signal);
        }
      } catch (error) {
        this.#free(callId, wanted);
        throw error;
      }
    } catch (error) {
      if (limit.signal.aborted && !signal.aborted && limit.holder) throw stillLocked(limit.holder, Date.now() - began);
      throw error;
    } finally {
      limit.end();
    }
  }

  async #enter(callId: string, paths: readonly string[], signal: AbortSignal, extending: boolean, limit: Waiting): Promise<void> {
    if (this.#isFree(paths, extending ? [] : this.#waiting)) return this.#give(callId, paths);
    if (extending) this.#refuseCycle(callId, paths);
    limit.meets(this.#holderHere(paths));
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(request), 1);
        reject(signal.reason);
        this.#grantWaiting();
      };
      const request: Request = {
        callId,
        paths,
        extending,
        grant: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(request);
    });
  }

  /** The call of this process that is in the way: it holds one of them, or came earlier. */
  #holderHere(paths: readonly string[]): LockHolder {
    const wanted = new Set(paths);
    const held = paths.find((path) => this.#holders.has(path));
    const earlier = this.#waiting.find((request) => request.paths.some((path) => wanted.has(path)));
    const callId = (held === undefined ? earlier?.callId : this.#holders.get(held)) ?? "";
    const path = held ?? earlier?.paths.find((each) => wanted.has(each)) ?? "";
    const { id = "", pid = 0 } = this.#store.owner ?? {};
    return { path, callId, ownerId: id, pid, since: this.#since.get(callId) ?? Date.now(), stopped: false };
  }

  /** Nobody holds one of them, and nobody who came earlier wants one. */
  #isFree(paths: readonly string[], earlier: readonly Request[]): boolean {
    if (paths.some((path) => this.#holders.has(path))) return false;
    if (earlier.length === 0) return true;
    const wanted = new Set(earlier.flatMap((request) => request.paths));
    return !paths.some((path) => wanted.has(path));
  }

  #give(callId: string, paths: readonly string[]): void {
    const mine = this.#held.get(callId) ?? new Set();
    this.#held.set(callId, mine);
    if (!this.#since.has(callId)) this.#since.set(callId, Date.now());
    for (const path of paths) {
      this.#holders.set(path, callId);
      mine.add(path);
    }
  }

  #free(callId: string, paths: Iterable<string>): void {
    const mine = this.#held.get(callId);
    if (mine === undefined) return;
    for (const path of paths) if (mine.delete(path)) this.#holders.delete(path);
    if (mine.size === 0) {
      this.#held.delete(callId);
      this.#since.delete(callId);
    }
    this.#grantWaiting();
  }

  #grantWaiting(): void {
    const passedOver: Request[] = [];
    for (const request of [...this.#waiting]) {
      if (!this.#isFree(request.paths, request.extending ? [] : passedOver)) {
        passedOver.push(request);
        continue;
      }
      this.#waiting.splice(this.#waiting.indexOf(request), 1);
      this.#give(request.callId, request.paths);
      request.grant();
    }
  }

  /** A running call keeps what it holds while it waits: one that waits for itself, over whatever others, would wait for ever. */
  #refuseCycle(callId: string, paths: readonly string[]): void {
    const looked = new Set<string>();
    const next = [...paths];
    for (let path = next.pop(); path !== undefined; path = next.pop()) {
      const holder = this.#holders.get(path);
      if (holder === undefined || looked.has(holder)) continue;
      if (holder === callId) throw lockAborted({ path: paths.find((each) => this.#holders.has(each)) ?? path, callId: holder });
      looked.add(holder);
      for (const request of this.#waiting) if (request.extending && request.callId === holder) next.push(...request.paths);
    }
  }

  async #waitForRelease(holder: LockHolder, signal: AbortSignal, limit: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.#store.changed(AbortSignal.any([signal, limit, AbortSignal.timeout(1_000)]));
    if (signal.aborted)
      throw new ToolFailure("cancelled", `The call was cancelled while it waited for ${holder.path}.`, { unchanged: true });
    limit.throwIfAborted();
  }
}

/** One wait: who is in the way, told once, and its end. */
class Waiting {
  readonly #callId: string;
  readonly #onWait: LockOptions["onWait"];
  readonly #end = new AbortController();
  readonly #timeoutMs: number;
  #limit: NodeJS.Timeout | undefined;
  #tell: NodeJS.Timeout | undefined;
  holder: LockHolder | undefined;

  constructor(callId: string, timeoutMs: number, onWait: LockOptions["onWait"]) {
    this.#callId = callId;
    this.#timeoutMs = timeoutMs;
    this.#onWait = onWait;
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The clock begins with the first holder that is met. */
  meets(holder: LockHolder): void {
    this.holder = holder;
    this.#limit ??= setTimeout(() => this.#end.abort(), this.#timeoutMs);
    this.#tell ??= setTimeout(() => this.holder && this.#onWait?.({ callId: this.#callId, holder: this.holder }), tellAfterMs);
  }

  end(): void {
    clearTimeout(this.#limit);
    clearTimeout(this.#tell);
  }
}

/** Two running calls that want each other's paths. */
function lockAborted(holder: Pick<LockHolder, "path" | "callId">): ToolFailure {
  return new ToolFailure("tool_conflict", `Another call is still writing ${holder.path}.`, {
    hint: "Try again when it has finished.",
    details: { reason: "locked", path: holder.path, call_id: holder.callId },
    unchanged: true,
  });
}

function stillLocked(holder: LockHolder, waitedMs: number): ToolFailure {
  const { path, callId, pid, since, stopped, summary } = holder;
  const what = summary === undefined ? callId : `${callId}, ${summary}`;
  const who = `${stopped ? "the stopped process" : "process"} ${pid} (${what})`;
  return new ToolFailure(
    "tool_conflict",
    `${path} is held by ${who} since ${new Date(since).toISOString()}; waited ${Math.round(waitedMs / 1000)} s. Nothing was changed.`,
    {
      hint: stopped
        ? `Let it go on (kill -CONT ${pid}) or end it; the command passes it with --steal-lock.`
        : "Try again when it has finished. `lockTimeoutMs` in the config says how long a call waits.",
      details: {
        reason: "locked",
        path,
        call_id: callId,
        pid,
        since,
        stopped,
        waited_ms: waitedMs,
        ...(summary === undefined ? {} : { summary }),
      },
      unchanged: true,
    },
  );
}
