/**
 * Collects what a command prints in constant memory: each stream keeps its first 80 % and last 20 %,
 * binary output becomes a note, and what was cut is counted exactly and kept whole elsewhere.
 */
import { StringDecoder } from "node:string_decoder";
import type { OutputSink, Truncation } from "../../contract/index.ts";
import { binaryName } from "./binary-output.ts";

const stdoutLimit = 200 * 1024;
const stderrLimit = 56 * 1024;
const headShare = 0.8;
const sniffBytes = 512;

export interface CollectedOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Both, stderr lines prefixed, as a model reads it. */
  readonly text: string;
  readonly truncated?: Truncation;
}

export class CommandOutput {
  readonly #stdout = new Stream(stdoutLimit);
  readonly #stderr = new Stream(stderrLimit);
  readonly #open: () => Promise<OutputSink>;
  readonly #onLine: (line: string) => void;
  /** Everything so far, until it is more than a model may read; from then on it goes to the sink. */
  #early: string[] | undefined = [];
  #earlyBytes = 0;
  #sink: Promise<OutputSink> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(open: () => Promise<OutputSink>, onLine: (line: string) => void) {
    this.#open = open;
    this.#onLine = onLine;
  }

  push(name: "stdout" | "stderr", chunk: Uint8Array): void {
    const stream = name === "stdout" ? this.#stdout : this.#stderr;
    const text = stream.push(chunk);
    if (text === "" || stream.binary !== undefined) return;
    const shown = name === "stdout" ? text : prefixed(text, stream.atLineStart);
    stream.atLineStart = text.endsWith("\n");
    this.#onLine(shown);
    this.#keep(shown, chunk.length);
  }

  async finish(): Promise<CollectedOutput> {
    const stdout = this.#stdout.finish("stdout");
    const stderr = this.#stderr.finish("stderr");
    const text = [stdout, prefixed(stderr, true)].filter((part) => part !== "").join(stdout.endsWith("\n") || stdout === "" ? "" : "\n");
    if (!this.#sink) return { stdout, stderr, text };
    await this.#writing;
    const { ref, total } = await (await this.#sink).close();
    const shown = this.#stdout.shown + this.#stderr.shown;
    const note = `\n[${total - shown} of ${total} bytes were left out above; the whole is under ReadOutput {"ref": "${ref}"}]`;
    return { stdout, stderr, text: text + note, truncated: { shown, total, ref } };
  }

  #keep(text: string, bytes: number): void {
    if (this.#early) {
      this.#early.push(text);
      this.#earlyBytes += bytes;
      if (!this.#stdout.overflowing && !this.#stderr.overflowing && this.#earlyBytes <= stdoutLimit + stderrLimit) return;
      const all = this.#early.join("");
      this.#early = undefined;
      this.#write(all);
    } else this.#write(text);
  }

  #write(text: string): void {
    this.#sink ??= this.#open();
    const sink = this.#sink;
    this.#writing = this.#writing.then(async () => (await sink).write(text));
  }
}

class Stream {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #total = 0;
  readonly #decoder = new StringDecoder("utf8");
  #first = Buffer.alloc(0);
  binary: string | undefined;
  atLineStart = true;

  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * headShare);
    this.#tailLimit = limit - this.#headLimit;
  }

  get overflowing(): boolean {
    return this.#total > this.#headLimit + this.#tailLimit;
  }

  /** Bytes that `finish` shows. */
  get shown(): number {
    return this.binary === undefined ? this.#headLength + Math.min(this.#tailLength, this.#tailLimit) : 0;
  }

  /** The text of this chunk, for progress and keeping. */
  push(chunk: Uint8Array): string {
    const bytes = Buffer.from(chunk);
    this.#total += bytes.length;
    if (this.#first.length < sniffBytes && this.binary === undefined) {
      this.#first = Buffer.concat([this.#first, bytes.subarray(0, sniffBytes - this.#first.length)]);
      this.binary = binaryName(this.#first, this.#first.length < sniffBytes);
    }
    if (this.binary !== undefined) return "";
    let rest = bytes;
    if (this.#headLength < this.#headLimit) {
      const part = rest.subarray(0, this.#headLimit - this.#headLength);
      this.#head.push(part);
      this.#headLength += part.length;
      rest = rest.subarray(part.length);
    }
    if (rest.length > 0) {
      this.#tail.push(rest);
      this.#tailLength += rest.length;
      while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= this.#tailLimit) this.#tailLength -= this.#tail.shift()?.length ?? 0;
    }
    return this.#decoder.write(bytes);
  }

  finish(name: string): string {
    if (this.binary !== undefined) return `[${name} is binary: ${this.binary}, ${this.#total} bytes; not shown]`;
    const tail = Buffer.concat(this.#tail);
    const kept = tail.subarray(Math.max(0, tail.length - this.#tailLimit));
    const cut = this.#total - this.#headLength - kept.length;
    const head = Buffer.concat(this.#head);
    if (cut === 0) return Buffer.concat([head, kept]).toString("utf8");
    return `${wholeCharacters(head, "end")}\n[… ${cut} bytes of ${name} left out …]\n${wholeCharacters(kept, "start")}`;
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
  const body = text.replace(/\n(?!$)/g, "\n[stderr] ");
  return atLineStart ? `[stderr] ${body}` : body;
}
