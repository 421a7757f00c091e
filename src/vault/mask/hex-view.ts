/**
 * Values in hexadecimal, however the digits are grouped: `5333`, `53 33`, `53:33`, `0x53, 0x33`, `\x53\x33`, one line or many.
 * Stretches that could be such a dump are found by probing; their digits are compared without what stands between them.
 */
import { type Findings, rank, type Window } from "./findings.ts";
import type { PatternSet } from "./pattern-set.ts";

export function hexOf(value: string): string {
  return Buffer.from(value.trim(), "utf8").toString("hex");
}

const digit = 1;
const between = 2;
const kinds = new Uint8Array(256);
for (const char of "0123456789abcdefABCDEF") kinds[char.charCodeAt(0)] = digit;
for (const char of " \t\r\n:-,\\xX") kinds[char.charCodeAt(0)] = between;

export function findHex(window: Window, patterns: PatternSet<string>, findings: Findings): void {
  if (patterns.size === 0) return;
  const { text, bytes, from, final } = window;
  // No value has fewer digits, so every stretch worth a look covers a multiple of that.
  const probeEvery = patterns.shortest;
  let at = Math.min(from + probeEvery - 1, text.length);
  while (at < text.length) {
    if (kinds[bytes[at] as number] === 0) {
      at += probeEvery;
      continue;
    }
    let start = at;
    while (start > from && kinds[bytes[start - 1] as number] !== 0) start -= 1;
    let digits = 0;
    let end = start;
    for (; end < text.length; end++) {
      const kind = kinds[bytes[end] as number];
      if (kind === 0) break;
      if (kind === digit) digits += 1;
    }
    if (digits >= probeEvery && (end < text.length || final)) readStretch(window, start, end, patterns, findings);
    at = end + probeEvery;
  }
  if (final) return;
  let start = text.length;
  while (start > from && kinds[bytes[start - 1] as number] !== 0) start -= 1;
  if (start < text.length) readStretch(window, start, text.length, patterns, findings);
}

/** A stretch is cut into runs of digits with proper separators; each run is searched. */
function readStretch(window: Window, start: number, end: number, patterns: PatternSet<string>, findings: Findings): void {
  const { text } = window;
  const run = new DigitRun(end - start);
  const touchesEnd = !window.final && end === text.length;
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (isDigit(code) && !isZeroX(text, at)) {
      // A last zero may still become `0x`, that is no digit at all.
      if (code === zero && touchesEnd && at + 1 === end) run.hold(patterns, findings);
      run.push(code, at);
      at += 1;
      continue;
    }
    const next = afterSeparator(text, at, end);
    if (next < end && isDigit(text.charCodeAt(next)) && !isZeroX(text, next)) {
      at = next;
      continue;
    }
    if (touchesEnd && next === end) break;
    run.search(patterns, findings);
    run.clear();
    at = Math.max(next, at + 1);
  }
  run.search(patterns, findings);
  if (touchesEnd) run.hold(patterns, findings);
}

const zero = 0x30;

function isDigit(code: number): boolean {
  return code < 128 && kinds[code] === digit;
}

function isZeroX(text: string, at: number): boolean {
  return text.charCodeAt(at) === zero && (text.charCodeAt(at + 1) | 0x20) === 0x78;
}

/**
 * Behind what may stand between two bytes: blanks, `:`, `-`, a comma with a blank, a line break with indentation,
 * each before `0x`; or `\x`. Answers `at` when there is nothing of the kind, and `end` when the text ends inside of it.
 */
function afterSeparator(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code === 0x5c) return at + 1 === end || text[at + 1] === "x" ? Math.min(at + 2, end) : at;
  let next = at;
  if (code === 0x3a || code === 0x2d) next += 1;
  else if (code === 0x2c) next = overBlanks(text, at + 1, end, 1);
  else if (code === 0x0a) next = overBlanks(text, at + 1, end, 16);
  else if (code === 0x0d) next = at + 1 === end ? end : text[at + 1] === "\n" ? overBlanks(text, at + 2, end, 16) : at;
  else next = overBlanks(text, at, end, 4);
  return next < end && isZeroX(text, next) ? next + 2 : next;
}

function overBlanks(text: string, at: number, end: number, most: number): number {
  let next = at;
  while (next < end && next - at < most && (text[next] === " " || text[next] === "\t")) next += 1;
  return next;
}

/** Hexadecimal digits without what stands between them, and where each of them stands. */
class DigitRun {
  readonly #digits: Buffer;
  readonly #places: Int32Array;
  #length = 0;

  constructor(capacity: number) {
    this.#digits = Buffer.allocUnsafe(capacity + 8);
    this.#places = new Int32Array(capacity);
  }

  push(code: number, place: number): void {
    this.#digits[this.#length] = code > 0x40 ? code | 0x20 : code;
    this.#places[this.#length] = place;
    this.#length += 1;
  }

  clear(): void {
    this.#length = 0;
  }

  search(patterns: PatternSet<string>, findings: Findings): void {
    if (this.#length < patterns.shortest) return;
    patterns.scan(this.#text(), this.#digits, 0, (first, end, label) => {
      if (this.#inWholeBytes(first, end))
        findings.add({ start: this.#place(first), end: this.#place(end - 1) + 1, label, rank: rank.variable });
    });
  }

  /** More digits could make a value of the last ones. */
  hold(patterns: PatternSet<string>, findings: Findings): void {
    if (this.#length === 0) return;
    const first = patterns.openFrom(this.#text(), 0, (start) => this.#inWholeBytes(start, this.#length));
    if (first < this.#length) findings.hold(this.#place(first));
  }

  #text(): string {
    return this.#digits.toString("latin1", 0, this.#length);
  }

  #place(index: number): number {
    return this.#places[index] ?? 0;
  }

  /** Separators stand between bytes, never inside one. */
  #inWholeBytes(first: number, end: number): boolean {
    for (let index = first + 1; index < end; index += 2) if (this.#place(index) !== this.#place(index - 1) + 1) return false;
    return true;
  }
}
