/**
 * Calls in Python's notation, as Llama, Gemma and others write them: `[read(path="a", limit=3), list()]`. Owns its literals.
 * Refuses whatever is not a literal, because a name or an expression has no value here, and a parameter that comes twice.
 */
import type { Json } from "../../contract/index.ts";

export interface PythonCall {
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
}

const words: Readonly<Record<string, Json>> = { True: true, False: false, None: null, true: true, false: false, null: null };
const maxDepth = 32;

/** `undefined` if the text is anything but a call or a list of calls. */
export function readPythonCalls(text: string): readonly PythonCall[] | undefined {
  try {
    return new PythonReader(text).calls();
  } catch (error) {
    if (error instanceof NotPython) return undefined;
    throw error;
  }
}

class NotPython extends Error {}

class PythonReader {
  private p = 0;

  constructor(private readonly text: string) {}

  calls(): readonly PythonCall[] {
    const listed = this.take("[");
    const out: PythonCall[] = [];
    do {
      if (listed && this.peek() === "]") break;
      out.push(this.call());
      this.take(";");
    } while (this.take(",") || (!listed && this.peek() !== ""));
    if (listed) this.need("]");
    if (this.peek() !== "" || out.length === 0) throw new NotPython();
    return out;
  }

  private call(): PythonCall {
    this.blanks();
    if (this.follows(/print\s*\(\s*(?=[\p{L}_][\p{L}\p{N}_.]*\s*\()/uy)) {
      const printed = this.call();
      this.need(")");
      return printed;
    }
    this.follows(/[\p{L}_][\p{L}\p{N}_]*\s*=\s*(?=[\p{L}_][\p{L}\p{N}_.]*\s*\()/uy);
    const name = this.match(/[\p{L}_][\p{L}\p{N}_.]*/uy);
    this.need("(");
    const input: Record<string, Json> = Object.create(null) as Record<string, Json>;
    while (this.peek() !== ")") {
      this.blanks();
      const key = this.match(/[\p{L}_][\p{L}\p{N}_]*/uy);
      this.need("=");
      if (Object.hasOwn(input, key)) throw new NotPython();
      input[key] = this.value(0);
      if (!this.take(",")) break;
    }
    this.need(")");
    return { name, input: { ...input } };
  }

  private value(depth: number): Json {
    if (depth > maxDepth) throw new NotPython();
    const next = this.peek();
    if (next === "[" || next === "(") return this.list(next === "[" ? "]" : ")", depth);
    if (next === "{") return this.dictionary(depth);
    if (next === '"' || next === "'") return this.strings();
    const number = /[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
    if (/[-+.\d]/.test(next)) return Number(this.match(number).replaceAll("_", ""));
    const word = this.match(/[A-Za-z]+/y);
    if (/^[rbfu]{1,2}$/i.test(word) || !Object.hasOwn(words, word)) throw new NotPython();
    return words[word] ?? null;
  }

  private list(closer: string, depth: number): Json {
    this.p += 1;
    const items: Json[] = [];
    while (this.peek() !== closer) {
      items.push(this.value(depth + 1));
      if (!this.take(",")) break;
    }
    this.need(closer);
    return items;
  }

  private dictionary(depth: number): Json {
    this.p += 1;
    const entries: [string, Json][] = [];
    while (this.peek() !== "}") {
      const key = this.value(depth + 1);
      if (typeof key !== "string" && typeof key !== "number") throw new NotPython();
      this.need(":");
      entries.push([String(key), this.value(depth + 1)]);
      if (!this.take(",")) break;
    }
    this.need("}");
    return Object.fromEntries(entries);
  }

  /** Strings that follow one another are one. */
  private strings(): string {
    let out = this.string();
    while (this.peek() === '"' || this.peek() === "'") out += this.string();
    return out;
  }

  private string(): string {
    const mark = this.text.charAt(this.p);
    const quote = this.text.startsWith(mark.repeat(3), this.p) ? mark.repeat(3) : mark;
    let from = this.p + quote.length;
    let out = "";
    for (let p = from; p < this.text.length; p += 1) {
      const character = this.text.charAt(p);
      if (character === "\\") {
        const [piece, next] = unescaped(this.text, p);
        out += this.text.slice(from, p) + piece;
        p = next - 1;
        from = next;
      } else if (this.text.startsWith(quote, p)) {
        this.p = p + quote.length;
        return out + this.text.slice(from, p);
      }
    }
    throw new NotPython();
  }

  private blanks(): void {
    while (/\s/.test(this.text.charAt(this.p))) this.p += 1;
  }

  private peek(): string {
    this.blanks();
    return this.text.charAt(this.p);
  }

  private take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.p += 1;
    return true;
  }

  private need(character: string): void {
    if (!this.take(character)) throw new NotPython();
  }

  /** Passes by what matches here, if anything does. */
  private follows(pattern: RegExp): boolean {
    pattern.lastIndex = this.p;
    const found = pattern.exec(this.text)?.[0];
    this.p += found?.length ?? 0;
    return found !== undefined;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.p;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw new NotPython();
    this.p += found.length;
    return found;
  }
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "\\": "\\", "'": "'", '"': '"', "\n": "" };

function unescaped(text: string, at: number): readonly [string, number] {
  const next = text.charAt(at + 1);
  const digits = { x: 2, u: 4, U: 8 }[next];
  if (digits !== undefined) {
    const code = text.slice(at + 2, at + 2 + digits);
    const value = /^[0-9a-f]+$/i.test(code) && code.length === digits ? Number.parseInt(code, 16) : -1;
    if (value >= 0 && value <= 0x10ffff) return [String.fromCodePoint(value), at + 2 + digits];
  }
  const known = Object.hasOwn(escapes, next) ? escapes[next] : undefined;
  return known === undefined ? [`\\${next}`, at + 1 + next.length] : [known, at + 2];
}
