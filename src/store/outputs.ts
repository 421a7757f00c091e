/**
 * Stored outputs (C8): a stream of text kept as rows of bytes, readable by page within its session.
 * Above the quota the first 80 % and the last 20 % of the quota stay; every byte is counted. Every
 * row begins and ends between characters.
 *
 * Text is buffered up to one chunk: an output counts as kept when `close` has resolved.
 */
import { randomBytes } from "node:crypto";
import type { OutputPage, OutputWriter } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { storeFailure } from "./failures.ts";

export const defaultOutputQuotaBytes = 64 * 1024 * 1024;
const chunkBytes = 64 * 1024;
const sliceUnits = 16 * 1024;
const headShare = 0.8;

interface Chunk {
  readonly start: number;
  readonly length: number;
}

/** What is in the database of an output that is still being written. */
interface Progress {
  readonly row: number | undefined;
  readonly total: number;
  readonly head: number;
  /** Chunks behind the head, oldest first; about as many as the tail of the quota holds. */
  readonly tail: readonly Chunk[];
}

export class SqliteOutputWriter implements OutputWriter {
  readonly ref = `out_${randomBytes(15).toString("base64url")}`;
  readonly #context: StoreContext;
  readonly #sessionId: string;
  readonly #quota: number;
  readonly #headLimit: number;
  #progress: Progress = { row: undefined, total: 0, head: 0, tail: [] };
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The first half of a surrogate pair whose second half is in the next piece. */
  #half = "";
  #storing: Promise<void> = Promise.resolve();
  #closing: Promise<{ readonly total: number; readonly kept: number }> | undefined;

  constructor(context: StoreContext, sessionId: string, quota: number) {
    this.#context = context;
    this.#sessionId = sessionId;
    this.#quota = quota;
    this.#headLimit = Math.floor(quota * headShare);
  }

