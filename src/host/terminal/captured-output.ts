/**
 * What one command printed, in bounded memory: the first and the last of its bytes, cleaned once at the end,
 * and the exact number of bytes in all.
 */
import { cleanText } from "./clean-text.ts";

/** Raw bytes kept at each end; more than what is shown, since control sequences vanish. */
const rawHead = 512 * 1024;
const rawTail = 256 * 1024;
/** Characters shown. */
const shownHead = 200 * 1024;
const shownTail = 56 * 1024;

export class CapturedOutput {
  readonly #head: Buffer[] = [];
  #headLength = 0;
  #tail: Buffer[] = [];
  #tailLength = 0;
  #total = 0;

  get total(): number {
    return this.#total;
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length;
    let rest = bytes;
    if (this.#headLength < rawHead) {
      const part = rest.subarray(0, rawHead - this.#headLength);
      this.#head.push(part);
      this.#headLength += part.length;
      rest = rest.subarray(part.length);
    }
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= rawTail) this.#tailLength -= this.#tail.shift()?.length ?? 0;
  }

  /** The last bytes as they came, for looking at a prompt. */
  lastBytes(count: number): Buffer {
    const parts: Buffer[] = [];
    let length = 0;
    for (const list of [this.#tail, this.#head]) {
      for (let at = list.length - 1; at >= 0 && length < count; at--) {
        const part = list[at] ?? Buffer.alloc(0);
        parts.unshift(part);
        length += part.length;
      }
    }
    const all = Buffer.concat(parts);
    return all.subarray(Math.max(0, all.length - count));
  }

  finish(): { readonly text: string; readonly omitted: number; readonly total: number } {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const lost = this.#total - head.length - tail.length;
    if (lost === 0) {
      const text = clean(Buffer.concat([head, tail]));
      if (text.length <= shownHead + shownTail) return { text, omitted: 0, total: this.#total };
      const omitted = text.length - shownHead - shownTail;
      return { text: joined(text.slice(0, shownHead), text.slice(-shownTail), omitted), omitted, total: this.#total };
    }
    const first = clean(head).slice(0, shownHead);
    // The tail starts anywhere: in the middle of a line, a character or a sequence.
    const lineEnd = tail.indexOf(0x0a);
    const last = clean(lineEnd >= 0 && lineEnd < tail.length - 1 ? tail.subarray(lineEnd + 1) : tail).slice(-shownTail);
    const omitted = Math.max(0, this.#total - Buffer.byteLength(first) - Buffer.byteLength(last));
    return { text: joined(first, last, omitted), omitted, total: this.#total };
  }
}

function joined(first: string, last: string, omitted: number): string {
  return `${first}\n[... ${omitted} bytes left out ...]\n${last}`;
}

/** Bytes that are no text become one replacement character a run. */
function clean(bytes: Buffer): string {
  return cleanText(bytes.toString("utf8")).replace(/\ufffd{2,}/g, "\ufffd");
}
