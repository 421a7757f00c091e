/**
 * Finds the values of variables in every form they may be printed in. Built once for a list of secrets;
 * a new list needs a new one.
 */
import { base64, isIn, word } from "./char-class.ts";
import { type Findings, rank, type Window } from "./findings.ts";
import { formsOf, shortestMaskable, shortestWord } from "./forms.ts";
import { findHex, hexOf } from "./hex-view.ts";
import { PatternSet, standsAlone } from "./pattern-set.ts";
import { findWrapped } from "./wrapped-view.ts";

export interface Secret {
  readonly name: string;
  readonly value: string;
}

interface Owner {
  readonly label: string;
  readonly tail: boolean;
  /** The value reads like the name of a variable: inside a placeholder it is that name. */
  readonly isName: boolean;
}

export class KnownValues {
  readonly #plain: PatternSet<Owner>;
  readonly #hex: PatternSet<string>;
  readonly #words: PatternSet<Owner>;

  constructor(secrets: readonly Secret[]) {
    const plain = new Map<string, Owner>();
    const hex = new Map<string, string>();
    const words = new Map<string, Owner>();
    const names = new Set(secrets.map(({ name }) => name));
    const put = <T>(map: Map<string, T>, key: string, owner: T) => {
      if (!map.has(key)) map.set(key, owner);
    };
    for (const { name, value } of secrets) {
      const core = value.trim();
      const owner: Owner = { label: `$KARYI{${name}}`, tail: false, isName: core === "KARYI" || names.has(core) };
      if (core.length >= shortestMaskable) put(plain, core, owner);
      else if (core.length >= shortestWord) put(words, core, owner);
    }
    // Plain values first: where the encoded form of one variable is the value of another, the value names it.
    for (const { name, value } of secrets) {
      if (value.trim().length < shortestMaskable) continue;
      const label = `$KARYI{${name}}`;
      const forms = formsOf(value);
      for (const form of forms.plain) put(plain, form, { label, tail: false, isName: false });
      for (const [form, { tail }] of forms.base64) put(plain, form, { label, tail, isName: false });
      put(hex, hexOf(value), label);
    }
    this.#plain = new PatternSet(plain);
    this.#hex = new PatternSet(hex);
    this.#words = new PatternSet(words);
  }

  /** The most characters that can be held back because of a value. */
  get longest(): number {
    return Math.max(this.#plain.longest, this.#hex.longest * 4);
  }

  find(window: Window, findings: Findings): void {
    const { text, bytes, from, final } = window;
    const plain = this.#plain;
    if (plain.size > 0) {
      plain.scan(text, bytes, from, (start, end, owner) => found(window, start, end, owner, findings));
      if (!final) findings.hold(plain.openFrom(text, from));
      findWrapped(window, plain.longest, (joined, open, place) => {
        const joinedBytes = Buffer.from(joined, "latin1");
        plain.scan(joined, joinedBytes, 0, (start, end, { label }) => {
          findings.add({ start: place(start), end: place(end - 1) + 1, label, rank: rank.variable });
        });
        if (!open) return;
        const first = plain.openFrom(joined, 0);
        if (first < joined.length) findings.hold(place(first));
      });
      findHex(window, this.#hex, findings);
    }
    if (this.#words.size > 0) this.#findWords(window, findings);
  }

  #findWords(window: Window, findings: Findings): void {
    const { text, bytes, from, final } = window;
    this.#words.scan(text, bytes, from, (start, end, { label, isName }) => {
      if (end === text.length && !final) findings.hold(start);
      else if (standsAlone(text, start, end, word) && !(isName && inPlaceholder(window, start, end, findings)))
        findings.add({ start, end, label, rank: rank.variable });
    });
    if (!final) findings.hold(this.#words.openFrom(text, from));
  }
}

function found(window: Window, start: number, end: number, owner: Owner, findings: Findings): void {
  const { text, final } = window;
  if (owner.isName && inPlaceholder(window, start, end, findings)) return;
  if (!owner.tail) {
    findings.add({ start, end, label: owner.label, rank: rank.variable });
    return;
  }
  // The last character holds bits of the value and of what follows; padding would only puzzle.
  let whole = end;
  if (whole < text.length && isIn(base64, text.charCodeAt(whole))) whole += 1;
  while (whole < text.length && whole < end + 3 && text.charCodeAt(whole) === 0x3d) whole += 1;
  if (end + 3 > text.length && !final) findings.hold(start);
  findings.add({ start, end: whole, label: owner.label, rank: rank.variable });
}

/** True where the match is only the name in a `$KARYI{NAME}`, or the word KARYI itself in one. */
function inPlaceholder({ text, final }: Window, start: number, end: number, findings: Findings): boolean {
  const named = text.startsWith("$KARYI{", start - 7) && start >= 7;
  const word = text[start - 1] === "$" && text.slice(start, end) === "KARYI";
  if (!named && !word) return false;
  if (end === text.length && !final) findings.hold(start);
  return text[end] === (named ? "}" : "{");
}
