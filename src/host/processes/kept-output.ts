/** Output of a background command in bounded memory: the first and the last bytes stay, what lies between is counted. */
import { StringDecoder } from "node:string_decoder";

const headBytes = 800 * 1024;
const tailBytes = 200 * 1024;

export interface KeptPage {
  readonly text: string;
  readonly next: number;
  /** Bytes at the start of the page that are no longer kept. */
  readonly dropped: number;
}

export class KeptOutput {
  readonly #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #total = 0;

  get total(): number {
    return this.#total;
  }

  push(chunk: Uint8Array): void {
    let rest = Buffer.from(chunk);
    this.#total += rest.length;
    if (this.#headLength < headBytes) {
      const part = rest.subarray(0, headBytes - this.#headLength);
      this.#head.push(part);
      this.#headLength += part.length;
      rest = rest.subarray(part.length);
    }
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= tailBytes) this.#tailLength -= this.#tail.shift()?.length ?? 0;
  }

  /** From `offset` on, at most `limit` bytes; a page never splits a character that is complete. */
  read(offset: number, limit: number): KeptPage {
    const from = Math.min(Math.max(0, offset), this.#total);
    const tailStart = this.#total - this.#tailLength;
    const dropped = from >= this.#headLength && from < tailStart ? tailStart - from : 0;
    const start = from + dropped;
    const source =
      start < this.#headLength ? Buffer.concat(this.#head).subarray(start) : Buffer.concat(this.#tail).subarray(start - tailStart);
    const page = source.subarray(0, limit);
    const decoder = new StringDecoder("utf8");
    const text = decoder.write(page);
    // Bytes of a cut character belong to the next page, unless nothing more can follow.
    const held = page.length - Buffer.byteLength(text);
    const whole = held > 0 && held < 4 && page.length > held;
    return { text: whole ? text : page.toString("utf8"), next: start + page.length - (whole ? held : 0), dropped };
  }
}
