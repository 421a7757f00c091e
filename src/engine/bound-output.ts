/**
 * The one place that bounds what a model reads (C8): the head and for most the tail, an exact count of what
 * was cut, and the whole kept under a reference. Masks on the way, so nothing clear is ever stored.
 */
import { type CommandClass, keptHeadShare, type Masker, type OutputWriter, type Truncation } from "../contract/index.ts";

export interface BoundedOutput {
  readonly text: string;
  readonly truncated?: Truncation;
}

/** Slices are masked and stored one by one, so that a huge output is never copied whole. */
const sliceLength = 1 << 20;

export async function boundOutput(
  text: string,
  maxBytes: number,
  masker: Masker,
  createOutput: () => Promise<OutputWriter>,
  kind?: CommandClass,
): Promise<BoundedOutput> {
  if (fits(text, maxBytes)) {
    const masked = masker.mask(text);
    if (masked === text || fits(masked, maxBytes)) return { text: masked };
  }
  const writer = await createOutput();
  const stream = masker.stream();
  const headBytes = Math.floor(maxBytes * keptHeadShare(kind));
  const ends = new HeadAndTail(headBytes, maxBytes - headBytes);
  const keep = async (masked: string) => {
    if (masked === "") return;
    ends.push(masked);
    await writer.write(masked);
  };
  for (let at = 0; at < text.length; at += sliceLength) await keep(stream.push(text.slice(at, at + sliceLength)));
  await keep(stream.end());
  const { total } = await writer.close();
  const { head, tail } = ends.cut();
  const shown = Buffer.byteLength(head) + Buffer.byteLength(tail);
  // In plain ASCII: a single other character would make the whole text take twice the room, and more time at every later step.
  const note = `\n\n[... ${total - shown} of ${total} bytes left out here; read them with ReadOutput {"ref": "${writer.ref}", "offset": ${Buffer.byteLength(head)}} ...]\n\n`;
  return { text: head + note + tail, truncated: { shown, total, ref: writer.ref } };
}

/** UTF-8 needs at most three bytes a UTF-16 unit, so short texts are not measured. */
function fits(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes);
}

/** Collects the first and the last bytes of a text that arrives in pieces, in bounded memory. */
class HeadAndTail {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  #head = "";
  #headFull = false;
  #tail = "";

  constructor(headBytes: number, tailBytes: number) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  push(text: string): void {
    let rest = text;
    if (!this.#headFull) {
      const room = this.#headBytes - Buffer.byteLength(this.#head);
      const part = firstBytes(rest, room);
      this.#head += part;
      rest = rest.slice(part.length);
      if (rest === "") return;
      this.#headFull = true;
    }
    this.#tail = lastBytes(this.#tail + rest, this.#tailBytes);
  }

  /** Cut at line ends where one is near, so that no half line misleads. */
  cut(): { head: string; tail: string } {
    const lineEnd = this.#head.lastIndexOf("\n");
    const head = lineEnd > this.#head.length * 0.9 ? this.#head.slice(0, lineEnd + 1) : this.#head;
    const lineStart = this.#tail.indexOf("\n");
    const tail = lineStart >= 0 && lineStart < this.#tail.length * 0.1 ? this.#tail.slice(lineStart + 1) : this.#tail;
    return { head, tail };
  }
}

/** The longest prefix of at most `bytes` bytes that splits no character. */
function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const buffer = Buffer.from(text.slice(0, bytes));
  if (buffer.length <= bytes && text.length <= bytes) return text;
  let end = Math.min(bytes, buffer.length);
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const kept = buffer.toString("utf8", 0, end);
  // A cut surrogate pair encodes as U+FFFD; drop it so that head and rest still join to the original.
  return text.startsWith(kept) ? kept : kept.slice(0, -1);
}

function lastBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const from = Math.max(0, text.length - bytes);
  const unit = text.charCodeAt(from);
  const buffer = Buffer.from(text.slice(unit >= 0xdc00 && unit <= 0xdfff ? from + 1 : from));
  let start = Math.max(0, buffer.length - bytes);
  while (start < buffer.length && ((buffer[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return buffer.toString("utf8", start);
}
