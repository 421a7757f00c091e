/**
 * Reads a regular expression as ripgrep reads it and writes it for JavaScript, so that a search means the same without ripgrep.
 * Classes, boundaries and case are Unicode's, as in ripgrep. A line is the unit unless `multiline`: nothing matches `\n` then.
 * Bytes that are not UTF-8 reach the expression as U+DC80–U+DCFF, which nothing matches.
 * Refuses what ripgrep refuses (look-around, back-references) and says what it cannot express.
 */
import { ToolFailure } from "../../../contract/index.ts";
import { ClassReader } from "./rust-regex-class.ts";
import { PatternReader } from "./rust-regex-reader.ts";

export interface TranslateOptions {
  readonly caseInsensitive: boolean;
  /** The whole file is the text, and `.` matches line ends too. */
  readonly multiline: boolean;
}

export interface JavaScriptPattern {
  readonly source: string;
  readonly flags: string;
  /** It can match nothing at all, somewhere. */
  readonly nullable: boolean;
}

interface Piece {
  readonly source: string;
  readonly nullable: boolean;
}

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  swapGreed: boolean;
  x: boolean;
}

const word = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const textStart = "^";
const textEnd = "$";
const lineStart = "(?:^|(?<=\\n))";
const lineEnd = "(?:$|(?=\\n))";
/** Between the two halves of a character beyond the basic plane there is no position, though the engine may think so. */
const whole = "(?<![\\u{D800}-\\u{DBFF}])";
/** Beside bytes that are not UTF-8 there is no half boundary. */
const text = "(?<![\\u{DC80}-\\u{DCFF}])(?![\\u{DC80}-\\u{DCFF}])";

export function translateRegex(pattern: string, options: TranslateOptions): JavaScriptPattern {
  const first = new Translator(pattern, options, false);
  const plain = first.whole();
  // Case matters differently in different parts: spell both cases out, since JavaScript's flag is for the whole expression.
  const mixed = first.sawFolded && first.sawExact;
  const flags = first.sawFolded && !mixed ? "gvi" : "gv";
  const result = { ...(mixed ? new Translator(pattern, options, true).whole() : plain), flags };
  try {
    new RegExp(result.source, flags);
  } catch (error) {
    throw invalid(pattern, `it cannot be used without ripgrep (${(error as Error).message})`);
  }
  return result;
}

/**
 * How often an expression matches nothing is a question without a good answer (`x*` does between any two bytes), so for one
 * that can match nothing the lines are counted.
 */
export function countsLines(request: TranslateOptions & { readonly pattern: string }): boolean {
  try {
    return translateRegex(request.pattern, request).nullable;
  } catch {
    return false;
  }
}

class Translator {
  sawFolded = false;
  sawExact = false;
  readonly #reader: PatternReader;
  readonly #classes: ClassReader;
  readonly #multiline: boolean;
  readonly #spellCases: boolean;
  readonly #names = new Set<string>();
  #flags: Flags;

  constructor(pattern: string, { caseInsensitive, multiline }: TranslateOptions, spellCases: boolean) {
    this.#reader = new PatternReader(pattern, (reason, hint) => invalid(pattern, reason, hint));
    this.#multiline = multiline;
    this.#spellCases = spellCases;
    this.#flags = { i: caseInsensitive, m: true, s: multiline, swapGreed: false, x: false };
    this.#classes = new ClassReader(this.#reader, { keepNewline: multiline, fold: () => this.#noteCase(), extended: () => this.#flags.x });
  }

