/**
 * Reads a sed script far enough to know which files it touches. GNU sed can write files (`w`, `s///w`), read
 * others (`r`) and start programs (`e`, `s///e`); a script with anything that is not recognised is refused.
 */

export interface SedScript {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** `undefined` when the script is not understood. */
export function readSedScript(script: string): SedScript | undefined {
  const reader = new SedReader(script);
  return reader.read() ? { reads: reader.reads, writes: reader.writes } : undefined;
}

/** Sticky: each takes what it can from one place on. */
const blankOrSemicolon = /[\s;]+/y;
const blank = /\s+/y;
const space = /[ \t]+/y;
const digit = /\d+/y;
const addressFlag = /[IM]+/y;
const letter = /[A-Za-z0-9_]+/y;

class SedReader {
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  private at = 0;

  constructor(private readonly text: string) {}

  read(): boolean {
    let guard = 0;
    while (this.at < this.text.length) {
      guard += 1;
      if (guard > 5_000) return false;
      this.skip(blankOrSemicolon);
      if (this.at >= this.text.length) break;
      if (!this.command()) return false;
    }
    return true;
  }

  /** `pattern` is sticky. */
  private skip(pattern: RegExp): void {
    pattern.lastIndex = this.at;
    if (pattern.test(this.text)) this.at = pattern.lastIndex;
  }

  private command(): boolean {
    if (!this.addresses()) return false;
    this.skip(blank);
    while (this.text[this.at] === "!") {
      this.at += 1;
      this.skip(blank);
    }
    const name = this.text[this.at];
    this.at += 1;
    switch (name) {
      case "#":
        this.line();
        return true;
      case "{":
        return true;
      case "}":
      case "=":
      case "d":
      case "D":
      case "g":
      case "G":
      case "h":
      case "H":
      case "n":
      case "N":
      case "p":
      case "P":
      case "x":
      case "z":
      case "F":
        return this.end();
      case "q":
      case "Q":
      case "l":
      case "L":
        this.skip(space);
        this.skip(digit);
        return this.end();
      case ":":
      case "b":
      case "t":
      case "T":
        this.skip(space);
        // Some seds end a label only at the line's end, others at a semicolon: only a plain word means the same to all.
        this.skip(letter);
        return this.end();
      case "a":
      case "i":
      case "c":
        return this.insertion();
      case "r":
        this.skip(space);
        return this.file(this.reads);
      case "w":
        this.skip(space);
        return this.file(this.writes);
      case "s":
        return this.substitution();
      case "y":
        return this.delimited() && this.rewind() && this.delimited() && this.end();
      default:
        return false;
    }
  }

  private addresses(): boolean {
    if (!this.address()) return true;
    this.skip(space);
    if (this.text[this.at] !== ",") return !this.broken;
    this.at += 1;
    this.skip(space);
    if (/[+~]/.test(this.text[this.at] ?? "")) this.at += 1;
    return this.address() && !this.broken;
  }

  private broken = false;

  private address(): boolean {
    const char = this.text[this.at] ?? "";
    if (/\d/.test(char)) {
      this.skip(digit);
      if (this.text[this.at] === "~") {
        this.at += 1;
        this.skip(digit);
      }
      return true;
    }
    if (char === "$") {
      this.at += 1;
      return true;
    }
    if (char === "/" || char === "\\") {
      if (char === "\\") this.at += 1;
      if (!this.delimited()) {
        this.broken = true;
        return true;
      }
      this.skip(addressFlag);
      return true;
    }
    return false;
  }

  /** From a delimiter to the next one of its kind. */
  private delimited(): boolean {
    const delimiter = this.text[this.at];
    if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") return false;
    this.at += 1;
    while (this.at < this.text.length) {
      const char = this.text[this.at];
      if (char === "\n") return false;
      if (char === "\\") {
        this.at += 2;
        continue;
      }
      if (char === delimiter) {
        this.at += 1;
        return true;
      }
      // Implementations disagree on a delimiter inside a set.
      if (char === "[" && this.setHides(delimiter)) return false;
      this.at += 1;
    }
    return false;
  }

  private setHides(delimiter: string): boolean {
    const next = this.text.indexOf(delimiter, this.at + 1);
    if (next < 0) return false;
    let close = this.at + 1;
    if (this.text[close] === "^") close += 1;
    if (this.text[close] === "]") close += 1;
    for (; close < this.text.length; close += 1) {
      if (this.text[close] === "]") return next < close;
      if (this.text[close] !== "[" || !/[:.=]/.test(this.text[close + 1] ?? "")) continue;
      const end = this.text.indexOf(`${this.text[close + 1]}]`, close + 2);
      if (end > 0) close = end + 1;
    }
    return false;
  }

  /** The end of one part is the beginning of the next. */
  private rewind(): boolean {
    this.at -= 1;
    return true;
  }

  private substitution(): boolean {
    if (!this.delimited() || !this.rewind() || !this.delimited()) return false;
    while (this.at < this.text.length) {
      const flag = this.text[this.at] ?? "";
      if (/[gpiImM0-9]/.test(flag)) this.at += 1;
      else if (flag === "w") {
        this.at += 1;
        this.skip(space);
        return this.file(this.writes);
      } else break;
    }
    return this.end();
  }

  private file(into: string[]): boolean {
    const name = this.line();
    if (name === "") return false;
    into.push(name);
    return true;
  }

  private line(): string {
    const end = this.text.indexOf("\n", this.at);
    const line = end < 0 ? this.text.slice(this.at) : this.text.slice(this.at, end);
    this.at = end < 0 ? this.text.length : end + 1;
    return line;
  }

  private insertion(): boolean {
    this.skip(space);
    let line = this.line();
    // The line goes on behind a backslash that is not itself quoted.
    while ((/\\*$/.exec(line)?.[0].length ?? 0) % 2 === 1 && this.at < this.text.length) line = this.line();
    return true;
  }

  private end(): boolean {
    this.skip(space);
    const char = this.text[this.at];
    if (char === undefined || char === "\n" || char === ";" || char === "}" || char === "#") return true;
    return false;
  }
}
