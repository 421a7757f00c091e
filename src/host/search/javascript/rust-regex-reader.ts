/** A cursor over a pattern, and the escapes that stand for one character, as ripgrep's syntax has them. */
import type { ToolFailure } from "../../../contract/index.ts";

const named: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", f: "\f", v: "\v", a: "\x07" };

export class PatternReader {
  readonly #text: string;
  readonly #failure: (reason: string, hint?: string) => ToolFailure;
  #at = 0;

  constructor(text: string, failure: (reason: string, hint?: string) => ToolFailure) {
    this.#text = text;
    this.#failure = failure;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character, or the empty string at the end. */
  peek(): string {
    return this.done ? "" : String.fromCodePoint(this.#text.codePointAt(this.#at) as number);
  }

  next(): string {
    const character = this.peek();
    this.#at += character.length;
    return character;
  }

  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes what a sticky expression matches here. */
  match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }

  fail(reason: string, hint?: string): ToolFailure {
    return this.#failure(`${reason} (at character ${this.#at + 1})`, hint);
  }

  /** After a backslash: the one character it stands for. */
  escapedCharacter(): string {
    const hex = this.match(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xuU]\{([0-9a-fA-F]{1,8})\})/y);
    if (hex !== undefined) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? hex[4] ?? "", 16);
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw this.fail("hexadecimal literal is not a Unicode scalar value");
      return String.fromCodePoint(code);
    }
    this.take("\\");
    const character = this.next();
    if (character === "") throw this.fail("incomplete escape sequence, reached end of pattern prematurely");
    if (/[0-9]/.test(character)) throw this.fail("backreferences are not supported");
    const control = named[character];
    if (control !== undefined) return control;
    if (/[a-zA-Z<>]/.test(character) || character > "\x7f") throw this.fail("unrecognized escape sequence");
    return character;
  }
}
