/**
 * Long results of calls that changed nothing, written beside the database, once and as they are: as part
 * of a row they would go through the log page by page, and again at the checkpoint. Every process appends
 * to a file of its own, for making a file costs more than filling it; the row says where the text is.
 * There the output stands as it is, and behind it the rest as JSON, without what it only repeats of the output.
 */
import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readSync, statSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject, Result } from "../contract/index.ts";

const longUnits = 16 * 1024;
/** Shorter texts are not worth looking for. */
const repeatUnits = 1024;
const maxFileBytes = 64 * 1024 * 1024;
const youngMs = 10 * 60 * 1000;

export interface PackedResult {
  readonly text: string;
  /** Where the whole is, when the text is only what is short of it. */
  readonly place: { readonly file: string; readonly at: number; readonly bytes: number } | undefined;
}

/** What the row of a long result says besides where it is. */
interface Layout {
  readonly outputBytes: number;
  /** Texts of the data that the output begins with: how much of it each is. */
  readonly repeats: Readonly<Record<string, number>>;
}

/** What stands behind the output. */
type Rest = Pick<Result, "content" | "data">;

export class LongOutputs {
  readonly #directory: string;
  #file: { readonly name: string; readonly fd: number } | undefined;
  #end = 0;

  constructor(home: string) {
    this.#directory = join(home, "results");
  }

  /** Inside the transaction that settles the call. */
  pack(result: Result, durable: boolean): PackedResult {
    const whole = durable || result.output.length < longUnits ? JSON.stringify(result) : undefined;
    if (whole !== undefined && (durable || whole.length < longUnits)) return { text: whole, place: undefined };
    const { output, content, data, ...short } = result;
    const { repeats, left } = withoutRepeats(data, output);
    const rest: Rest = left === undefined ? { content } : { content, data: left };
    const pieces = [Buffer.from(output), Buffer.from(JSON.stringify(rest))] as const;
    const long: Layout = { outputBytes: pieces[0].length, repeats };
    return { text: JSON.stringify({ ...short, long }), place: this.#append(pieces) };
  }

  unpack({ text, place }: PackedResult): Result {
    const { long, ...row } = JSON.parse(text) as Result & { readonly long?: Layout };
    if (place === undefined) return row;
    const bytes = this.#read(place);
    if (bytes === undefined) return { ...row, content: [], output: `[The output of ${place.bytes} bytes is no longer there.]` };
    // Earlier versions kept only the output there, and the rest in the row.
    if (long === undefined) return { ...row, output: bytes.toString() };
    const output = bytes.toString("utf8", 0, long.outputBytes);
    const rest = JSON.parse(bytes.toString("utf8", long.outputBytes)) as Rest;
    return { ...row, ...rest, output, ...withRepeats(rest.data, long.repeats, output) };
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

  #append(pieces: readonly Buffer[]): NonNullable<PackedResult["place"]> {
    if (this.#file === undefined || this.#end > maxFileBytes) this.#begin();
    const { name, fd } = this.#file ?? this.#begin();
    const at = this.#end;
    for (const bytes of pieces) {
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, this.#end + done);
      this.#end += bytes.length;
    }
    return { file: name, at, bytes: this.#end - at };
  }

  #begin(): { readonly name: string; readonly fd: number } {
    this.close();
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const name = randomBytes(12).toString("base64url");
    this.#file = { name, fd: openSync(join(this.#directory, name), "wx", 0o600) };
    this.#end = 0;
    return this.#file;
  }

  #read({ file, at, bytes }: NonNullable<PackedResult["place"]>): Buffer | undefined {
    return ignoringMissing(() => {
      const fd = openSync(join(this.#directory, file), "r");
      try {
        const buffer = Buffer.allocUnsafe(bytes);
        for (let done = 0; done < bytes; ) {
          const count = readSync(fd, buffer, done, bytes - done, at + done);
          if (count === 0) return undefined;
          done += count;
        }
        return buffer;
      } finally {
        closeSync(fd);
      }
    });
  }

  #names(): readonly string[] {
    return ignoringMissing(() => readdirSync(this.#directory)) ?? [];
  }
}

/** A command's data has once more what its output begins with. */
function withoutRepeats(data: Json | undefined, output: string): { readonly repeats: Layout["repeats"]; readonly left: Json | undefined } {
  const repeats: Record<string, number> = {};
  if (!isObject(data)) return { repeats, left: data };
  const left: Record<string, Json | undefined> = { ...data };
  for (const [key, value] of Object.entries(data)) {
    if (typeof value !== "string" || value.length < repeatUnits || !output.startsWith(value)) continue;
    repeats[key] = value.length;
    left[key] = "";
  }
  return { repeats, left };
}

function withRepeats(left: Json | undefined, repeats: Layout["repeats"], output: string): Pick<Result, "data"> {
  if (!isObject(left)) return {};
  const data: Record<string, Json | undefined> = { ...left };
  for (const [key, length] of Object.entries(repeats)) data[key] = output.slice(0, length);
  return { data };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ignoringMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
