/** Character classes of ripgrep's syntax, written with JavaScript's `v` flag: nested sets, `&&`, `--`, `~~`, Unicode properties. */
import type { PatternReader } from "./rust-regex-reader.ts";

export interface ClassOptions {
  /** False: no class matches `\n`. */
  readonly keepNewline: boolean;
  /** Notes that case matters here; true when both cases must be written out. */
  fold(): boolean;
  /** White space in the pattern is to be passed over. */
  extended(): boolean;
}

const posix: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\u{9}\\u{20}",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "\\u{21}-\\u{7e}",
  lower: "a-z",
  print: "\\u{20}-\\u{7e}",
  punct: "\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}",
  space: "\\u{9}-\\u{d}\\u{20}",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

const perl: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  s: "\\p{White_Space}",
  w: "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}",
};

/** Bytes that are not UTF-8; see `rust-regex.ts`. */
const notText = "\\u{DC80}-\\u{DCFF}";

export class ClassReader {
  readonly #reader: PatternReader;
  readonly #options: ClassOptions;

  constructor(reader: PatternReader, options: ClassOptions) {
    this.#reader = reader;
    this.#options = options;
  }

  /** A whole `[…]`. */
  read(): string {
    this.#reader.take("[");
    return this.#final(this.#body());
  }

  /** `\d`, `\p{…}` and their like outside of brackets; `undefined` for any other escape. */
  escapeOutside(): string | undefined {
    const set = this.#escapedSet();
    return set === undefined ? undefined : this.#final(set);
  }

  #final(set: string): string {
    return this.#options.keepNewline ? set : `[${set}--\\n]`;
  }

  #negated(set: string): string {
    return `[^${set}${notText}]`;
  }

  /** After `[`: up to and with `]`. Operators are of one rank, from left to right. */
  #body(): string {
    const reader = this.#reader;
    const negated = reader.take("^");
    let left: string | undefined;
    let operator = "";
    let union = "";
    let first = true;
    const combine = (): void => {
      const right = `[${union}]`;
      union = "";
      if (left === undefined) left = right;
      else left = operator === "~~" ? `[[${left}--${right}][${right}--${left}]]` : `[${left}${operator}${right}]`;
    };
    for (;;) {
      this.#skipSpace();
      if (reader.done) throw reader.fail("unclosed character class");
      if (!first && reader.take("]")) break;
      const next = ["&&", "--", "~~"].find((sign) => !first && reader.sees(sign));
      if (next !== undefined) {
        reader.take(next);
        combine();
        operator = next;
        continue;
      }
      union += this.#item();
      first = false;
    }
    combine();
    return negated ? this.#negated(left ?? "[]") : (left ?? "[]");
  }

  #item(): string {
    const reader = this.#reader;
    const name = reader.match(/\[:(\^?)([a-z]+):\]/y);
    if (name !== undefined) {
      const set = posix[name[2] as string];
      if (set === undefined) throw reader.fail("unrecognized ASCII class");
      this.#options.fold();
      return name[1] === "^" ? this.#negated(set) : set;
    }
    if (reader.take("[")) return this.#body();
    const set = reader.sees("\\") ? this.#escapedSet() : undefined;
    if (set !== undefined) {
      if (reader.match(/-(?![\]-])/y) !== undefined) throw reader.fail("invalid range boundary, must be a literal");
      return set;
    }
    const from = this.#character();
    if (reader.match(/-(?![\]-])/y) === undefined) return this.#range(from, from);
    this.#skipSpace();
    if (reader.sees("\\") && this.#escapedSet() !== undefined) throw reader.fail("invalid range boundary, must be a literal");
    return this.#range(from, this.#character());
  }

  #character(): string {
    return this.#reader.sees("\\") ? this.#reader.escapedCharacter() : this.#reader.next();
  }

  #range(from: string, to: string): string {
    const low = from.codePointAt(0) as number;
    const high = to.codePointAt(0) as number;
    if (low > high) throw this.#reader.fail("invalid character class range, the start must be <= the end");
    const plain = codes(low, high);
    if (low === high && from.toLowerCase() === from.toUpperCase()) return plain;
    if (!this.#options.fold()) return plain;
    if (low === high)
      return (
        plain +
        [from.toLowerCase(), from.toUpperCase()]
          .filter((c) => [...c].length === 1)
          .map((c) => code(c.codePointAt(0) as number))
          .join("")
      );
    if (high > 0x7f) throw this.#reader.fail("a range beyond ASCII under a partial (?i) needs ripgrep, which is not available here");
    return plain + shifted(low, high, 65, 90, 32) + shifted(low, high, 97, 122, -32);
  }

  #escapedSet(): string | undefined {
    const reader = this.#reader;
    const short = reader.match(/\\([dDsSwW])/y)?.[1];
    if (short !== undefined) {
      const set = `[${perl[short.toLowerCase()]}]`;
      return short === short.toLowerCase() ? set : this.#negated(set);
    }
    const property = reader.match(/\\([pP])(?:\{([^}]*)\}|(\w))/y);
    if (property === undefined) return undefined;
    const [, letter, long, single] = property;
    this.#options.fold();
    const set = `[${this.#property(long ?? single ?? "")}]`;
    return letter === "P" ? this.#negated(set) : set;
  }

  #property(written: string): string {
    const [name = "", value] = written.split(/!?[=:]/);
    const candidates = value === undefined ? [name, `Script=${name}`, `General_Category=${name}`] : [`${name}=${value}`];
    for (const candidate of candidates.flatMap((one) => [one, titled(one)])) {
      if (!/^[\w=]+$/.test(candidate)) continue;
      try {
        new RegExp(`\\p{${candidate}}`, "v");
        return `\\p{${candidate}}`;
      } catch {
        // Not its name in JavaScript.
      }
    }
    throw this.#reader.fail("Unicode property not found");
  }

  #skipSpace(): void {
    if (this.#options.extended()) this.#reader.match(/\s+/y);
  }
}

function titled(name: string): string {
  return name.replace(/[A-Za-z]+/g, (part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase());
}

function shifted(low: number, high: number, from: number, to: number, by: number): string {
  const first = Math.max(low, from);
  const last = Math.min(high, to);
  return first > last ? "" : codes(first + by, last + by);
}

function codes(low: number, high: number): string {
  return low === high ? code(low) : `${code(low)}-${code(high)}`;
}

function code(value: number): string {
  return `\\u{${value.toString(16)}}`;
}
