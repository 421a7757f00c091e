/** JSON as it lies in a row: long ones deflated, for a home of many calls is mostly what they printed. */
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";

/** Shorter texts are not worth it. */
const fromLength = 2048;
/** Up to here a small window sees the whole text. Setting up a large one takes longer than deflating so little. */
const smallLength = 4096;
const small = { windowBits: 12, memLevel: 4 } as const;
const maxChunk = 64 * 1024;
/** No JSON text begins like this. */
const mark = "z:";

export function pressed(text: string): string {
  if (text.length < fromLength) return text;
  const { length } = text;
  const window = length <= smallLength ? small : {};
  const deflated = deflateRawSync(text, { level: constants.Z_BEST_SPEED, chunkSize: Math.min(length, maxChunk), ...window });
  const short = mark + deflated.toString("base64");
  return short.length < text.length ? short : text;
}

export function unpressed(text: string): string {
  return text.startsWith(mark) ? inflateRawSync(Buffer.from(text.slice(mark.length), "base64")).toString("utf8") : text;
}
