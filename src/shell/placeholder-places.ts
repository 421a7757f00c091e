/**
 * Where in a script a placeholder stands, and whether a value may stand there at all. Not where bash or another
 * interpreter would read the value as code, as a name, or as arithmetic.
 */
import { type Command, forEachChild, type HereDoc, type ParsedScript, type Pipeline, parse, type SyntaxNode, type Word } from "unbash";

export type Place =
  | { readonly kind: "bare" | "double" | "single" | "ansi" | "here-document" }
  | {
      readonly kind: "quoted-here-document";
      readonly delimiter: { readonly pos: number; readonly end: number; readonly value: string };
      readonly body: { readonly pos: number; readonly end: number };
    }
  | { readonly kind: "unsafe"; readonly reason: string };

const shells = /^(?:ba|da|a|z|k|mk|rba|fi|c|tc)?sh$|^(?:pwsh|powershell|busybox)$/;
const interpreters = /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|perl|ruby|php|lua|Rscript|osascript|tclsh|expect|gdb|ed|ex|vim?|emacs)$/;
/** Every argument of these may become code. */
const evaluators =
  /^(?:eval|trap|source|\.|let|alias|complete|compgen|bind|enable|fc|ssh|watch|su|runuser|script|parallel|at|batch|crontab|sed|gsed|systemd-run)$/;
const codeOption = /^(?:-[a-zA-Z]*[ceErRpF]|--(?:eval|print|command|execute|code|split-string)(?:=.*)?|-S)$/s;

/** Index of each stand-in → its place. One that is missing lies in a comment. */
export function findPlaces(script: ParsedScript, positions: readonly number[]): ReadonlyMap<number, Place> {
  const finder = new PlaceFinder(positions);
  finder.visit(script, undefined);
  return finder.places;
}

class PlaceFinder {
  readonly places = new Map<number, Place>();

  constructor(private readonly positions: readonly number[]) {}

  /** `reason`: why nothing below may hold a value. */
  visit(node: SyntaxNode, reason: string | undefined): void {
    switch (node.type) {
      case "Command":
        this.command(node, reason);
        return;
      case "Pipeline":
        this.pipeline(node, reason);
        return;
      case "Word":
        this.word(node, reason);
        return;
      case "Literal":
        this.mark(node, { kind: "bare" }, reason);
        return;
      case "SingleQuoted":
        this.mark(node, { kind: "single" }, reason);
        return;
      case "AnsiCQuoted":
        this.mark(node, { kind: "ansi" }, reason);
        return;
      case "DoubleQuoted":
      case "LocaleString":
        for (const part of node.parts) {
          if (part.type === "Literal") this.mark(part, { kind: "double" }, reason);
          else this.visit(part, reason);
        }
        return;
      case "CommandExpansion":
        this.children(node, node.text.startsWith("`") ? "stands in backquotes; write $(…) instead" : reason);
        return;
      case "HereDoc":
        this.hereDocument(node, reason);
        return;
      case "Assignment":
        this.mark(node, { kind: "unsafe", reason: "is part of a name" }, reason);
        if (node.index !== undefined) this.visit(node.index, "stands in a subscript");
        this.visit(node.value, reason);
        return;
      case "For":
      case "Select":
        this.visit(node.name, "is the name of a variable");
        for (const word of node.wordlist ?? []) this.visit(word, reason);
        this.visit(node.body, reason);
        return;
      case "Function":
        this.visit(node.name, "is the name of a function");
        this.visit(node.body, reason);
        return;
      case "TestUnary":
        this.visit(node.operand, node.operator === "-v" || node.operator === "-R" ? "is the name of a variable" : reason);
        return;
      case "TestBinary": {
        const inner = /^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)
          ? "stands in arithmetic"
          : node.operator === "=~"
            ? "stands in a regular expression"
            : reason;
        this.visit(node.left, inner);
        this.visit(node.right, inner);
        return;
      }
      case "ParameterExpansion":
        this.inside(node, "stands inside another expansion");
        return;
      case "ArithmeticExpansion":
      case "ArithmeticCommand":
      case "ArithmeticFor":
        if (node.type === "ArithmeticFor") {
          this.header(node.pos, node.body.pos, "stands in arithmetic");
          this.visit(node.body, reason);
        } else this.inside(node, "stands in arithmetic");
        return;
      case "BraceExpansion":
      case "ExtendedGlob":
      case "Glob":
        this.inside(node, "stands in a pattern or brace expansion");
        return;
      default:
        this.children(node, reason);
    }
  }

  private children(node: SyntaxNode, reason: string | undefined): void {
    forEachChild(node, (child) => this.visit(child, reason));
  }

  private word(node: Word, reason: string | undefined): void {
    if (node.parts === undefined) this.mark(node, { kind: "bare" }, reason);
    else for (const part of node.parts) this.visit(part, reason);
  }

  private mark(node: { readonly pos: number; readonly end: number }, place: Place, reason: string | undefined): void {
    this.positions.forEach((position, index) => {
      if (position >= node.pos && position < node.end) this.places.set(index, reason === undefined ? place : { kind: "unsafe", reason });
    });
  }

  private inside(node: { readonly pos: number; readonly end: number }, reason: string): void {
    this.header(node.pos, node.end, reason);
  }

  private header(pos: number, end: number, reason: string): void {
    this.mark({ pos, end }, { kind: "unsafe", reason }, undefined);
  }

  private hereDocument(node: HereDoc, reason: string | undefined): void {
    if (node.delimiter !== undefined)
      this.mark(node.delimiter, { kind: "unsafe", reason: "is the delimiter of a here-document" }, undefined);
    if (node.delimiter?.quoted === true) {
      this.mark(node.body, { kind: "quoted-here-document", delimiter: node.delimiter, body: node.body }, reason);
      return;
    }
    this.mark(node.body, { kind: "here-document" }, reason);
    for (const part of node.body.parts ?? []) if (part.type !== "Literal") this.visit(part, reason);
  }

  /** What an earlier command prints, a shell behind it would run. */
  private pipeline(node: Pipeline, reason: string | undefined): void {
    node.commands.forEach((command, index) => {
      const feeds = node.commands.slice(index + 1).some((later) => startsInterpreter(later));
      this.visit(command, feeds ? "would be read as code by the end of the pipe" : reason);
    });
  }

  private command(node: Command, reason: string | undefined): void {
    if (node.name !== undefined) this.visit(node.name, reason ?? "is the name of a program");
    const rule = argumentRule(node);
    node.args.forEach((argument, index) => {
      this.visit(argument, reason ?? rule(index));
    });
    for (const part of node.prefix) if (part.type === "Assignment") this.visit(part, reason);
    const stdin = startsInterpreter(node) ? "would be read as code" : reason;
    for (const redirect of node.redirects) this.visit(redirect, stdin);
  }
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}

