/**
 * Sizes and times of many files at once. A listing must be sorted by time, and asking for the times costs more than the walk
 * itself: from some size on, a second thread shares the work while the walk goes on. Both sides claim whole batches; whoever
 * comes first does them, so that a thread that starts late costs nothing.
 */
import { lstatSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { toSystemPath } from "./byte-path.ts";
import { startWorker } from "./inline-worker.ts";

export interface FileTimes {
  /** Pairs of size and time in milliseconds, in the order of the paths; a vanished file has the size -1. */
  readonly values: Float64Array;
}

interface Batch extends FileTimes {
  readonly paths: readonly string[];
  /** 0 free, 1 claimed, 2 done. */
  readonly state: Int32Array;
}

const idleMs = 5_000;
/** Below this many files the second thread is not worth its start. */
const shareFrom = 3_000;

export class FileTimesQueue {
  readonly #batches: Batch[] = [];
  #waiting = 0;

  /** Takes byte paths; the answer is complete after `finish`. */
  add(paths: readonly string[]): FileTimes {
    const memory = new SharedArrayBuffer(8 + paths.length * 16);
    const batch: Batch = { paths, state: new Int32Array(memory, 0, 1), values: new Float64Array(memory, 8) };
    this.#batches.push(batch);
    this.#waiting += paths.length;
    if (this.#waiting >= shareFrom) {
      for (const each of this.#batches.slice(this.#shared)) shareThread.post(each.state.buffer as SharedArrayBuffer, each.paths.join("\0"));
      this.#shared = this.#batches.length;
    }
    return batch;
  }

  #shared = 0;

  /** Does what is still free, from the end, and waits for the rest. `rest` is called between batches. */
  async finish(rest: () => Promise<void>): Promise<void> {
    for (let i = this.#batches.length - 1; i >= 0; i--) {
      const { paths, values, state } = this.#batches[i] as Batch;
      if (Atomics.compareExchange(state, 0, 0, 1) !== 0) continue;
      fill(paths, values);
      Atomics.store(state, 0, 2);
      await rest();
    }
    for (const { paths, values, state } of this.#batches) {
      await shareThread.settled(state);
      // The thread died while it had the batch.
      if (Atomics.load(state, 0) !== 2) fill(paths, values);
    }
    this.#batches.length = 0;
  }
}

function fill(paths: readonly string[], values: Float64Array): void {
  for (const [i, path] of paths.entries()) {
    values[2 * i] = -1;
    try {
      const stat = lstatSync(toSystemPath(path), { throwIfNoEntry: false });
      if (stat === undefined) continue;
      values[2 * i] = stat.size;
      values[2 * i + 1] = stat.mtimeMs;
    } catch {
      // Not there for us: the same as vanished.
    }
  }
}

/** One thread for the process, started when first needed and ended when nobody has needed it for a while. */
class ShareThread {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #wake: (() => void)[] = [];

  post(memory: SharedArrayBuffer, paths: string): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage({ memory, paths });
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), idleMs).unref();
  }

  /** Resolves when a batch the thread claimed is done, or the thread is gone. */
  async settled(state: Int32Array): Promise<void> {
    while (Atomics.load(state, 0) !== 2 && this.#worker !== undefined) {
      this.#worker.ref();
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    this.#worker?.unref();
  }

  #start(): Worker {
    const worker = startWorker(statWorker);
    worker.on("message", () => this.#awaken());
    worker.on("error", () => this.#end());
    worker.on("exit", () => this.#awaken());
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#awaken();
    void worker?.terminate();
  }

  #awaken(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}

const shareThread = new ShareThread();

/** Runs in the thread; see `startWorker` for what it may use. */
function statWorker(require: NodeJS.Require): void {
  const { lstatSync } = require("node:fs") as typeof import("node:fs");
  const { parentPort } = require("node:worker_threads") as typeof import("node:worker_threads");
  const beyondAscii = /[\x80-\xff]/;
  parentPort?.on("message", ({ memory, paths }: { memory: SharedArrayBuffer; paths: string }) => {
    const state = new Int32Array(memory, 0, 1);
    if (Atomics.compareExchange(state, 0, 0, 1) !== 0) return;
    const values = new Float64Array(memory, 8);
    const list = paths.split("\0");
    for (let i = 0; i < list.length; i++) {
      const path = list[i] as string;
      values[2 * i] = -1;
      try {
        const stat = lstatSync(beyondAscii.test(path) ? Buffer.from(path, "latin1") : path, { throwIfNoEntry: false });
        if (stat === undefined) continue;
        values[2 * i] = stat.size;
        values[2 * i + 1] = stat.mtimeMs;
      } catch {
        // Not there for us: the same as vanished.
      }
    }
    Atomics.store(state, 0, 2);
    parentPort?.postMessage(0);
  });
}
