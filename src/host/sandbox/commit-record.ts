/**
 * The record of a commit under way: every path with what stood there before and what the commit leaves there. On disk before the
 * first change, one line a path, so that its size is bounded by the disk alone. It exists exactly while a commit may be half done.
 */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { FileImage } from "../../contract/index.ts";

/** What a commit leaves at a path, enough to know it again. */
export type Left =
  | { readonly kind: "absent" }
  | { readonly kind: "directory"; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "pipe"; readonly mode: number }
  /** `hash`: of the bytes in the layer, before the first change. */
  | { readonly kind: "file"; readonly mode: number; readonly hash: string }
  /** The bytes from before under another mode. */
  | { readonly kind: "dressed"; readonly mode: number }
  /** All from before but the time. */
  | { readonly kind: "touched"; readonly mtimeNs: string };

export interface CommitStep {
  /** Absolute. */
  readonly path: string;
  readonly before: FileImage;
  /** In the order in which the commit makes them; empty for a directory of which only the time is kept. */
  readonly leaves: readonly Left[];
}

export interface CommitRecord {
  readonly callId?: string;
  readonly roots: readonly string[];
  readonly steps: readonly CommitStep[];
}

export type RecordHead = Omit<CommitRecord, "steps">;

const recordFile = "commit.jsonl";
const chunkLines = 500;
/** How many steps are read back at a time. */
const stepsAtOnce = 2000;
const blockBytes = 1 << 20;
/** Roots are few, and no path is longer than 4 KiB. */
const headBytes = 256 << 10;

/** Writes a record a few steps at a time. It counts, and is on disk, from `end` on. */
export class RecordWriter {
  readonly #run: string;
  readonly #fd: number;

  constructor(run: string, head: RecordHead) {
    this.#run = run;
    this.#fd = openSync(`${join(run, recordFile)}.new`, "w", 0o600);
    writeSync(this.#fd, `${JSON.stringify(head)}\n`);
  }

  add(steps: readonly CommitStep[]): void {
    for (let at = 0; at < steps.length; at += chunkLines) {
      const lines = steps.slice(at, at + chunkLines).map((step) => `${JSON.stringify(step)}\n`);
      writeSync(this.#fd, lines.join(""));
    }
  }

  end(): void {
    try {
      fsyncSync(this.#fd);
    } finally {
      closeSync(this.#fd);
    }
    const path = join(this.#run, recordFile);
    renameSync(`${path}.new`, path);
    const directory = openSync(this.#run, "r");
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }

  /** Nothing will be applied. */
  abandon(): void {
    closeSync(this.#fd);
    rmSync(`${join(this.#run, recordFile)}.new`, { force: true });
  }
}

/** Of which call and roots it is, without the paths. */
export function readRecordHead(run: string): RecordHead | undefined {
  let fd: number;
  try {
    fd = openSync(join(run, recordFile), "r");
  } catch {
    return undefined;
  }
  try {
    const block = Buffer.alloc(headBytes);
    const text = block.toString("utf8", 0, readSync(fd, block, 0, headBytes, 0));
    return JSON.parse(text.slice(0, text.indexOf("\n"))) as RecordHead;
  } finally {
    closeSync(fd);
  }
}

/** `undefined` if no commit is half done there. */
export function readRecord(run: string): CommitRecord | undefined {
  const head = readRecordHead(run);
  return head === undefined ? undefined : { ...head, steps: [...recordedSteps(run)].flat() };
}

/** Some steps at a time, in their order: all at once may be more than the rest of the process holds. */
export function* recordedSteps(run: string): Generator<readonly CommitStep[]> {
  const lines = linesOf(join(run, recordFile));
  lines.next();
  let steps: CommitStep[] = [];
  for (const line of lines) {
    steps.push(JSON.parse(line) as CommitStep);
    if (steps.length < stepsAtOnce) continue;
    yield steps;
    steps = [];
  }
  if (steps.length > 0) yield steps;
}

function* linesOf(path: string): Generator<string> {
  const fd = openSync(path, "r");
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    let rest = Buffer.alloc(0);
    for (let size = readSync(fd, block, 0, blockBytes, null); size > 0; size = readSync(fd, block, 0, blockBytes, null)) {
      const bytes = Buffer.concat([rest, block.subarray(0, size)]);
      let at = 0;
      for (let end = bytes.indexOf(newline, at); end >= 0; end = bytes.indexOf(newline, at)) {
        yield bytes.toString("utf8", at, end);
        at = end + 1;
      }
      rest = bytes.subarray(at);
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    closeSync(fd);
  }
}

const newline = 0x0a;

export function endRecord(run: string): void {
  rmSync(join(run, recordFile), { force: true });
}