function words(node: Command): readonly string[] {
  const result = node.name === undefined ? [] : [node.name.value];
  for (const argument of node.args) result.push(argument.type === "Word" ? argument.value : argument.text);
  return result;
}

/** Some word of it, wrappers included, starts something that reads code. */
function startsInterpreter(node: SyntaxNode): boolean {
  if (node.type === "Command") {
    return words(node).some((word) => {
      const name = baseName(word);
      return shells.test(name) || interpreters.test(name) || evaluators.test(name) || name === "xargs";
    });
  }
  let found = false;
  if (node.type !== "Word") {
    forEachChild(node, (child) => {
      found ||= startsInterpreter(child);
    });
  }
  return found;
}

/** Why the argument at an index may not hold a value. */
function argumentRule(node: Command): (index: number) => string | undefined {
  const all = words(node);
  const code = "would be read as code";
  return (index) => {
    const own = index + 1;
    let interpreter = false;
    let language: string | undefined;
    for (let at = 0; at < own; at += 1) {
      const name = baseName(all[at] ?? "");
      if (evaluators.test(name)) return code;
      if (/^(?:g|m|n)?awk$|^jq$/.test(name)) language = name;
      if (name === "printf" && own === at + 1) return "would be read as a format";
      if (name === "printf" && all[at + 1] === "-v" && own <= at + 3) return code;
      if ((name === "test" || name === "[") && own > at && /^-[vR]$/.test(all[own - 1] ?? "")) return code;
      if (name === "unset" || name === "read" || name === "mapfile" || name === "readarray" || name === "getopts")
        return "is the name of a variable";
      if (/^(?:declare|typeset|local|export|readonly)$/.test(name) && node.args[index]?.type !== "Assignment")
        return "is the name of a variable";
      if (shells.test(name) || interpreters.test(name)) interpreter = true;
    }
    const before = all[own - 1] ?? "";
    const argument = node.args[index];
    if (language !== undefined) return isLanguageValue(all, own, language) ? undefined : code;
    if (before === "-S" || before === "--split-string") return code;
    if (!interpreter) return undefined;
    // Only an argument of its own that follows the code reaches it as data.
    if (codeOption.test(before) || argument?.type !== "Word" || hasScript(argument)) return code;
    const afterCode = all.slice(0, own).findIndex((word, at) => at > 0 && codeOption.test(word));
    if (afterCode > 0 && own > afterCode + 1) return undefined;
    const script = all
      .slice(1, own)
      .some((word) => !word.startsWith("-") && !shells.test(baseName(word)) && !interpreters.test(baseName(word)));
    return script ? undefined : code;
  };
}

/** `awk -v x=VALUE` and `jq --arg x VALUE` take data. */
function isLanguageValue(all: readonly string[], own: number, language: string): boolean {
  if (language === "jq") return /^--arg(?:json)?$/.test(all[own - 2] ?? "") && all[own - 2] === "--arg";
  return all[own - 1] === "-v";
}

function hasScript(word: Word): boolean {
  return word.parts?.some((part) => part.type === "CommandExpansion" || part.type === "ProcessSubstitution") ?? false;
}

/** Reads the result again: every variable is there, and each where nothing can split or run it. */
export function isBoundSafely(command: string, reserved: string, expected: number): boolean {
  const script = parse(command);
  let count = 0;
  let safe = script.errors === undefined || script.errors.length === 0;
  const visit = (node: SyntaxNode, quoted: boolean): void => {
    if (node.type === "ParameterExpansion" && node.parameter.startsWith(reserved)) {
      count += 1;
      if (!quoted || node.operation !== undefined || node.index !== undefined || node.prefix !== undefined) safe = false;
    }
    if (node.type === "Script" && node.errors !== undefined && node.errors.length > 0) safe = false;
    const inner =
      node.type === "DoubleQuoted" || node.type === "HereDocBody" || node.type === "LocaleString"
        ? true
        : node.type === "Script"
          ? false
          : quoted;
    forEachChild(node, (child) => visit(child, inner));
  };
  visit(script, false);
  return safe && count === expected;
}
