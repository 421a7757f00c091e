/**
 * Owns windows-1252 (and with it Latin-1) as a mapping of every byte to one character and back: the five bytes
 * the code page leaves open are the control characters of the same number. So any bytes survive decoding.
 */
import type { EncodedText } from "./codec.ts";

/** U+0080–U+009F by byte. */
const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";
const byteOf = new Map([...upper].map((character, index) => [character.charCodeAt(0), 0x80 + index]));

export function decode1252(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  return text.replace(/[\u0080-\u009f]/g, (character) => upper.charAt(character.charCodeAt(0) - 0x80));
}

export function encode1252(text: string): EncodedText {
  const bytes = Buffer.allocUnsafe(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const byte = code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : byteOf.get(code);
    if (byte === undefined) return { ok: false, character: String.fromCodePoint(text.codePointAt(index) ?? code), index };
    bytes[index] = byte;
  }
  return { ok: true, bytes };
}
