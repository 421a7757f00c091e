/**
 * Commands that outlive their call (B2): started, listed, read, waited for and stopped by id. Their time
 * limit holds all the same, their output is bounded, and they die with the engine.
 */
import type { MaskPage, TaskOutputPage, TaskRecord, TaskStatus } from "../../contract/index.ts";
import { KeptOutput, type KeptPage } from "./kept-output.ts";
import type { Ended } from "./supervise.ts";

export interface TaskJob {
  readonly title: string;
  /** What is read of its output goes through this. */
  readonly maskPage?: MaskPage | undefined;
  /** Runs the command to its end; `signal` stops it. */
  run(signal: AbortSignal, onOutput: OnTaskOutput): Promise<Ended>;
}

export type OnTaskOutput = (stream: "stdout" | "stderr", chunk: Uint8Array) => void;

/** Keeps a new task under an id of its own. */
export type ClaimTask = (record: Omit<TaskRecord, "id">) => Promise<TaskRecord>;

interface Entry {
  record: TaskRecord;
  readonly output: KeptOutput;
  readonly maskPage: MaskPage | undefined;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly watchers: Set<() => void>;
}

const pageBytes = 64 * 1024;

export class BackgroundTasks {
  readonly #entries = new Map<string, Entry>();
  readonly #onChange: (record: TaskRecord) => void;
  readonly #claim: ClaimTask;

  /** `claim` gives each task an id that no other process uses in this session; without it they are counted from `first` on. */
  constructor(first: number, onChange: (record: TaskRecord) => void, claim?: ClaimTask) {
    let next = first;
    this.#onChange = onChange;
    this.#claim = claim ?? (async (record) => ({ ...record, id: `bg_task_${next++}` }));
  }

  async start(job: TaskJob, output = new KeptOutput()): Promise<TaskRecord> {
    const record = await this.#claim({
      kind: "command",
      title: job.title,
      status: "in_progress",
      startedAt: Date.now(),
      outputBytes: output.total,
    });
    const { id } = record;
    const stop = new AbortController();
    const watchers = new Set<() => void>();
    const entry: Entry = { record, output, maskPage: job.maskPage, stop, watchers, ended: Promise.resolve() };
    this.#entries.set(id, entry);
    const wake = () => {
      for (const watcher of [...watchers]) watcher();
    };
    const running = job
      .run(stop.signal, (stream, chunk) => {
        output.print(stream, chunk);
        wake();
      })
      .then(
        (ended) => this.#settle(entry, statusOf(ended), ended),
        (error: unknown) => {
          output.push(Buffer.from(`\n[${error instanceof Error ? error.message : String(error)}]\n`));
          this.#settle(entry, "failed");
        },
      )
      .finally(wake);
    Object.assign(entry, { ended: running });
    this.#onChange(record);
    return record;
  }

  list(): TaskRecord[] {
    return [...this.#entries.values()].map(current);
  }

  get(id: string): TaskRecord | undefined {
    const entry = this.#entries.get(id);
    return entry && current(entry);
  }

  /** Waits up to `waitMs` for new output or the end. */
  async output(id: string, offset: number, waitMs: number, signal: AbortSignal): Promise<TaskOutputPage | undefined> {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    // What is held back is no news.
    if (waitMs > 0 && isRunning(entry) && pageOf(entry, offset).next <= offset) await news(entry, waitMs, signal);
    const { text, next, dropped } = pageOf(entry, offset);
    return { task: current(entry), text, offset, next, dropped };
  }

  async stop(id: string): Promise<TaskRecord | undefined> {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    entry.stop.abort();
    await entry.ended;
    return current(entry);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.stop(id)));
  }

  #settle(entry: Entry, status: TaskStatus, ended?: Ended): void {
    const stopped = entry.stop.signal.aborted;
    entry.record = {
      ...current(entry),
      status: stopped ? "cancelled" : status,
      endedAt: Date.now(),
      ...(ended === undefined ? {} : { exitCode: ended.exitCode }),
      ...(ended?.timedOut && !stopped ? { timedOut: true } : {}),
    };
    this.#onChange(entry.record);
  }
}

function isRunning({ record }: Entry): boolean {
  return record.status === "in_progress";
}

function pageOf(entry: Entry, offset: number): KeptPage {
  const { output, maskPage } = entry;
  return maskPage === undefined ? output.read(offset, pageBytes) : output.readMasked(offset, pageBytes, maskPage, isRunning(entry));
}

function current({ record, output }: Entry): TaskRecord {
  return { ...record, outputBytes: output.total };
}

function statusOf({ exitCode, timedOut, cancelled }: Ended): TaskStatus {
  if (cancelled) return "cancelled";
  return exitCode === 0 && !timedOut ? "done" : "failed";
}

function news(entry: Entry, waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      entry.watchers.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    entry.watchers.add(done);
    signal.addEventListener("abort", done, { once: true });
  });
}
