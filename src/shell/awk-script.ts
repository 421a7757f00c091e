/**
 * Reads an awk program far enough to say that it writes no file and starts no program: strings, regular expressions and
 * comments are told from code, and code holds neither a redirection, a pipe nor a word that reaches further. Where a
 * slash may divide or begin an expression, or dialects differ, it does not guess.
 */
const refused = /\b(?:system|getline|ENVIRON|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB|extension)\b|[@`]/;

/** Behind these every dialect expects a value, so that a slash begins an expression. */
const expecting = new Set("print printf return in do else if while for exit".split(" "));
/** Words that some dialect takes for more than a variable: behind them a slash may be either. */
const special = new Set(
  "BEGIN END BEGINFILE ENDFILE function func next nextfile break continue delete switch case default length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper close fflush gensub strftime systime mktime patsplit asort asorti and or xor compl lshift rshift strtonum isarray typeof bindtextdomain dcgettext".split(
    " ",
  ),
);

/** What stands before a slash: a value, so that it divides; nothing, so that an expression begins; or nobody knows. */
type Before = "value" | "nothing" | "unsure";

export function isHarmlessAwk(source: string): boolean {
  return new AwkReader(source).isHarmless();
}

class AwkReader {
  private at = 0;
  private before: Before = "nothing";
  private depth = 0;
  /** How deep in brackets the print at hand began; a `>` no deeper than that redirects it. */
  private printDepth: number | undefined;
  private code = "";

  constructor(private readonly source: string) {}

  isHarmless(): boolean {
    while (this.at < this.source.length) if (!this.step()) return false;
    return !refused.test(this.code);
  }

  private step(): boolean {
    const char = this.source.charAt(this.at);
    if (char === " " || char === "\t") return this.pass(1, this.before);
    if (char === "\n") return this.pass(1, "nothing");
    if (char === "\\") return this.source.charAt(this.at + 1) === "\n" && this.pass(2, this.before);
    if (char === "#") return this.comment();
    if (char === '"') return this.quoted('"') && this.pass(1, "value");
    if (char === "/") return this.slash();
    const word = /[A-Za-z_]\w*|\d[\w.]*|\.\d\w*/y;
    word.lastIndex = this.at;
    const found = word.exec(this.source)?.[0];
    return found === undefined ? this.symbol(char) : this.word(found);
  }

  private pass(length: number, before: Before): boolean {
    this.code += this.source.charAt(this.at) === '"' ? " " : this.source.slice(this.at, this.at + length);
    this.at += length;
    this.before = before;
    return true;
  }

  private comment(): boolean {
    const end = this.source.indexOf("\n", this.at);
    this.at = end < 0 ? this.source.length : end;
    return true;
  }

  /** Stops on the closing mark. */
  private quoted(mark: string): boolean {
    for (this.at += 1; this.at < this.source.length; this.at += 1) {
      const char = this.source.charAt(this.at);
      if (char === "\\") this.at += 1;
      else if (char === mark) return true;
      // Whether a slash in brackets ends an expression depends on the dialect.
      else if (char === "\n" || (mark === "/" && char === "[" && !this.brackets())) return false;
    }
    return false;
  }

  /** Stops on the closing bracket of a set without slashes, backslashes and sets within. */
  private brackets(): boolean {
    const set = /\[\^?\]?(?:\[:\w+:\]|[^\]/\\\n[])*\]/y;
    set.lastIndex = this.at;
    const found = set.exec(this.source)?.[0];
    this.at += (found?.length ?? 1) - 1;
    return found !== undefined;
  }

  private slash(): boolean {
    if (this.before === "unsure") return false;
    if (this.before === "value") return this.pass(1, "nothing");
    if (!this.quoted("/")) return false;
    this.at += 1;
    this.code += " ";
    this.before = "value";
    return true;
  }

  private word(word: string): boolean {
    if (word === "print" || word === "printf") this.printDepth = this.depth;
    return this.pass(word.length, expecting.has(word) ? "nothing" : special.has(word) ? "unsure" : "value");
  }

  private symbol(char: string): boolean {
    const next = this.source.charAt(this.at + 1);
    switch (char) {
      case "(":
      case "[":
        this.depth += 1;
        return this.pass(1, "nothing");
      case ")":
      case "]":
        this.depth -= 1;
        // Behind a condition stands a statement, behind a group an operator.
        return this.pass(1, char === "]" ? "value" : "unsure");
      case ";":
      case "}":
        if (this.printDepth !== undefined && this.depth <= this.printDepth) this.printDepth = undefined;
        return this.pass(1, "nothing");
      case "|":
        return next === "|" && this.pass(2, "nothing");
      case ">":
        return (this.printDepth === undefined || this.depth > this.printDepth) && this.pass(1, "nothing");
      case "+":
      case "-":
        return next === char ? this.pass(2, "unsure") : this.pass(1, "nothing");
      default:
        return /[{,<=!~*%^&?:$]/.test(char) && this.pass(1, "nothing");
    }
  }
}
