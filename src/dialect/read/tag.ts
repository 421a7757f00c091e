/**
 * Reads one tag, as tolerantly as models write them: any case, unquoted or smart-quoted attributes, a missing
 * closing quote, `<function=name>`. It refuses whatever is not clearly a tag (`a < b`, `vec<int, 3>`), and tags
 * longer than `maxTagLength`, so that reading stays linear.
 */

import { maxTagLength, type Repair } from "../types.ts";
import { unescapeXml } from "./entities.ts";

export interface Tag {
  /** Lower case, without its prefix. */
  readonly name: string;
  /** `antml:`, `steptml:` or `｜DSML｜`; empty where the name has none. */
  readonly prefix: string;
  /** As written, for names that are parameters. */
  readonly written: string;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  /** Attribute names in lower case; `<function=x>` has its value under "=". */
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
  readonly repairs: readonly Repair[];
}

const noAttributes: ReadonlyMap<string, string> = new Map();
const noRepairs: readonly Repair[] = [];
const openTag: readonly Repair[] = ["missing tag end"];
const closingQuote: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "’": "’", "„": "“", "«": "»" };

/**
 * `more`: the text ends inside what may be a tag. `undefined`: not a tag.
 * `known`: a plain lower-case name that the caller found there, which spares cutting it out again.
 * `barred`: a prefix between bars may stand before the name.
 */
export function readTag(text: string, at: number, final: boolean, known?: string, barred = false): Tag | "more" | undefined {
  const limit = Math.min(text.length, at + maxTagLength);
  const incomplete = final || text.length > limit ? undefined : "more";
  let p = at + 1;
  const closing = text.charCodeAt(p) === 47;
  if (closing) p += 1;
  const bars = barred ? barredPrefix(text, p, final) : 0;
  if (bars === "more") return incomplete;
  p += bars;
  const nameStart = p;
  let plain = true;
  if (known !== undefined) p += known.length;
  while (p < limit) {
    const code = text.charCodeAt(p);
    if (code < 95 || code > 122) {
      if (!isNameCode(code)) break;
      plain &&= code >= 48 && code <= 57;
    }
    p += 1;
  }
  if (p >= limit) return incomplete;
  if (p === nameStart || !startsName(text.charCodeAt(nameStart))) return undefined;
  // Nearly every tag is plain lower case; the rest pays for its spelling.
  const exact = known !== undefined && p === nameStart + known.length;
  const word = exact ? known : text.slice(nameStart, p);
  const colon = plain ? 0 : prefixLength(word.toLowerCase());
  const written = colon === 0 ? word : word.slice(colon);
  const name = plain ? written : written.toLowerCase();
  const prefix = bars > 0 ? barredName : colon === 0 ? "" : word.slice(0, colon).toLowerCase();
  // The common case: no attributes.
  if (text.charCodeAt(p) === 62) {
    return { name, prefix, written, closing, selfClosing: false, attributes: noAttributes, end: p + 1, repairs: noRepairs };
  }
  const attributes = new Map<string, string>();
  const repairs: Repair[] = [];
  if (text.charCodeAt(p) === 61) {
    const stop = text.slice(p, limit).search(/[><\n]/);
    if (stop < 0) return incomplete;
    const value = unquote(text.slice(p + 1, p + stop).trim());
    const whole = text.charAt(p + stop) === ">";
    if (!whole && !/^[\w.:-]+$/.test(value)) return undefined;
    attributes.set("=", value);
    return {
      name,
      prefix,
      written,
      closing,
      selfClosing: false,
      attributes,
      end: p + stop + (whole ? 1 : 0),
      repairs: whole ? noRepairs : openTag,
    };
  }
  for (;;) {
    while (p < limit && isSpace(text.charCodeAt(p))) p += 1;
    if (p >= limit) return incomplete;
    const code = text.charCodeAt(p);
    if (code === 62) return { name, prefix, written, closing, selfClosing: false, attributes, end: p + 1, repairs };
    if (code === 47) {
      if (p + 1 >= limit) return incomplete;
      if (text.charCodeAt(p + 1) !== 62) return undefined;
      return { name, prefix, written, closing, selfClosing: !closing, attributes, end: p + 2, repairs };
    }
    const next = readAttribute(text, p, limit, attributes, repairs, incomplete === undefined);
    if (next === "more") return incomplete;
    if (next === undefined) return undefined;
    p = next;
  }
}

