/**
 * The beginning of a text file as plain text, for fronts that hand out contents without line numbers. Never half a character.
 * Refuses what is no text: a NUL, or bytes that only a guess could make characters of.
 */
import type { OpenFile } from "../../contract/index.ts";
import { kindOf } from "./read-kind.ts";
import { decodeText, detectEncoding, looksWide, showable } from "./text/encoding.ts";

interface TextHead {
  readonly text: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly truncated: boolean;
  /** Writing the text again gives the same bytes. */
  readonly exact: boolean;
}

/** Controls that no text file holds; a tab, line breaks, a bell, backspace and escape do occur. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
const notInText = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f\ufffe\uffff]/;
/** Bytes that no encoding explains; a character that was cut leaves up to three at the end. */
const cutCharacter = /[\udc80-\udcff]{1,3}$/;
const stray = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** Below it an encoding was only guessed: the same bytes read as well in another one, and noise reads like that too. */
const minConfidence = 0.7;

/** `undefined` if it is no text. */
export async function textHead(file: OpenFile, maxBytes: number): Promise<TextHead | undefined> {
  const { size } = file.stat;
  // Some files say nothing of their size; the others are not asked for bytes beyond it.
  const bytes = await file.read(0, size === 0 ? maxBytes : Math.min(size, maxBytes));
  const partial = bytes.length < size;
  const isWide = looksWide(bytes, partial);
  const { kind, ...more } = kindOf(bytes, isWide) as { kind: string; format?: string };
  if (kind !== "text" && more.format !== "svg") return undefined;
  const { encoding, bom, confidence } = await detectEncoding(bytes, { partial });
  const isHalfWide = isWide && !partial && (bytes.length - bom.length) % 2 === 1;
  if (confidence < minConfidence || isHalfWide) return undefined;
  const body = bytes.subarray(bom.length, isWide && partial ? bytes.length - ((bytes.length - bom.length) % 2) : undefined);
  const decoded = (await decodeText(body, encoding)).text;
  const whole = partial ? decoded.replace(cutCharacter, "").replace(/[\ud800-\udbff]$/, "") : decoded;
  const isGuess = encoding !== "utf-8";
  // Without a mark it was the NULs that spoke for wide characters: they do so beside plain letters, spaces and line breaks alone.
  if (isWide && bom.length === 0 && !/[\t\n\r -~]/.test(whole)) return undefined;
  if (whole.includes("\0") || (isGuess && (notInText.test(whole) || stray.test(whole)))) return undefined;
  return { text: showable(whole), size, truncated: partial, exact: !partial && !stray.test(whole) };
}
