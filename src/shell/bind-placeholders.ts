/**
 * Owns what becomes of `$KARYI{NAME}` in shell text: a quoted expansion of an environment variable, fit for its
 * place, so that no value can split into words or run. `$$KARYI{NAME}` is the literal text. Refuses every place
 * where an expansion would be read as code again: arithmetic, backquotes, `${…}`, command names, `eval`, `bash -c`.
 */
import { extractCommands } from "./extract.ts";

export interface BoundName {
  readonly name: string;
  /** The environment variable that carries the value. */
  readonly variable: string;
}

export interface BoundCommand {
  readonly command: string;
  readonly names: readonly BoundName[];
  /** Why it cannot be bound; empty when it can. */
  readonly problems: readonly string[];
}

const placeholder = /\$\$KARYI\{|\$KARYI\{([A-Za-z_][A-Za-z0-9_]*)\}/y;
const variableOf = (name: string): string => `__KARYI_V_${name}`;

/** Programs whose arguments are read as code. */
const evaluators = new Set(
  "eval source . trap bash sh dash zsh ksh ash fish busybox su ssh script watch parallel xargs find env python python2 python3 node nodejs deno bun perl ruby php awk gawk mawk sed lua tclsh expect osascript make ex vi vim ed at batch crontab".split(
    " ",
  ),
);

export function bindPlaceholders(text: string): BoundCommand {
  if (!text.includes("$KARYI{")) return { command: text, names: [], problems: [] };
  const binder = new Binder(text);
  const command = binder.run();
  const problems = [...binder.problems];
  if (problems.length === 0 && binder.names.size > 0) problems.push(...codeProblems(command));
  return { command, names: [...binder.names].map((name) => ({ name, variable: variableOf(name) })), problems };
}

/** Where the value would be a program's name, or text that a program reads as code. */
function codeProblems(command: string): string[] {
  return extractCommands(command).flatMap(({ name, args, assignments, wrappers, text }) => {
    if (!text.includes(variableOf(""))) return [];
    if (name === undefined) return assignments.length > 0 && args.length === 0 ? [] : ["as the name of a command"];
    const program = [name, ...wrappers].map((one) => one.slice(one.lastIndexOf("/") + 1)).find((one) => evaluators.has(one));
    return program === undefined ? [] : [`inside what ${program} reads as code`];
  });
}

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  /** Where the delimiter stands in the output, to unquote it when its body needs expansion. */
  readonly at: number;
  readonly written: string;
}

type Frame = { readonly kind: "bare"; readonly close: ")" | undefined; depth: number } | { readonly kind: "double" };