function readAttribute(
  text: string,
  at: number,
  limit: number,
  attributes: Map<string, string>,
  repairs: Repair[],
  final: boolean,
): number | "more" | undefined {
  let p = at;
  while (p < limit && isNameCode(text.charCodeAt(p))) p += 1;
  if (p >= limit) return "more";
  if (p === at || !startsName(text.charCodeAt(at))) return undefined;
  const key = text.slice(at, p).toLowerCase();
  while (p < limit && isSpace(text.charCodeAt(p))) p += 1;
  if (p >= limit) return "more";
  if (text.charCodeAt(p) !== 61) {
    attributes.set(key, "");
    return p;
  }
  p += 1;
  while (p < limit && isSpace(text.charCodeAt(p))) p += 1;
  if (p >= limit) return "more";
  const quote = text.charAt(p);
  const closer = closingQuote[quote];
  if (closer === undefined) return unquotedValue(text, p, limit, key, attributes, repairs);
  const stop = closingIndex(text, p + 1, limit, quote, closer);
  if (stop >= 0 && stop + 1 >= limit && !final) return "more";
  if (stop >= 0 && endsValue(text.charCodeAt(stop + 1))) {
    if (quote !== '"' && quote !== "'") repairs.push("attribute quotes");
    attributes.set(key, unescapeXml(text.slice(p + 1, stop)).text);
    return stop + 1;
  }
  if (stop < 0 && !final) return "more";
  // The closing quote is missing: the value ends where the tag does.
  const close = text.slice(p, limit).indexOf(">");
  if (close < 0) return final ? undefined : "more";
  const slash = text.charCodeAt(p + close - 1) === 47 ? 1 : 0;
  const value = text.slice(p + 1, p + close - slash);
  if (value.includes("<") || value.includes("\n")) return undefined;
  repairs.push("attribute quotes");
  attributes.set(key, unescapeXml(value.trim()).text);
  return p + close - slash;
}

function unquotedValue(
  text: string,
  at: number,
  limit: number,
  key: string,
  attributes: Map<string, string>,
  repairs: Repair[],
): number | "more" | undefined {
  let p = at;
  while (p < limit) {
    const code = text.charCodeAt(p);
    if (code === 62 || isSpace(code)) break;
    if (code === 60) return undefined;
    p += 1;
  }
  if (p >= limit) return "more";
  if (text.charCodeAt(p) === 62 && text.charCodeAt(p - 1) === 47 && p > at) p -= 1;
  repairs.push("attribute quotes");
  attributes.set(key, unescapeXml(text.slice(at, p)).text);
  return p;
}

/** A curly opening quote is often closed by a straight one. */
function closingIndex(text: string, from: number, limit: number, quote: string, closer: string): number {
  // Most values are short: walking to their end is cheaper than cutting out a window.
  if (quote === closer) {
    const code = closer.charCodeAt(0);
    const near = Math.min(limit, from + 64);
    for (let p = from; p < near; p += 1) if (text.charCodeAt(p) === code) return p;
  }
  // Curly quotes are a slip in short values; looking far for their end is not worth it.
  const window = text.slice(from, quote === closer ? limit : Math.min(limit, from + 256));
  let stop = window.indexOf(closer);
  if (quote !== '"' && quote !== "'") {
    const straight = window.indexOf(quote === "‘" || quote === "’" ? "'" : '"');
    if (straight >= 0 && (stop < 0 || straight < stop)) stop = straight;
  }
  return stop < 0 ? -1 : from + stop;
}

function unquote(value: string): string {
  const closer = closingQuote[value.charAt(0)];
  return closer !== undefined && value.length > 1 && value.endsWith(closer) ? value.slice(1, -1) : value;
}

/** Prefixes that models write before the names of their tags. */
export const tagPrefixes = ["antml:", "steptml:"] as const;
const barredName = "｜DSML｜";

/** How much of a word in lower case is such a prefix. */
export function prefixLength(word: string): number {
  const prefix = tagPrefixes.find((one) => word.length > one.length && word.startsWith(one));
  return prefix?.length ?? 0;
}

/** How much of the text at `at` is DeepSeek's prefix between bars. `more`: the text ends inside what may be one. */
export function barredPrefix(text: string, at: number, final: boolean): number | "more" {
  const window = text
    .slice(at, at + barredName.length)
    .replaceAll("|", "｜")
    .toUpperCase();
  if (window === barredName) return barredName.length;
  return !final && window !== "" && barredName.startsWith(window) ? "more" : 0;
}

/** Nothing but blanks in a range, without cutting it out. */
export function isBlankRange(text: string, from: number, to: number): boolean {
  for (let p = from; p < to; p += 1) if (!isSpace(text.charCodeAt(p))) return false;
  return true;
}

/** The word of a list that stands at a range, if it is one, without cutting the range out. */
export function wordAmong(text: string, from: number, to: number, words: readonly string[]): string | undefined {
  const length = to - from;
  for (const word of words) if (word.length === length && text.startsWith(word, from)) return word;
  return undefined;
}

/** A short word in lower case; already so in nearly every case. */
export function lowerSlice(text: string, from: number, to: number): string {
  const word = text.slice(from, to);
  for (let p = from; p < to; p += 1) {
    const code = text.charCodeAt(p);
    if ((code >= 65 && code <= 90) || code > 127) return word.toLowerCase();
  }
  return word;
}

export function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function endsValue(code: number): boolean {
  return Number.isNaN(code) || isSpace(code) || code === 47 || code === 62;
}

function startsName(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127;
}

/** Anything but space and the characters that end a name: < > / = " ' , ; ( ) and quotes of other kinds. */
export function isNameCode(code: number): boolean {
  if (code >= 97 && code <= 122) return true;
  return (
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 58) ||
    code === 95 ||
    code === 45 ||
    code === 46 ||
    (code > 127 && !(code >= 0x2000 && code <= 0x206f) && code !== 0xab && code !== 0xbb && code !== 0x3000)
  );
}
