/**
 * Collects what a command prints in constant memory: each stream keeps its beginning and its end by its class,
 * binary output becomes a note, and what was cut is counted exactly and kept whole elsewhere.
 */
import { StringDecoder } from "node:string_decoder";
import { type CommandClass, KeptEnds, keptHeadShare, type LiveText, stderrMark, type Truncation } from "../../contract/index.ts";
import { binaryName } from "./binary-output.ts";

const stdoutLimit = 200 * 1024;
const stderrLimit = 56 * 1024;
const sniffBytes = 512;
/** A command that prints much prints in small pieces, and each costs a look: several go on together, a moment later at the most. */
const handOverLength = 64 * 1024;
const handOverMs = 10;

export interface CollectedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Both, stderr lines prefixed, as a model reads it. */
  readonly text: string;
  readonly truncated?: Truncation;
}

export class CommandOutput {
  readonly #stdout: Stream;
  readonly #stderr: Stream;
  readonly #live: LiveText;
  /** Both streams as they came, not handed over yet. */
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(live: LiveText, kind?: CommandClass) {
    this.#live = live;
    this.#stdout = new Stream(stdoutLimit, keptHeadShare(kind));
    this.#stderr = new Stream(stderrLimit, keptHeadShare(kind));
  }

  /** A promise: nothing more should be pushed before it resolves. */
  push(name: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | undefined {
    const stream = name === "stdout" ? this.#stdout : this.#stderr;
    const text = stream.push(chunk);
    if (text === "") return undefined;
    const shown = name === "stdout" ? text : prefixed(text, stream.atLineStart);
    stream.atLineStart = text.endsWith("\n");
    if (stream.overflowing) this.#live.keep();
    this.#waiting += shown;
    if (this.#waiting.length >= handOverLength) return this.#handOver();
    this.#timer ??= setTimeout(() => void this.#handOver(), handOverMs);
    return undefined;
  }

  #handOver(): Promise<void> | undefined {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = "";
    return text === "" ? undefined : this.#live.push(text);
  }

  async finish(): Promise<CollectedOutput> {
    await this.#handOver();
    for (const stream of [this.#stdout, this.#stderr]) await this.#live.push(stream.end());
    const stdout = this.#stdout.finish("stdout");
    const stderr = this.#stderr.finish("stderr");
    const text = [stdout, prefixed(stderr, true)].filter((part) => part !== "").join(stdout.endsWith("\n") || stdout === "" ? "" : "\n");
    const kept = await this.#live.close();
    if (kept === undefined) return { stdout, stderr, text };
    // Of what the command printed: what is kept has its stderr marked.
    const total = this.#stdout.total + this.#stderr.total;
    const shown = total - this.#stdout.lost - this.#stderr.lost;
    const where = kept.kept < kept.total ? `of all of it ${kept.kept} bytes are` : "the whole is";
    const note = `\n[${total - shown} of ${total} bytes were left out above; ${where} under ReadOutput {"ref": "${kept.ref}"}]`;
    return { stdout, stderr, text: text + note, truncated: { shown, total, ref: kept.ref } };
  }
}

class Stream {
  readonly #ends: KeptEnds;
  readonly #limit: number;
  readonly #decoder = new StringDecoder("utf8");
  #first: Uint8Array | undefined = Buffer.alloc(0);
  #binary: string | undefined;
  atLineStart = true;

  constructor(limit: number, headShare: number) {
    const head = Math.floor(limit * headShare);
    this.#ends = new KeptEnds(head, limit - head);
    this.#limit = limit;
  }

  get overflowing(): boolean {
    return this.#binary === undefined && this.#ends.total > this.#limit;
  }

  /** Bytes of text; what is binary is only told of. */
  get total(): number {
    return this.#binary === undefined ? this.#ends.total : 0;
  }

  /** Bytes of text that `finish` does not show. */
  get lost(): number {
    return this.#binary === undefined ? this.#ends.lost : 0;
  }

  /** The text of this chunk, for progress and keeping; nothing of what is binary. */
  push(chunk: Uint8Array): string {
    this.#ends.push(chunk);
    if (this.#first !== undefined) this.#sniff(chunk);
    if (this.#binary !== undefined) return "";
    return this.#decoder.write(chunk as Buffer);
  }

  /** Nothing more comes: the text of a character that was never completed. */
  end(): string {
    if (this.#first !== undefined) this.#binary ??= binaryName(this.#first, false);
    return this.#binary === undefined ? this.#decoder.end() : "";
  }

  finish(name: string): string {
    const { total, lost } = this.#ends;
    if (this.#binary !== undefined) return `[${name} is binary: ${this.#binary}, ${total} bytes; not shown]`;
    const head = this.#ends.head();
    const tail = this.#ends.tail();
    if (tail.length === 0 && lost === 0) return head.toString("utf8");
    if (lost === 0) return Buffer.concat([head, tail]).toString("utf8");
    // In plain ASCII, so that text of nothing else stays text of one byte a character.
    return `${wholeCharacters(head, "end")}\n[... ${lost} bytes of ${name} left out ...]\n${wholeCharacters(tail, "start")}`;
  }

  #sniff(chunk: Uint8Array): void {
    const seen = this.#first ?? Buffer.alloc(0);
    const more = chunk.subarray(0, sniffBytes - seen.length);
    const first = seen.length === 0 ? more : Buffer.concat([seen, more]);
    // More bytes may tell what kind it is, but never that it is text after all.
    this.#binary = binaryName(first, true) ?? this.#binary;
    this.#first = first.length < sniffBytes ? first : undefined;
  }
}

/** Decodes without the half characters that a cut leaves at one end. */
function wholeCharacters(bytes: Buffer, side: "start" | "end"): string {
  if (side === "end") return new StringDecoder("utf8").write(bytes);
  let start = 0;
  while (start < bytes.length && start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", start);
}

function prefixed(text: string, atLineStart: boolean): string {
  if (text === "") return "";
  const body = text.replace(/\n(?!$)/g, `\n${stderrMark}`);
  return atLineStart ? `${stderrMark}${body}` : body;
}
