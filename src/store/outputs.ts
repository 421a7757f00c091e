/**
 * Stored outputs (C8): a stream of text kept in a file of its own, readable by page within its session.
 * Above the quota the first 80 % and the last 20 % of the quota stay; every byte is counted. What is
 * kept begins and ends between characters.
 *
 * The file holds the head, and behind it the tail as a ring that is written over again and again; the
 * row says how much of both there is, and never more than the file holds. Text is buffered up to one
 * chunk, and the row may be a moment behind: an output is there for everybody when the call that
 * wrote it is.
 */
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { OutputPage, OutputWriter } from "../contract/index.ts";
import { cutAfter, cutBefore, endsInHalf } from "./characters.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { failureOf, storeFailure } from "./failures.ts";

export const defaultOutputQuotaBytes = 64 * 1024 * 1024;
export const outputChunkBytes = 256 * 1024;
const sliceUnits = 64 * 1024;
/** In UTF-8, of a UTF-16 unit. */
const maxBytesAUnit = 3;
const headShare = 0.8;

/** Where the bytes of an output are: `[0, head)` and `[tail, total)` are kept, the ring begins at `base` in the file. */
interface Layout {
  readonly total: number;
  readonly head: number;
  readonly tail: number;
  readonly base: number;
  readonly ring: number;
}

interface Counts {
  readonly total: number;
  readonly kept: number;
}

export class StoredOutput implements OutputWriter {
  readonly ref = `out_${randomBytes(15).toString("base64url")}`;
  readonly #context: StoreContext;
  readonly #sessionId: string;
  readonly #createdAt: number;
  #layout: Layout;
  #file: FileHandle | undefined;
  #known = false;
  /** Fills while the spare one is on its way to the disk; two are enough, for no more than one ever is. */
  #chunk: Buffer | undefined;
  #spare: Buffer | undefined;
  #filled = 0;
  /** The first half of a surrogate pair whose second half is in the next piece. */
  #half = "";
  #storing: Promise<void> = Promise.resolve();
  #closing: Promise<Counts> | undefined;

  constructor(context: StoreContext, sessionId: string, quota: number) {
    this.#context = context;
    this.#sessionId = sessionId;
    this.#createdAt = context.now();
    const base = Math.floor(quota * headShare);
    this.#layout = { total: 0, head: 0, tail: 0, base, ring: quota - base };
  }

  /** Resolves when there is room for more: one chunk is on its way to the disk while the next one fills. */
  async write(text: string): Promise<void> {
    if (this.#closing !== undefined) throw storeFailure("output_closed", "This output is closed.", "Create another one.");
    let rest = this.#half === "" ? text : this.#half + text;
    this.#half = "";
    if (endsInHalf(rest)) {
      this.#half = rest.slice(-1);
      rest = rest.slice(0, -1);
    }
    for (let at = 0; at < rest.length; ) {
      let end = Math.min(at + sliceUnits, rest.length);
      if (end < rest.length && endsInHalf(rest.slice(end - 1, end))) end += 1;
      this.#buffer(at === 0 && end === rest.length ? rest : rest.slice(at, end));
      at = end;
      if (this.#filled >= outputChunkBytes) {
        await this.#storing;
        this.#flush();
      }
    }
  }

  close(): Promise<Counts> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<Counts> {
    if (this.#half !== "") this.#buffer(this.#half);
    try {
      this.#flush();
      await this.#storing;
      await this.#alignTail();
      this.#record(true);
      return { total: this.#layout.total, kept: keptOf(this.#layout) };
    } finally {
      await this.#file?.close();
    }
  }

  /** At most a slice and the half of a character. */
  #buffer(text: string): void {
    this.#chunk ??= Buffer.allocUnsafeSlow(outputChunkBytes + maxBytesAUnit * (sliceUnits + 1));
    this.#filled += this.#chunk.write(text, this.#filled);
  }

  /** In order; after a failure every later one fails the same way. */
  #flush(): void {
    if (this.#chunk === undefined || this.#filled === 0) return;
    const bytes = this.#chunk.subarray(0, this.#filled);
    [this.#chunk, this.#spare] = [this.#spare, this.#chunk];
    this.#filled = 0;
    this.#storing = this.#storing.then(async () => {
      try {
        await this.#store(bytes);
      } catch (error) {
        throw failureOf(error, this.#context.directory);
      }
      this.#record(false);
    });
    this.#storing.catch(() => {});
  }

  async #store(bytes: Buffer): Promise<void> {
    const { total, head, base, ring } = this.#layout;
    this.#file ??= await create(this.#context.directory, this.ref);
    // The head ends for good where it first meets its limit.
    const inHead = total === head ? cutBefore(bytes, base - total) : 0;
    if (inHead > 0) await this.#file.write(bytes, 0, inHead, total);
    // Only what the ring can hold at all is worth writing.
    let at = Math.max(inHead, bytes.length - ring);
    while (at < bytes.length) {
      const position = (total + at - (head + inHead)) % ring;
      const length = Math.min(bytes.length - at, ring - position);
      await this.#file.write(bytes, at, length, base + position);
      at += length;
    }
    const now = { total: total + bytes.length, head: head + inHead };
    this.#layout = { ...this.#layout, ...now, tail: Math.max(now.head, now.total - ring) };
  }

  /** The ring's oldest character may have lost its beginning. */
  async #alignTail(): Promise<void> {
    if (this.#file === undefined || this.#layout.tail === this.#layout.head) return;
    const first = await readRange(this.#file, this.#layout, this.#layout.tail, Math.min(this.#layout.tail + 4, this.#layout.total));
    this.#layout = { ...this.#layout, tail: this.#layout.tail + cutAfter(first, 0) };
  }

  #record(last: boolean): void {
    const layout = this.#layout;
    const create = !this.#known;
    this.#known = true;
    this.#context.database.writeSoon(() => this.#save(layout, last, create), 0).catch(() => {});
  }

  #save(layout: Layout, last: boolean, create: boolean): void {
    const { database, owner } = this.#context;
    if (create)
      database.run(
        `INSERT INTO outputs (ref, session_id, owner_id, created_at, total, kept, closed, head, tail, base, ring)
         VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?)`,
        this.ref,
        this.#sessionId,
        owner.id,
        this.#createdAt,
        layout.base,
        layout.ring,
      );
    database.run(
      "UPDATE outputs SET total = ?, kept = ?, closed = ?, head = ?, tail = ? WHERE ref = ?",
      layout.total,
      keptOf(layout),
      last ? 1 : 0,
      layout.head,
      layout.tail,
      this.ref,
    );
  }
}

