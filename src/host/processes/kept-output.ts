/** Output of a background command in bounded memory: the first and the last bytes stay, what lies between is counted. */
import { KeptEnds } from "../../contract/index.ts";

const headBytes = 800 * 1024;
const tailBytes = 200 * 1024;
const newline = 0x0a;
const stderrMark = Buffer.from("[stderr] ");

export interface KeptPage {
  readonly text: string;
  readonly next: number;
  /** Bytes at the start of the page that are no longer kept. */
  readonly dropped: number;
}

export class KeptOutput {
  readonly #ends = new KeptEnds(headBytes, tailBytes);
  #last: "stdout" | "stderr" = "stdout";
  #atLineStart = true;

  get total(): number {
    return this.#ends.total;
  }

  push(chunk: Uint8Array): void {
    this.#ends.push(chunk);
  }

  /** What a command prints, the lines of stderr marked as in a result; a line never holds both streams. */
  print(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    if (stream !== this.#last && !this.#atLineStart) this.#write(Buffer.of(newline));
    this.#last = stream;
    if (stream === "stdout") return this.#write(chunk);
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(newline, start) + 1 || chunk.length;
      if (this.#atLineStart) this.#write(stderrMark);
      this.#write(chunk.subarray(start, end));
      start = end;
    }
  }

  #write(bytes: Uint8Array): void {
    this.#atLineStart = bytes[bytes.length - 1] === newline;
    this.push(bytes);
  }

  /** From `offset` on, at most `limit` bytes; a page never splits a character that is complete. */
  read(offset: number, limit: number): KeptPage {
    const { total, lost } = this.#ends;
    const head = this.#ends.head();
    const from = Math.min(Math.max(0, offset), total);
    const tailStart = head.length + lost;
    const dropped = from >= head.length && from < tailStart ? tailStart - from : 0;
    const start = from + dropped;
    const source = start < head.length ? head.subarray(start) : this.#ends.tail().subarray(start - tailStart);
    const page = source.subarray(0, limit);
    const cut = cutBytes(page);
    // They belong to the next page; alone, nothing more may follow them.
    const whole = cut < page.length ? page.subarray(0, page.length - cut) : page;
    return { text: whole.toString("utf8"), next: start + whole.length, dropped };
  }
}

/** How many bytes at the end begin a character and do not finish it. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
