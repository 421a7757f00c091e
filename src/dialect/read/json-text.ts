/**
 * JSON as models write it. Strict JSON is read by the platform; what is not strict is read by a tolerant reader:
 * single quotes, raw line breaks and unescaped quotes in strings, bare keys, trailing or missing commas, Python
 * words, comments, a missing end. One pass, no recursion, linear. Whatever it mended is reported and the caller marks the
 * call. It refuses text that can be read in more than one way: an object whose keys have no values, or one key twice, escaped
 * quotes as keys.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isSpace } from "./tag.ts";

interface JsonText {
  readonly value: Json;
  /** Something had to be mended. */
  readonly mended: boolean;
  /** The text ended before the value did. */
  readonly cut: boolean;
}

/** `undefined` if there is no value, or if it cannot be told which. */
export function readJson(text: string): JsonText | undefined {
  const value = strictJson(text);
  if (value !== undefined) return repeatsKey(text, value) ? undefined : { value, mended: false, cut: false };
  const unescaped = /^\s*[{[]\s*\\"/.test(text) ? strictJson(text.replaceAll(/\\(["\\])/g, "$1")) : undefined;
  return unescaped === undefined ? new TolerantReader(text).read() : { value: unescaped, mended: true, cut: false };
}

/** Objects deeper than this are not looked through for keys that come twice. */
const maxKeyDepth = 500;

/** An object names a key twice: the text has more keys than the value that the platform made of it. */
function repeatsKey(text: string, value: Json): boolean {
  const keys = countKeys(value, 0);
  // Colons behind quotes are quickly counted, and there are at least as many of them as keys.
  let colons = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let p = at - 1;
    while (isSpace(text.charCodeAt(p))) p -= 1;
    if (text.charCodeAt(p) === 34) colons += 1;
  }
  return colons > keys && writtenKeys(text) > keys;
}

function countKeys(value: Json, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > maxKeyDepth) return Number.POSITIVE_INFINITY;
  let count = 0;
  if (Array.isArray(value)) {
    for (const one of value as readonly Json[]) count += countKeys(one, depth + 1);
    return count;
  }
  for (const key in value as JsonObject) count += 1 + countKeys((value as JsonObject)[key] ?? null, depth + 1);
  return count;
}

function writtenKeys(text: string): number {
  let keys = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    let close = text.indexOf('"', open + 1);
    while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
    if (close < 0) break;
    const [next] = skipSpace(text, close + 1);
    if (text.charCodeAt(next) === 58) keys += 1;
    open = text.indexOf('"', next);
  }
  return keys;
}

function isEscaped(text: string, at: number): boolean {
  let p = at;
  while (text.charCodeAt(p - 1) === 92) p -= 1;
  return (at - p) % 2 === 1;
}

/** Strict only: for places where a guess must not be made. */
export function strictJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

interface Open {
  readonly entries: [string, Json][] | undefined;
  readonly items: Json[];
  key: string | undefined;
}

const quotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "`": "`", "“": "”", "‘": "’" };
const words: Readonly<Record<string, Json>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
  undefined: null,
  NaN: null,
};
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "/": "/", "\\": "\\", '"': '"' };

class TolerantReader {
  private p = 0;
  private cut = false;
  private readonly stack: Open[] = [];
  private result: Json | undefined;
  /** A key without a colon, or with escaped quotes around it: the structure would be a guess. */
  private unsure = false;

  constructor(private readonly text: string) {}

  read(): JsonText | undefined {
    const start = firstOf(this.text, "{[");
    if (start < 0) return undefined;
    this.p = start;
    while (this.p < this.text.length && this.result === undefined && !this.unsure) this.step();
    if (this.unsure) return undefined;
    if (this.result === undefined) {
      this.cut = true;
      while (this.stack.length > 0) this.close();
    }
    return this.unsure || this.result === undefined ? undefined : { value: this.result, mended: true, cut: this.cut };
  }

  private step(): void {
    const { text } = this;
    const code = text.charCodeAt(this.p);
    if (isSpace(code) || code === 44 || code === 58 || code === 0xfeff || code === 0xa0) {
      this.p += 1;
      return;
    }
    const character = text.charAt(this.p);
    if (character === "{" || character === "[") {
      this.stack.push({ entries: character === "{" ? [] : undefined, items: [], key: undefined });
      this.p += 1;
    } else if (character === "}" || character === "]") {
      this.p += 1;
      this.close();
    } else if (text.startsWith("//", this.p) || text.startsWith("/*", this.p)) this.comment();
    else {
      const top = this.stack.at(-1);
      const isKey = top?.entries !== undefined && top.key === undefined;
      const closer = quotes[character];
      const value = closer === undefined ? this.word(isKey) : this.string(closer, isKey, top?.entries !== undefined);
      if (isKey && top !== undefined) this.takeKey(top, String(value), closer === undefined);
      else this.put(value);
    }
  }

