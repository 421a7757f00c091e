/**
 * Locks by path: first come first served within this process, all or none across processes.
 * Paths are taken in one order everywhere, so two calls can never wait for each other.
 */

import type { LockHolder, Store } from "../contract/index.ts";
import { ToolFailure } from "../contract/index.ts";

type Release = () => void;

export class PathLocks {
  readonly #store: Pick<Store, "acquireLocks" | "releaseLocks" | "changed">;
  readonly #tails = new Map<string, Promise<void>>();

  constructor(store: Pick<Store, "acquireLocks" | "releaseLocks" | "changed">) {
    this.#store = store;
  }

  /** Waits until all paths are free. The settlement of the call frees them in the store; the returned function frees them here. */
  async acquire(callId: string, paths: readonly string[], signal: AbortSignal): Promise<Release> {
    const releases: Release[] = [];
    const releaseAll = () => {
      for (const release of releases.splice(0)) release();
    };
    try {
      for (const path of [...new Set(paths)].sort()) releases.push(await this.#enter(path, signal));
      for (;;) {
        const holder = await this.#store.acquireLocks(callId, paths);
        if (!holder) return releaseAll;
        await this.#waitForRelease(holder, signal);
      }
    } catch (error) {
      releaseAll();
      throw error;
    }
  }

  async #enter(path: string, signal: AbortSignal): Promise<Release> {
    const before = this.#tails.get(path);
    let release: Release = () => {};
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = before ? before.then(() => mine) : mine;
    this.#tails.set(path, tail);
    const leave = () => {
      release();
      if (this.#tails.get(path) === tail) this.#tails.delete(path);
    };
    if (before) {
      try {
        await abortable(before, signal);
      } catch (error) {
        leave();
        throw error;
      }
    }
    return leave;
  }

  async #waitForRelease(holder: LockHolder, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw lockAborted(holder);
    const pause = AbortSignal.any([signal, AbortSignal.timeout(1_000)]);
    await this.#store.changed(pause);
    if (signal.aborted) throw lockAborted(holder);
  }
}

function lockAborted(holder: LockHolder): ToolFailure {
  return new ToolFailure("tool_conflict", `Another call is still writing ${holder.path}.`, {
    hint: "Try again when it has finished.",
    details: { reason: "locked", path: holder.path, call_id: holder.callId },
  });
}

/** Settles with the promise, or rejects when the signal aborts first. */
function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, reject);
  });
}