class Binder {
  readonly names = new Set<string>();
  readonly problems = new Set<string>();
  readonly #text: string;
  #at = 0;
  #out = "";
  readonly #frames: Frame[] = [{ kind: "bare", close: undefined, depth: 0 }];
  readonly #pending: HereDocument[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    while (this.#at < this.#text.length) {
      const frame = this.#frames.at(-1);
      if (frame?.kind === "double") this.#double();
      else if (frame) this.#bare(frame);
    }
    return this.#out;
  }

  #bare(frame: Extract<Frame, { kind: "bare" }>): void {
    const text = this.#text;
    if (
      this.#bind(
        (variable) => `"\${${variable}}"`,
        (literal) => `'${literal}'`,
      )
    )
      return;
    const character = text[this.#at] ?? "";
    const two = text.slice(this.#at, this.#at + 2);
    if (character === "\\") return this.#copy(2);
    if (two === "$'") return this.#ansi();
    if (character === "'") return this.#single();
    if (two === '$"') return this.#open(2, { kind: "double" });
    if (character === '"') return this.#open(1, { kind: "double" });
    if (text.startsWith("$((", this.#at) || (two === "((" && this.#startsWord())) return this.#opaque("))", "in arithmetic");
    if (two === "$(" || two === "<(" || two === ">(") return this.#open(2, { kind: "bare", close: ")", depth: 0 });
    if (two === "${" || two === "$[") return this.#opaque(two === "${" ? "}" : "]", "inside an expansion");
    if (character === "`") return this.#opaque("`", "in backquotes");
    if (character === "#" && this.#startsWord()) return this.#comment();
    if (two === "<<" && text[this.#at + 2] !== "<") return this.#hereDocument();
    if (text.startsWith("<<<", this.#at)) return this.#copy(3);
    if (character === "\n") return this.#newline();
    if (frame.close !== undefined && character === "(") frame.depth += 1;
    if (frame.close !== undefined && character === ")") {
      if (frame.depth === 0) this.#frames.pop();
      else frame.depth -= 1;
    }
    this.#copy(1);
  }

  #double(): void {
    if (
      this.#bind(
        (variable) => `\${${variable}}`,
        (literal) => `\\${literal}`,
      )
    )
      return;
    const text = this.#text;
    const character = text[this.#at] ?? "";
    const two = text.slice(this.#at, this.#at + 2);
    if (character === "\\") return this.#copy(2);
    if (text.startsWith("$((", this.#at)) return this.#opaque("))", "in arithmetic");
    if (two === "$(") return this.#open(2, { kind: "bare", close: ")", depth: 0 });
    if (two === "${" || two === "$[") return this.#opaque(two === "${" ? "}" : "]", "inside an expansion");
    if (character === "`") return this.#opaque("`", "in backquotes");
    if (character === '"') this.#frames.pop();
    this.#copy(1);
  }

  #single(): void {
    this.#copy(1);
    while (this.#at < this.#text.length) {
      if (
        this.#bind(
          (variable) => `'"\${${variable}}"'`,
          (literal) => literal,
        )
      )
        continue;
      const ends = this.#text[this.#at] === "'";
      this.#copy(1);
      if (ends) return;
    }
  }

  #ansi(): void {
    this.#copy(2);
    while (this.#at < this.#text.length) {
      if (
        this.#bind(
          (variable) => `'"\${${variable}}"$'`,
          (literal) => literal,
        )
      )
        continue;
      const character = this.#text[this.#at];
      this.#copy(character === "\\" ? 2 : 1);
      if (character === "'") return;
    }
  }

  /** A region this reader does not look into: nothing may be bound there. */
  #opaque(close: string, where: string): void {
    const start = this.#at;
    let depth = 0;
    const opening = close === "))" ? "(" : close === "}" ? "{" : close === "]" ? "[" : "";
    let at = start + (close === "`" ? 1 : this.#text.startsWith("$((", start) ? 3 : 2);
    for (; at < this.#text.length; at++) {
      const character = this.#text[at];
      if (character === "\\") at += 1;
      else if (depth === 0 && this.#text.startsWith(close, at)) break;
      else if (opening !== "" && character === opening) depth += 1;
      else if (opening !== "" && depth > 0 && character === (opening === "(" ? ")" : close)) depth -= 1;
    }
    const end = Math.min(at + close.length, this.#text.length);
    const region = this.#text.slice(start, end);
    if (region.includes("$KARYI{")) this.problems.add(where);
    this.#copy(region.length);
  }

  #comment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#copy((end < 0 ? this.#text.length : end) - this.#at);
  }

  #hereDocument(): void {
    const match = /<<(-?)[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)/y;
    match.lastIndex = this.#at;
    const found = match.exec(this.#text);
    if (!found) return this.#copy(2);
    const [whole, dash = "", word = ""] = found;
    const delimiter = word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped);
    const at = this.#out.length + whole.length - word.length;
    this.#copy(whole.length);
    this.#pending.push({ delimiter, quoted: delimiter !== word, stripTabs: dash === "-", at, written: word });
  }

  #newline(): void {
    this.#copy(1);
    for (const document of this.#pending.splice(0)) this.#body(document);
  }

  #body({ delimiter, quoted, stripTabs, at, written }: HereDocument): void {
    const start = this.#at;
    let end = start;
    while (end < this.#text.length) {
      const lineEnd = this.#text.indexOf("\n", end);
      const line = this.#text.slice(end, lineEnd < 0 ? undefined : lineEnd);
      if ((stripTabs ? line.replace(/^\t+/, "") : line) === delimiter) break;
      end = lineEnd < 0 ? this.#text.length : lineEnd + 1;
    }
    const body = this.#text.slice(start, end);
    const needs = /(?<!\$)\$KARYI\{[A-Za-z_]/.test(body);
    // A quoted body is not expanded: where a value is needed it becomes an unquoted one with everything else escaped.
    if (quoted && needs && /^[A-Za-z0-9_]+$/.test(delimiter))
      this.#out = this.#out.slice(0, at) + delimiter + this.#out.slice(at + written.length);
    else if (quoted && needs) this.problems.add("in a here-document with an unusual end word");
    while (this.#at < end) {
      if (
        this.#bind(
          (variable) => `\${${variable}}`,
          (literal) => (quoted && !needs ? literal : `\\${literal}`),
        )
      )
        continue;
      const character = this.#text[this.#at] ?? "";
      if (quoted && needs && (character === "\\" || character === "$" || character === "`")) {
        this.#out += `\\${character}`;
        this.#at += 1;
      } else if (!quoted && character === "\\") this.#copy(2);
      else if (!quoted && (this.#text.startsWith("$(", this.#at) || character === "`" || this.#text.startsWith("${", this.#at))) {
        const two = this.#text.slice(this.#at, this.#at + 2);
        this.#opaque(two === "$(" ? ")" : two === "${" ? "}" : "`", "inside a substitution of a here-document");
      } else this.#copy(1);
    }
  }

  /** Writes the expansion or the literal when a placeholder starts here. */
  #bind(expansion: (variable: string) => string, literal: (text: string) => string): boolean {
    if (this.#text[this.#at] !== "$") return false;
    placeholder.lastIndex = this.#at;
    const found = placeholder.exec(this.#text);
    if (!found) return false;
    const [whole, name] = found;
    if (name === undefined) {
      const close = this.#text.indexOf("}", this.#at);
      const end = close < 0 ? this.#at + whole.length : close + 1;
      this.#out += literal(this.#text.slice(this.#at + 1, end));
      this.#at = end;
    } else {
      this.names.add(name);
      this.#out += expansion(variableOf(name));
      this.#at += whole.length;
    }
    return true;
  }

  #startsWord(): boolean {
    return this.#at === 0 || /[\s;&|()]/.test(this.#text[this.#at - 1] ?? "");
  }

  #open(length: number, frame: Frame): void {
    this.#frames.push(frame);
    this.#copy(length);
  }

  #copy(length: number): void {
    this.#out += this.#text.slice(this.#at, this.#at + length);
    this.#at += length;
  }
}