export async function readOutput(
  { database, directory }: Pick<StoreContext, "database" | "directory">,
  sessionId: string,
  ref: string,
  offset: number,
  limit: number,
): Promise<OutputPage | undefined> {
  const layout = await database.query(() => findLayout(database, sessionId, ref));
  if (layout === undefined) return undefined;
  if (layout.total === 0) return { ref, text: "", offset: 0, total: 0 };
  let file: FileHandle;
  try {
    file = await open(pathOf(directory, ref));
  } catch {
    return undefined;
  }
  try {
    return await readPage(file, layout, ref, offset, limit);
  } finally {
    await file.close();
  }
}

/** A page goes on behind a dropped middle and says so where it was. */
async function readPage(file: FileHandle, layout: Layout, ref: string, offset: number, limit: number): Promise<OutputPage> {
  const { total, head, tail } = layout;
  const wanted = Math.max(1, Math.floor(limit));
  let from = Math.min(Math.max(0, Math.floor(offset)), total);
  let position = from;
  let left = wanted;
  let text = "";
  const parts =
    head === tail
      ? [{ start: 0, end: total }]
      : [
          { start: 0, end: head },
          { start: tail, end: total },
        ];
  for (const part of parts) {
    if (part.end <= position) continue;
    if (part.start > position) {
      text += `\n[${part.start - position} bytes are not kept here: the output was over its quota]\n`;
      position = part.start;
    }
    // Four bytes more on either side show where the characters end.
    const bytes = await readRange(file, layout, position, Math.min(part.end, position + left + 8));
    const first = cutAfter(bytes, 0);
    if (text === "" && left === wanted) from = position + first;
    let end = cutBefore(bytes, first + left);
    // A limit below one character still gets on.
    if (end <= first && left === wanted) end = cutAfter(bytes, first + 1);
    if (end <= first) break;
    text += bytes.toString("utf8", first, end);
    left -= end - first;
    position += end;
    if (position < part.end || left <= 0) break;
  }
  return { ref, text, offset: from, ...(position > from && position < total ? { next: position } : {}), total };
}

/** The kept bytes `[from, to)`; they lie within the head or within the tail, or go over from one to the other without a gap. */
async function readRange(file: FileHandle, { head, base, ring }: Layout, from: number, to: number): Promise<Buffer> {
  const bytes = Buffer.alloc(to - from);
  for (let at = from; at < to; ) {
    const inRing = (at - head) % ring;
    const [position, length] = at < head ? [at, Math.min(to, head) - at] : [base + inRing, Math.min(to - at, ring - inRing)];
    const { bytesRead } = await file.read(bytes, at - from, length, position);
    if (bytesRead === 0) return bytes.subarray(0, at - from);
    at += bytesRead;
  }
  return bytes;
}

/** What is left of outputs whose rows are gone. */
export async function removeOutputFiles(directory: string, refs: readonly string[]): Promise<void> {
  for (const ref of refs) await unlink(pathOf(directory, ref)).catch(() => {});
}

async function create(directory: string, ref: string): Promise<FileHandle> {
  await mkdir(join(directory, "outputs"), { recursive: true, mode: 0o700 });
  return open(pathOf(directory, ref), "wx+", 0o600);
}

function pathOf(directory: string, ref: string): string {
  return join(directory, "outputs", ref);
}

function findLayout(database: Database, sessionId: string, ref: string): Layout | undefined {
  return database.one<Layout>("SELECT total, head, tail, base, ring FROM outputs WHERE ref = ? AND session_id = ?", ref, sessionId);
}

function keptOf({ total, head, tail }: Layout): number {
  return head + total - tail;
}