  whole(): Piece {
    const piece = this.#alternatives();
    if (!this.#reader.done) throw this.#reader.fail("unopened group");
    return piece;
  }

  #alternatives(): Piece {
    const outer = { ...this.#flags };
    const branches: Piece[] = [];
    let source = "";
    let nullable = true;
    for (;;) {
      this.#skipSpace();
      if (this.#reader.done || this.#reader.sees(")")) break;
      if (this.#reader.take("|")) {
        branches.push({ source, nullable });
        source = "";
        nullable = true;
      } else {
        const piece = this.#repeated();
        source += piece.source;
        nullable &&= piece.nullable;
      }
    }
    branches.push({ source, nullable });
    // Flags set inside a group end with it.
    this.#flags = outer;
    return { source: branches.map((branch) => branch.source).join("|"), nullable: branches.some((branch) => branch.nullable) };
  }

  #repeated(): Piece {
    if (/[*+?{]/.test(this.#reader.peek())) throw this.#reader.fail("repetition operator missing expression");
    let piece = this.#atom();
    for (;;) {
      this.#skipSpace();
      const count = this.#count();
      if (count === undefined) return piece;
      const lazy = this.#reader.take("?") !== this.#flags.swapGreed;
      piece = { source: `(?:${piece.source})${count}${lazy ? "?" : ""}`, nullable: piece.nullable || /^(?:[*?]|\{0\b)/.test(count) };
    }
  }

  #count(): string | undefined {
    for (const sign of ["*", "+", "?"]) if (this.#reader.take(sign)) return sign;
    if (!this.#reader.sees("{")) return undefined;
    const found = this.#reader.match(/\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}/y);
    if (found === undefined) throw this.#reader.fail("repetition quantifier expects a valid decimal");
    const [, least = "", comma, most = ""] = found;
    if (most !== "" && Number(most) < Number(least))
      throw this.#reader.fail("invalid repetition count range, the start must be <= the end");
    return `{${Number(least)}${comma ?? ""}${most === "" ? "" : Number(most)}}`;
  }

  #atom(): Piece {
    const reader = this.#reader;
    if (reader.take("(")) return this.#group();
    const assertion = this.#assertion();
    if (assertion !== undefined) return { source: assertion, nullable: true };
    return { source: this.#oneCharacter(), nullable: false };
  }

  #oneCharacter(): string {
    const reader = this.#reader;
    if (reader.sees("[")) return this.#classes.read();
    if (reader.take(".")) return this.#dot();
    if (reader.sees("\\")) return this.#classes.escapeOutside() ?? this.#literal(reader.escapedCharacter());
    return this.#literal(reader.next());
  }

  #dot(): string {
    return this.#flags.s && this.#multiline ? "[^\\u{DC80}-\\u{DCFF}]" : "[^\\n\\u{DC80}-\\u{DCFF}]";
  }

  #literal(character: string): string {
    if (character === "\n" && !this.#multiline) {
      throw this.#reader.fail('the literal "\\n" is not allowed in a regex', "Set multiline to match across lines.");
    }
    if (character.toLowerCase() === character.toUpperCase()) return escaped(character);
    return this.#noteCase()
      ? `[${[...new Set([character, character.toLowerCase(), character.toUpperCase()])]
          .filter((c) => [...c].length === 1)
          .map(escaped)
          .join("")}]`
      : escaped(character);
  }

  /** Answers whether both cases must be written out here. */
  #noteCase(): boolean {
    if (this.#flags.i) this.sawFolded = true;
    else this.sawExact = true;
    return this.#spellCases && this.#flags.i;
  }

  #assertion(): string | undefined {
    const found = this.#reader.match(/[$^]|\\(?:b\{(?:start|end|start-half|end-half)\}|[bBAz<>])/y)?.[0];
    switch (found) {
      case undefined:
        return undefined;
      case "^":
        return this.#flags.m || !this.#multiline ? lineStart : textStart;
      case "$":
        return this.#flags.m || !this.#multiline ? lineEnd : textEnd;
      case "\\b":
        return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
      case "\\B":
        return `(?:(?<=${word})(?=${word})|${whole}(?<!${word})(?!${word}))`;
      case "\\<":
      case "\\b{start}":
        return `(?<!${word})(?=${word})`;
      case "\\>":
      case "\\b{end}":
        return `(?<=${word})(?!${word})`;
      case "\\b{start-half}":
        return `${whole}${text}(?<!${word})`;
      case "\\b{end-half}":
        return `${whole}${text}(?!${word})`;
      case "\\A":
        return this.#multiline ? textStart : lineStart;
      default:
        return this.#multiline ? textEnd : lineEnd;
    }
  }

  #group(): Piece {
    const reader = this.#reader;
    if (reader.match(/\?<?[=!]/y) !== undefined) {
      throw reader.fail("look-around, including look-ahead and look-behind, is not supported");
    }
    const name = reader.match(/\?P?<([A-Za-z_][\w.[\]]*)>/y)?.[1];
    if (name !== undefined) {
      if (this.#names.has(name)) throw reader.fail("duplicate capture group name");
      this.#names.add(name);
    } else if (reader.sees("?")) {
      const found = reader.match(/\?([imsUxuR]*)(?:-([imsUxuR]+))?([:)])/y);
      if (found === undefined) throw reader.fail("unrecognized flag");
      const [, on = "", off = "", end] = found;
      if (/[R]/.test(on) || off.includes("u")) throw reader.fail("the flags R and -u need ripgrep, which is not available here");
      const changed = { ...this.#flags, ...flagsOf(on, true), ...flagsOf(off, false) };
      if (end === ")") {
        this.#flags = changed;
        return { source: "", nullable: true };
      }
      return this.#closed(changed);
    }
    return this.#closed(this.#flags);
  }

  #closed(flags: Flags): Piece {
    const outer = this.#flags;
    this.#flags = { ...flags };
    const inner = this.#alternatives();
    this.#flags = outer;
    if (!this.#reader.take(")")) throw this.#reader.fail("unclosed group");
    return { source: `(?:${inner.source})`, nullable: inner.nullable };
  }

  #skipSpace(): void {
    if (!this.#flags.x) return;
    this.#reader.match(/(?:\s+|#[^\n]*\n)+/y);
    if (this.#reader.sees("#")) throw this.#reader.fail("a comment must end with its line");
  }
}

function flagsOf(letters: string, value: boolean): Partial<Flags> {
  const flags: Partial<Flags> = {};
  for (const letter of letters) {
    if (letter === "U") flags.swapGreed = value;
    else if (letter === "i" || letter === "m" || letter === "s" || letter === "x") flags[letter] = value;
  }
  return flags;
}

/** Safe inside and outside of classes. */
function escaped(character: string): string {
  return /^[\p{L}\p{N}]$/u.test(character) ? character : `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

function invalid(pattern: string, reason: string, hint?: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", `The pattern ${JSON.stringify(pattern)} is not valid: ${reason}.`, {
    details: { reason: "invalid_regex" },
    ...(hint === undefined ? {} : { hint }),
  });
}