  async write(text: string): Promise<void> {
    if (this.#closing !== undefined) throw storeFailure("output_closed", "This output is closed.", "Create another one.");
    let rest = this.#half + text;
    this.#half = "";
    if (endsInHalf(rest)) {
      this.#half = rest.slice(-1);
      rest = rest.slice(0, -1);
    }
    for (let at = 0; at < rest.length; ) {
      let end = Math.min(at + sliceUnits, rest.length);
      if (end < rest.length && endsInHalf(rest.slice(end - 1, end))) end += 1;
      this.#buffer(Buffer.from(rest.slice(at, end)));
      at = end;
      if (this.#pendingBytes >= chunkBytes) await this.#flush(false);
    }
  }

  close(): Promise<{ readonly total: number; readonly kept: number }> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<{ readonly total: number; readonly kept: number }> {
    if (this.#half !== "") this.#buffer(Buffer.from(this.#half));
    await this.#flush(true);
    return { total: this.#progress.total, kept: keptOf(this.#progress) };
  }

  #buffer(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** In order, one transaction a chunk; after a failure every later one fails the same way. */
  #flush(last: boolean): Promise<void> {
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#storing = this.#storing.then(async () => {
      this.#progress = await this.#context.database.write(false, () => this.#store(bytes, last));
    });
    return this.#storing;
  }

  #store(bytes: Buffer, last: boolean): Progress {
    const { database } = this.#context;
    let { row = this.#insertRow(), total, head, tail } = this.#progress;
    // The head ends for good where it first meets its limit.
    const inHead = total === head ? cutBefore(bytes, this.#headLimit - total) : 0;
    if (inHead > 0) insertChunk(database, row, total, bytes.subarray(0, inHead));
    if (inHead < bytes.length) {
      const chunk = { start: total + inHead, length: bytes.length - inHead };
      insertChunk(database, row, chunk.start, bytes.subarray(inHead));
      tail = [...tail, chunk];
    }
    head += inHead;
    total += bytes.length;
    if (total > this.#quota) tail = trimTail(database, row, tail, total - (this.#quota - this.#headLimit), last);
    const progress = { row, total, head, tail };
    database.run("UPDATE outputs SET total = ?, kept = ?, closed = ? WHERE n = ?", total, keptOf(progress), last ? 1 : 0, row);
    return progress;
  }

  #insertRow(): number {
    const { database, owner, now } = this.#context;
    const inserted = database.one<{ n: number }>(
      "INSERT INTO outputs (ref, session_id, owner_id, created_at, total, kept, closed) VALUES (?, ?, ?, ?, 0, 0, 0) RETURNING n",
      this.ref,
      this.#sessionId,
      owner.id,
      now(),
    );
    if (inserted === undefined) throw new Error("SQLite gave no row number");
    return inserted.n;
  }
}

/** Drops the chunks before `from`; at the end the one that lies across it is cut, so that the tail has its exact size. */
function trimTail(database: Database, row: number, tail: readonly Chunk[], from: number, last: boolean): readonly Chunk[] {
  const kept = tail.filter((chunk) => chunk.start + chunk.length > from);
  for (const chunk of tail.slice(0, tail.length - kept.length)) deleteChunk(database, row, chunk.start);
  const first = kept[0];
  if (!last || first === undefined || first.start >= from) return kept;
  const stored = database.one<{ bytes: Uint8Array }>("SELECT bytes FROM output_chunks WHERE n = ? AND start = ?", row, first.start);
  if (stored === undefined) throw new Error(`chunk ${first.start} of an output is gone`);
  const cut = boundaryAfter(stored.bytes, from - first.start);
  deleteChunk(database, row, first.start);
  if (cut === first.length) return kept.slice(1);
  insertChunk(database, row, first.start + cut, stored.bytes.subarray(cut));
  return [{ start: first.start + cut, length: first.length - cut }, ...kept.slice(1)];
}

function keptOf({ head, tail }: Progress): number {
  return tail.reduce((sum, chunk) => sum + chunk.length, head);
}

/** Inside a read transaction. A page goes on behind a dropped middle and says so where it was. */
export function readOutput(database: Database, sessionId: string, ref: string, offset: number, limit: number): OutputPage | undefined {
  const output = database.one<{ n: number; total: number }>(
    "SELECT n, total FROM outputs WHERE ref = ? AND session_id = ?",
    ref,
    sessionId,
  );
  if (output === undefined) return undefined;
  const { n, total } = output;
  const wanted = Math.max(1, Math.floor(limit));
  let from = Math.min(Math.max(0, Math.floor(offset)), total);
  const chunks = database.all<{ start: number; bytes: Uint8Array }>(
    `SELECT start, bytes FROM output_chunks
     WHERE n = ?1 AND start >= coalesce((SELECT max(start) FROM output_chunks WHERE n = ?1 AND start <= ?2), 0) ORDER BY start LIMIT ?3`,
    n,
    from,
    Math.ceil(wanted / chunkBytes) + 4,
  );
  let position = from;
  let left = wanted;
  let text = "";
  for (const { start, bytes } of chunks) {
    if (start + bytes.length <= position) continue;
    if (start > position) {
      text += `\n[${start - position} bytes are not kept here: the output was over its quota]\n`;
      position = start;
    }
    const first = boundaryAfter(bytes, position - start);
    if (text === "" && left === wanted) from = start + first;
    let end = cutBefore(bytes, first + left);
    // A limit below one character still gets on.
    if (end <= first && left === wanted) end = boundaryAfter(bytes, first + 1);
    if (end <= first) break;
    text += Buffer.from(bytes.buffer, bytes.byteOffset + first, end - first).toString("utf8");
    left -= end - first;
    position = start + end;
    if (end < bytes.length || left <= 0) break;
  }
  return { ref, text, offset: from, ...(position > from && position < total ? { next: position } : {}), total };
}

function insertChunk(database: Database, row: number, start: number, bytes: Uint8Array): void {
  database.run("INSERT INTO output_chunks (n, start, bytes) VALUES (?, ?, ?)", row, start, bytes);
}

function deleteChunk(database: Database, row: number, start: number): void {
  database.run("DELETE FROM output_chunks WHERE n = ? AND start = ?", row, start);
}

function endsInHalf(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}

function insideCharacter(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) & 0xc0) === 0x80;
}

/** The last place between characters at or before `at`. */
function cutBefore(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  let cut = Math.max(0, at);
  while (cut > 0 && insideCharacter(bytes, cut)) cut -= 1;
  return cut;
}

/** The first place between characters at or after `at`. */
function boundaryAfter(bytes: Uint8Array, at: number): number {
  let cut = Math.min(at, bytes.length);
  while (cut < bytes.length && insideCharacter(bytes, cut)) cut += 1;
  return cut;
}