  private takeKey(top: Open, key: string, bare: boolean): void {
    const [next] = skipSpace(this.text, this.p);
    const mark = this.text.charAt(next);
    // `=` and `=>` are other languages' colons; at the end of the text the rest is missing.
    if ((mark !== "" && mark !== ":" && mark !== "=") || (bare && key.startsWith("\\"))) this.unsure = true;
    if (mark === "=") this.p = next + (this.text.charAt(next + 1) === ">" ? 2 : 1);
    top.key = key;
  }

  private put(value: Json): void {
    const top = this.stack.at(-1);
    if (top === undefined) this.result = value;
    else if (top.entries === undefined) top.items.push(value);
    else if (top.key !== undefined) {
      top.entries.push([top.key, value]);
      top.key = undefined;
    }
  }

  private close(): void {
    const top = this.stack.pop();
    if (top === undefined) return;
    if (top.entries !== undefined && new Set(top.entries.map(([key]) => key)).size < top.entries.length) this.unsure = true;
    // A key without a value says nothing certain; it is left out and the call is marked anyway.
    this.put(top.entries === undefined ? top.items : Object.fromEntries(top.entries));
  }

  private comment(): void {
    const block = this.text.charAt(this.p + 1) === "*";
    const stop = this.text.indexOf(block ? "*/" : "\n", this.p + 2);
    this.p = stop < 0 ? this.text.length : stop + (block ? 2 : 1);
  }

  private word(isKey: boolean): Json {
    const start = this.p;
    const { text } = this;
    while (this.p < text.length && !isWordEnd(text.charCodeAt(this.p), isKey)) this.p += 1;
    if (this.p === start) this.p += 1;
    const word = text.slice(start, this.p).trim();
    if (isKey) return word;
    const known = Object.hasOwn(words, word) ? words[word] : undefined;
    if (known !== undefined) return known;
    return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word) ? Number(word) : word;
  }

  private string(closer: string, isKey: boolean, inObject: boolean): string {
    const { text } = this;
    let out = "";
    let from = this.p + 1;
    let p = from;
    for (; p < text.length; p += 1) {
      const code = text.charCodeAt(p);
      if (code === 92) {
        const [piece, next] = unescapeAt(text, p);
        out += text.slice(from, p) + piece;
        p = next - 1;
        from = next;
      } else if (text.charAt(p) === closer && this.ends(p + 1, isKey, inObject)) {
        this.p = p + 1;
        return out + text.slice(from, p);
      }
    }
    this.p = p;
    this.cut = true;
    return out + text.slice(from, p);
  }

  /** Is a quote before `after` the end of its string, or a quote somebody forgot to escape? */
  private ends(after: number, isKey: boolean, inObject: boolean): boolean {
    const { text } = this;
    const [p, sawBreak] = skipSpace(text, after);
    const character = text.charAt(p);
    if (character === "") return true;
    if (isKey) return character === ":" || character === "=";
    if (character === "}" || character === "]") return true;
    if (character === ",") {
      const after = skipSpace(text, p + 1)[0];
      const next = text.charAt(after);
      if (text.startsWith("/*", after) || text.startsWith("//", after)) return true;
      if (next === "" || next === "}" || next === "]" || quotes[next] !== undefined) return true;
      return inObject ? /[A-Za-z_]/.test(next) && sawKey(text, p + 1) : /[-\d[{tfnTFN]/.test(next);
    }
    if (inObject && quotedKey.test(text.slice(p, p + 80))) return true;
    return sawBreak && quotes[character] !== undefined;
  }
}

/** A key behind a comma that was forgotten. */
const quotedKey = /^(["'])[A-Za-z_]\w{0,63}\1\s{0,8}:/;

/** A bare key (`word:`) follows. */
function sawKey(text: string, from: number): boolean {
  return /^\s{0,64}[A-Za-z_]\w{0,63}\s{0,8}:/.test(text.slice(from, from + 160));
}

function skipSpace(text: string, from: number): readonly [number, boolean] {
  let p = from;
  let sawBreak = false;
  while (p < text.length && isSpace(text.charCodeAt(p))) {
    if (text.charCodeAt(p) === 10) sawBreak = true;
    p += 1;
  }
  return [p, sawBreak];
}

function unescapeAt(text: string, at: number): readonly [string, number] {
  const next = text.charAt(at + 1);
  if (next === "u") {
    const digits = text.slice(at + 2, at + 6);
    if (/^[0-9a-fA-F]{4}$/.test(digits)) return [String.fromCharCode(Number.parseInt(digits, 16)), at + 6];
    return ["\\u", at + 2];
  }
  const known = Object.hasOwn(escapes, next) ? escapes[next] : undefined;
  if (known !== undefined) return [known, at + 2];
  if (next === "'" || next === "`" || next === "\n") return [next === "\n" ? "" : next, at + 2];
  // `\d` of a regular expression, `C:\temp`: the backslash was meant.
  return [`\\${next}`, at + 1 + next.length];
}

function isWordEnd(code: number, isKey: boolean): boolean {
  if (code === 44 || code === 125 || code === 93 || code === 10) return true;
  return isKey && (code === 58 || isSpace(code));
}

function firstOf(text: string, characters: string): number {
  let best = -1;
  for (const character of characters) {
    const at = text.indexOf(character);
    if (at >= 0 && (best < 0 || at < best)) best = at;
  }
  return best;
}
