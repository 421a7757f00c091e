/**
 * Sizes and times of many files at once. A listing must be sorted by time, and asking for the times costs more than the walk
 * itself: from some size on, other threads share the work while the walk goes on. All sides claim whole batches; whoever
 * comes first does them, so that a thread that starts late costs nothing.
 */
import { lstatSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { toSystemPath } from "./byte-path.ts";
import { startWorker } from "./javascript/inline-worker.ts";
import { pathOf, type WalkedDirectory, type WalkedFile } from "./walk.ts";

export interface FileTimes {
  /** Pairs of size and time in milliseconds, in the order of the files; a vanished file has the size -1. */
  readonly values: Float64Array;
}

interface Batch extends FileTimes {
  readonly files: readonly WalkedFile[];
  /** 0 free, 1 claimed, 2 done. */
  readonly state: Int32Array;
  /** Who may have claimed it, beside this thread. */
  thread?: ShareThread;
}

const idleMs = 5_000;
/** Fewer files than this are not worth the start of a thread; one that runs already helps with less. */
const shareFrom = 3_000;
const shareRunningFrom = 256;

export class FileTimesQueue {
  readonly #batches: Batch[] = [];
  #waiting = 0;
  /** How many of the batches the threads know of. */
  #shared = 0;

  /** The answer is complete after `finish`. */
  add(files: readonly WalkedFile[]): FileTimes {
    const memory = new SharedArrayBuffer(8 + files.length * 16);
    const batch: Batch = { files, state: new Int32Array(memory, 0, 1), values: new Float64Array(memory, 8) };
    this.#batches.push(batch);
    this.#waiting += files.length;
    if (this.#waiting >= (shareThreads[0]?.runs === true ? shareRunningFrom : shareFrom)) this.#share();
    return batch;
  }

  #share(): void {
    const threads = shareThreads.slice(0, 1 + Math.floor(this.#waiting / shareFrom));
    for (; this.#shared < this.#batches.length; this.#shared++) {
      const batch = this.#batches[this.#shared];
      const thread = threads[this.#shared % threads.length];
      if (batch === undefined || thread === undefined) continue;
      batch.thread = thread;
      thread.post(batch.state.buffer as SharedArrayBuffer, asText(batch.files));
    }
  }

  /** Does what is still free, from the end, and waits for the rest. `rest` is called between batches. */
  async finish(rest: () => Promise<void>): Promise<void> {
    for (let i = this.#batches.length - 1; i >= 0; i--) {
      const { files, values, state } = this.#batches[i] as Batch;
      if (Atomics.compareExchange(state, 0, 0, 1) !== 0) continue;
      fill(files, values);
      Atomics.store(state, 0, 2);
      await rest();
    }
    for (const { files, values, state, thread } of this.#batches) {
      await thread?.settled(state);
      // The thread died while it had the batch.
      if (Atomics.load(state, 0) !== 2) fill(files, values);
    }
    this.#batches.length = 0;
    this.#shared = 0;
  }
}

/** Names after their directory: `dir/ NUL name NUL name NUL NUL dir/ …`. */
function asText(files: readonly WalkedFile[]): string {
  let text = "";
  let last: WalkedDirectory | undefined;
  for (const { directory, name } of files) {
    if (directory !== last) text += last === undefined ? directory.path : `\0\0${directory.path}`;
    text += `\0${name}`;
    last = directory;
  }
  return text;
}

function fill(files: readonly WalkedFile[], values: Float64Array): void {
  for (let i = 0; i < files.length; i++) {
    values[2 * i] = -1;
    try {
      const stat = lstatSync(toSystemPath(pathOf(files[i] as WalkedFile)), { throwIfNoEntry: false });
      if (stat === undefined) continue;
      values[2 * i] = stat.size;
      values[2 * i + 1] = stat.mtimeMs;
    } catch {
      // Not there for us: the same as vanished.
    }
  }
}

/** A thread that is started when first needed and ended when nobody has needed it for a while. */
class ShareThread {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #wake: (() => void)[] = [];

  get runs(): boolean {
    return this.#worker !== undefined;
  }

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

/** Of the process; one processor is left to the walk. */
const shareThreads: readonly ShareThread[] = Array.from(
  { length: Math.min(3, Math.max(1, availableParallelism() - 1)) },
  () => new ShareThread(),
);

/** Runs in the thread; see `startWorker` for what it may use. */
function statWorker(require: NodeJS.Require): void {
  const { lstatSync } = require("node:fs") as typeof import("node:fs");
  const { parentPort } = require("node:worker_threads") as typeof import("node:worker_threads");
  const beyondAscii = /[\x80-\xff]/;
  parentPort?.on("message", ({ memory, paths }: { memory: SharedArrayBuffer; paths: string }) => {
    const state = new Int32Array(memory, 0, 1);
    if (Atomics.compareExchange(state, 0, 0, 1) !== 0) return;
    const values = new Float64Array(memory, 8);
    let i = 0;
    for (const group of paths.split("\0\0")) {
      const names = group.split("\0");
      for (let at = 1; at < names.length; at++, i++) {
        const path = `${names[0]}${names[at]}`;
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
    }
    Atomics.store(state, 0, 2);
    parentPort?.postMessage(0);
  });
}
