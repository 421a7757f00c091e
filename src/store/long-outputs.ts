/**
 * Long results of calls that changed nothing, written beside the database, once and as they are: as part
 * of a row they would go through the log page by page, and again at the checkpoint. Every process appends
 * to a file of its own, for making a file costs more than filling it; the row says where the text is.
 */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readSync, statSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "../contract/index.ts";

const longUnits = 16 * 1024;
const maxFileBytes = 64 * 1024 * 1024;
const youngMs = 10 * 60 * 1000;

export interface PackedResult {
  readonly text: string;
  /** Where the whole is, when the text is only what is short of it. */
  readonly place: { readonly file: string; readonly at: number; readonly bytes: number } | undefined;
}

export class LongOutputs {
  readonly #directory: string;
  #file: { readonly name: string; readonly fd: number } | undefined;
  #end = 0;

  constructor(home: string) {
    this.#directory = join(home, "results");
  }

  /** Inside the transaction that settles the call. */
  pack(result: Result, durable: boolean): PackedResult {
    const text = JSON.stringify(result);
    if (durable || text.length < longUnits) return { text, place: undefined };
    const bytes = Buffer.from(text);
    if (this.#file === undefined || this.#end > maxFileBytes) this.#begin();
    const { name, fd } = this.#file ?? this.#begin();
    const at = this.#end;
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
    this.#end += bytes.length;
    const { output, data, ...short } = result;
    return { text: JSON.stringify({ ...short, content: [] }), place: { file: name, at, bytes: bytes.length } };
  }

  unpack({ text, place }: PackedResult): Result {
    const short = JSON.parse(text) as Omit<Result, "output"> & { readonly output?: string };
    if (place === undefined) return short as Result;
    const long = this.#read(place);
    if (long === undefined) return { ...short, output: `[The output of ${place.bytes} bytes is no longer there.]` };
    // Earlier versions kept only the output there, as it was, and the rest in the row.
    return short.output === undefined ? (JSON.parse(long) as Result) : { ...short, output: long };
  }

  /** Removes what no row speaks of any more. A young file may belong to a process whose rows are still on their way. */
  sweep(used: ReadonlySet<string>): void {
    const young = Date.now() - youngMs;
    for (const name of this.#names()) {
      if (name === this.#file?.name || used.has(name)) continue;
      const path = join(this.#directory, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && stats.mtimeMs < young) ignoringMissing(() => unlinkSync(path));
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #begin(): { readonly name: string; readonly fd: number } {
    this.close();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const name = randomBytes(12).toString("base64url");
    this.#file = { name, fd: openSync(join(this.#directory, name), "wx", 0o600) };
    this.#end = 0;
    return this.#file;
  }

  #read({ file, at, bytes }: NonNullable<PackedResult["place"]>): string | undefined {
    return ignoringMissing(() => {
      const fd = openSync(join(this.#directory, file), "r");
      try {
        const buffer = Buffer.allocUnsafe(bytes);
        for (let done = 0; done < bytes; ) {
          const count = readSync(fd, buffer, done, bytes - done, at + done);
          if (count === 0) return undefined;
          done += count;
        }
        return buffer.toString();
      } finally {
        closeSync(fd);
      }
    });
  }

  #names(): readonly string[] {
    return ignoringMissing(() => readdirSync(this.#directory)) ?? [];
  }
}

function ignoringMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
