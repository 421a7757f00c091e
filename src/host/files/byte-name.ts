/**
 * Owns the spelling of names that are not UTF-8, so that they can be shown, typed and opened again: a byte that is no
 * text is written as U+FFFD and its two hex digits (`caf\uFFFDe9.txt`). The spelling is exact both ways: a name that
 * really holds U+FFFD before such digits spells that character in bytes itself, so no two names look alike.
 * Escapes stand for bytes from 80 to ff only: no spelling hides a `/`, a dot or a NUL.
 */
import { isUtf8 } from "node:buffer";

/** Names on Windows are text to begin with. */
const areBytes = process.platform !== "win32";
const mark = "\uFFFD";
const escaped = /\uFFFD([89a-f][0-9a-f])/g;
const ambiguous = /\uFFFD(?=[89a-f][0-9a-f])/g;
const spelledMark = `${mark}ef${mark}bf${mark}bd`;

/** What people, models and every other room read. */
export function nameOfBytes(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  if (!areBytes || !text.includes(mark)) return text;
  if (isUtf8(bytes)) return text.replace(ambiguous, spelledMark);
  let name = "";
  let plainFrom = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    name += bytes.toString("utf8", plainFrom, at).replace(ambiguous, spelledMark);
    // Of a mark right before the escape the first digit would be another mark: nothing to tell apart.
    name += mark + (bytes[at] ?? 0).toString(16);
    at += 1;
    plainFrom = at;
  }
  return name + bytes.toString("utf8", plainFrom).replace(ambiguous, spelledMark);
}

/** What the file system takes: the text itself, but for names that no text can be. */
export function systemPath(path: string): string | Buffer {
  if (!areBytes || !path.includes(mark)) return path;
  const parts: Buffer[] = [];
  let from = 0;
  for (const found of path.matchAll(escaped)) {
    parts.push(Buffer.from(path.slice(from, found.index)), Buffer.of(Number.parseInt(found[1] ?? "", 16)));
    from = found.index + found[0].length;
  }
  return from === 0 ? path : Buffer.concat([...parts, Buffer.from(path.slice(from))]);
}

/** A text that Node has decoded, perhaps losing bytes; then the bytes are asked for. */
export function exactly(decoded: string, bytes: () => Buffer): string {
  return decoded.includes(mark) ? nameOfBytes(bytes()) : decoded;
}

/** Length of the UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
