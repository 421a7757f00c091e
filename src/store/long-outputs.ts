/**
 * Long outputs of calls that changed nothing, written beside the database, once and as they are: as part
 * of a row they would go through the log page by page, and again at the checkpoint. Every process appends
 * to a file of its own, for making a file costs more than filling it; the row says where the text is.
 */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readSync, statSync, unlinkSync, write } from "node:fs";
import { join } from "node:path";
import type { Result } from "../contract/index.ts";

const longUnits = 16 * 1024;
const maxFileBytes = 64 * 1024 * 1024;
const youngMs = 10 * 60 * 1000;

export interface PackedResult {
  readonly text: string;
  /** Where the output is, when it is not in the text. */
  readonly place: { readonly file: string; readonly at: number; readonly bytes: number } | undefined;
}

export class LongOutputs {
  readonly #directory: string;
  #file: { readonly name: string; readonly fd: number } | undefined;
  #end = 0;
  #writing: Promise<unknown> = Promise.resolve();
  readonly #unwritten = new Map<string, Buffer>();

  constructor(home: string) {
    this.#directory = join(home, "results");
  }

  /** Inside the transaction that settles the call. */
  pack(result: Result, durable: boolean): PackedResult {
    if (durable || result.output.length < longUnits) return { text: JSON.stringify(result), place: undefined };
    const bytes = Buffer.from(result.output);
    if (this.#file === undefined || this.#end > maxFileBytes) this.#begin();
    const { name, fd } = this.#file ?? this.#begin();
    const at = this.#end;
    this.#end += bytes.length;
    this.#write(name, fd, at, bytes);
    return { text: JSON.stringify({ ...result, output: "" }), place: { file: name, at, bytes: bytes.length } };
  }

  unpack({ text, place }: PackedResult): Result {
    const result = JSON.parse(text) as Result;
    if (place === undefined) return result;
    const output = this.#read(place) ?? `[The output of ${place.bytes} bytes is no longer there.]`;
    return { ...result, output };
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

  /** Resolves when everything is in the files. */
  async close(): Promise<void> {
    await this.#writing;
    this.#leave();
  }

  #leave(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) this.#writing = this.#writing.then(() => closeSync(file.fd));
  }

  /** Not waited for: until it is written, whoever asks gets it from memory. Where it cannot be written, only this text is lost. */
  #write(name: string, fd: number, at: number, bytes: Buffer): void {
    const key = `${name} ${at}`;
    this.#unwritten.set(key, bytes);
    this.#writing = Promise.all([this.#writing, writeAll(fd, bytes, at)])
      .catch(() => {})
      .then(() => {
        this.#unwritten.delete(key);
      });
  }

  #begin(): { readonly name: string; readonly fd: number } {
    this.#leave();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const name = randomBytes(12).toString("base64url");
    this.#file = { name, fd: openSync(join(this.#directory, name), "wx", 0o600) };
    this.#end = 0;
    return this.#file;
  }

  #read({ file, at, bytes }: NonNullable<PackedResult["place"]>): string | undefined {
    const unwritten = this.#unwritten.get(`${file} ${at}`);
    if (unwritten !== undefined) return unwritten.toString();
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

async function writeAll(fd: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += await new Promise<number>((resolve, reject) => {
      write(fd, bytes, done, bytes.length - done, at + done, (error, count) => (error === null ? resolve(count) : reject(error)));
    });
}

function ignoringMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
