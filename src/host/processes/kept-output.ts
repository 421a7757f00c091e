/** Output of a background command in bounded memory: the first and the last bytes stay, what lies between is counted. */
import { KeptEnds, type MaskPage, stderrMark } from "../../contract/index.ts";

const headBytes = 800 * 1024;
const tailBytes = 200 * 1024;
const newline = 0x0a;
const stderrBytes = Buffer.from(stderrMark);

/** How much around a page is looked at. */
const aroundBytes = 64 * 1024;

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
      if (this.#atLineStart) this.#write(stderrBytes);
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

  /** The page without what must not be shown; `goesOn` while more may be printed. */
  readMasked(offset: number, limit: number, mask: MaskPage, goesOn: boolean): KeptPage {
    const page = this.read(offset, limit);
    const { total, lost } = this.#ends;
    const head = this.#ends.head();
    const start = Math.min(Math.max(0, offset), total) + page.dropped;
    const isInHead = start < head.length;
    const from = isInHead || lost === 0 ? 0 : head.length + lost;
    const kept = lost === 0 ? Buffer.concat([head, this.#ends.tail()]) : isInHead ? head : this.#ends.tail();
    const first = Math.max(0, start - from - aroundBytes);
    const after = kept.subarray(page.next - from, page.next - from + aroundBytes);
    const before = kept.toString("utf8", first, start - from);
    const { text, held } = mask({
      // From a whole line on: what a line is tells how it is read.
      before: first === 0 ? before : before.slice(before.indexOf("\n") + 1),
      text: page.text,
      after: after.toString("utf8"),
      goesOn: goesOn && page.next + after.length === total,
    });
    return { ...page, text, next: page.next - Buffer.byteLength(page.text.slice(page.text.length - held)) };
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
