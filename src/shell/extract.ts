/**
 * Finds every simple command of a script at any depth, and every parse error, nested ones included.
 * It looks at words as they stand: no variable is followed here.
 */
import { type Command, forEachChild, type ParsedScript, type Redirection, type SyntaxNode } from "unbash";
import { isCovered, redirectHolds } from "./coverage.ts";
import { expandSingle, expandWord } from "./expand.ts";
import type { Scope } from "./expansion-scope.ts";
import { type Field, showFields } from "./field.ts";
import { Judge } from "./judge.ts";
import type { Call, Machine } from "./machine.ts";
import { unreadable } from "./overlooked.ts";
import { parseGuarded } from "./parse.ts";
import { initialState } from "./state.ts";
import { builtins } from "./tables/builtins.ts";
import { findProgram } from "./tables/programs.ts";
import type { ShellAssignment, ShellCommand, ShellError, ShellRedirection, ShellScript, ShellWord, ShellWorld } from "./types.ts";
import { wrappers as wrapperTable } from "./wrappers.ts";

export function parseShell(text: string): ShellScript {
  const parsed = parseGuarded(text);
  if (parsed.script === undefined) {
    return { text, commands: [], errors: [{ message: parsed.problem ?? "cannot be parsed", position: 0 }], understood: false };
  }
  const { commands, errors } = extractFrom(parsed.script, text);
  const all = parsed.problem === undefined ? errors : [{ message: parsed.problem, position: 0 }, ...errors];
  return { text, commands, errors: all, understood: all.length === 0 };
}

/** Every simple command of a text, whatever can be made of it. */
export function extractCommands(text: string): readonly ShellCommand[] {
  return parseShell(text).commands;
}

export function extractFrom(
  script: ParsedScript,
  text: string,
): { readonly commands: readonly ShellCommand[]; readonly errors: readonly ShellError[] } {
  const extractor = new Extractor(text);
  extractor.visit(script, outermost);
  return extractor;
}

interface Place {
  readonly depth: number;
  readonly pipe: ShellCommand["pipe"];
  readonly wrappers: readonly string[];
  /** Of the groups, loops and shells it runs in: what it prints goes there too. */
  readonly redirections: readonly ShellRedirection[];
}

const alone: ShellCommand["pipe"] = { index: 0, length: 1 };
const outermost: Place = { depth: 0, pipe: alone, wrappers: [], redirections: [] };
const maxDepth = 80;
/** Nested scripts are parsed again at each level; this bounds the sum. */
const maxNestedLength = 200_000;
const maxCommands = 40_000;

/** Programs whose arguments hold commands. */
const carriers = new Set("find gfind xargs gxargs parallel bash sh dash ash zsh ksh mksh rbash eval trap su script watch".split(" "));
const replaced = new Set("xargs gxargs parallel bash sh dash ash zsh ksh mksh rbash su script watch".split(" "));

class Extractor {
  readonly commands: ShellCommand[] = [];
  readonly errors: ShellError[] = [];
  private nested = 0;
  private readonly scope = inertScope((message) => this.fail(message, 0));

  constructor(
    /** The text that positions in the tree count in. */
    private source: string,
  ) {}

  /** A text found inside the script, with positions of its own. */
  visitText(script: ParsedScript, text: string, place: Place): void {
    const outer = this.source;
    this.source = text;
    this.visit(script, place);
    this.source = outer;
  }

  private check(node: Parameters<typeof isCovered>[0]): void {
    if (!isCovered(node, this.source)) this.fail("part of the text would be skipped", node.pos);
  }

  visit(node: SyntaxNode, place: Place): void {
    if (place.depth > maxDepth || this.commands.length > maxCommands) {
      this.fail("nested too deeply or too long", node.pos);
      return;
    }
    // A script brings its own text, in which it is checked.
    if (node.type !== "Script") this.check(node);
    switch (node.type) {
      case "Script":
        this.visitScript(node, place);
        return;
      case "Pipeline":
        node.commands.forEach((command, index) => {
          this.visit(command, { ...place, pipe: { index, length: node.commands.length } });
        });
        return;
      case "AndOr":
        for (const command of node.commands) this.visit(command, { ...place, pipe: alone });
        return;
      case "Command":
        this.record(node, place);
        forEachChild(node, (child) => this.visit(child, { ...place, pipe: alone }));
        return;
      case "CompoundList":
        forEachChild(node, (child) => this.visit(child, { ...place, depth: place.depth + 1, pipe: alone }));
        return;
      case "CommandExpansion":
        // `${ …; }` is a substitution to new versions of bash only.
        if (node.text.startsWith("${")) this.fail("substitution that not every bash knows", node.pos);
        if (node.script === undefined) this.fail("substitution that cannot be read", node.pos);
        // What it prints is taken by the shell.
        else this.visit(node.script, { ...outermost, wrappers: place.wrappers, depth: place.depth + 1 });
        return;
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) this.fail("substitution that cannot be read", node.pos);
        // What it prints is taken by the shell.
        else this.visit(node.script, { ...outermost, wrappers: place.wrappers, depth: place.depth + 1 });
        return;
      case "ArithmeticFor":
        if (!/^for[ \t]*\(\(/.test(this.source.slice(node.pos, node.pos + 64))) this.fail("loop that cannot be read", node.pos);
        forEachChild(node, (child) => this.visit(child, place));
        return;
      case "ParameterExpansion":
        if (node.operation?.type === "Unknown" || node.parameter === "") this.fail("expansion that cannot be read", node.pos);
        forEachChild(node, (child) => this.visit(child, place));
        return;
      case "ExtendedGlob":
        // Only with an option that changes how the text is read.
        this.fail("extended pattern", node.pos);
        return;
      case "Redirected":
        if (!node.redirects.every((redirect) => redirectHolds(redirect, this.source)))
          this.fail("redirection that cannot be read", node.pos);
        this.visitRedirected(node, place);
        return;
      case "ArithmeticExpansion":
        if (node.end - node.pos > 2_000) this.fail("arithmetic that is too long to follow", node.pos);
        else if (node.expression === undefined) this.fail("arithmetic that cannot be read", node.pos);
        else this.visit(node.expression, place);
        return;
      case "ArithmeticBinary": {
        // Leans left as deep as it is long.
        let left: SyntaxNode = node;
        while (left.type === "ArithmeticBinary") {
          this.visit(left.right, place);
          left = left.left;
        }
        this.visit(left, place);
        return;
      }
      default:
        forEachChild(node, (child) => this.visit(child, place));
    }
  }

  /** A test or an arithmetic has no simple command within, but its file is opened all the same. */
  private visitRedirected(node: Extract<SyntaxNode, { type: "Redirected" }>, place: Place): void {
    const own = node.redirects.map((redirect) => redirection(redirect, this.scope));
    const before = this.commands.length;
    forEachChild(node, (child) => this.visit(child, { ...place, redirections: [...own, ...place.redirections] }));
    if (this.commands.length === before) this.unwrap([], { assignments: [], redirections: own }, place);
  }

  private visitScript(script: ParsedScript, place: Place): void {
    this.nested += script.end - script.pos;
    if (place.depth > 0 && this.nested > maxNestedLength) {
      this.fail("nested too deeply or too long", script.pos);
      return;
    }
    for (const error of script.errors ?? []) this.fail(error.message, error.pos);
    const outer = this.source;
    this.source = script.source ?? outer;
    this.check(script);
    for (const statement of script.commands) this.visit(statement, place);
    this.source = outer;
  }

  fail(message: string, position: number): void {
    if (this.errors.length < 100) this.errors.push({ message, position });
  }

  private record(node: Command, place: Place): void {
    const fields: Field[] = [];
    if (node.name !== undefined) expandWord(node.name, this.scope, fields);
    for (const argument of node.args) {
      if (argument.type === "Assignment")
        fields.push(assignmentField(argument.text, argument.value.type === "Word" ? expandSingle(argument.value, this.scope) : undefined));
      else expandWord(argument, this.scope, fields);
    }
    const assignments: ShellAssignment[] = [];
    for (const part of node.prefix) {
      if (part.type !== "Assignment") continue;
      const value = part.value.type === "Word" ? expandSingle(part.value, this.scope) : undefined;
      const text = part.value.type === "Word" ? part.value.text : part.text.slice(part.text.indexOf("=") + 1);
      assignments.push({
        name: part.name,
        append: part.append === true,
        value: { text, value: value?.kind === "text" ? value.text : undefined },
      });
    }
    const redirections = node.redirects.map((redirect) => redirection(redirect, this.scope));
    this.unwrap(fields, { assignments, redirections }, place);
  }

  private unwrap(start: readonly Field[], rest: Pick<ShellCommand, "assignments" | "redirections">, place: Place): void {
    let fields = start;
    const passed = [...place.wrappers];
    const judge = new Judge(nowhere, initialState("/", undefined), [], undefined);
    const redirections = [...rest.redirections, ...place.redirections];
    const machine = new Recorder(this, { ...place, redirections }, passed);
    for (let count = 0; count < 12; count += 1) {
      const name = nameOf(fields[0]);
      const unwrapper = name === undefined ? undefined : wrapperTable.get(name);
      if (name === undefined || unwrapper === undefined) break;
      const inner = unwrapper({ judge, fields, machine });
      if (inner === undefined || inner.fields.length === 0) break;
      passed.push(name);
      fields = inner.fields;
    }
    const name = nameOf(fields[0]);
    const at = this.commands.length;
    if (name !== undefined && carriers.has(name)) {
      machine.carrier = name;
      carry({ judge, fields, machine }, name);
      if (replaced.has(name) && this.commands.length > at) return;
    }
    const command: ShellCommand = {
      name,
      args: fields.slice(1).map(shellWord),
      assignments: rest.assignments,
      redirections,
      pipe: place.pipe,
      depth: place.depth,
      wrappers: passed,
      text: canonicalText(fields, rest),
    };
    // What a command carries comes after it.
    this.commands.splice(at, 0, command);
  }

  inner(fields: readonly Field[], place: Place, wrappers: readonly string[]): void {
    if (place.depth >= maxDepth) this.fail("nested too deeply or too long", 0);
    else this.unwrap(fields, { assignments: [], redirections: [] }, { ...place, depth: place.depth + 1, wrappers });
  }
}

function carry(call: Call, name: string): void {
  (builtins.get(name) ?? findProgram(name)?.handle)?.(call);
}

/** Takes down the commands a handler finds in its arguments. */
class Recorder implements Machine {
  state = initialState("/", undefined);
  carrier = "";

  constructor(
    private readonly extractor: Extractor,
    private readonly place: Place,
    private readonly passed: readonly string[],
  ) {}

  runText(text: string): void {
    const place = { ...this.place, depth: this.place.depth + 1, pipe: alone, wrappers: [...this.passed, this.carrier] };
    const parsed = place.depth > maxDepth ? undefined : parseGuarded(text);
    if (parsed?.script === undefined) this.extractor.fail(parsed?.problem ?? "nested too deeply or too long", 0);
    else this.extractor.visitText(parsed.script, text, place);
  }

  runInner(fields: readonly Field[]): void {
    this.extractor.inner(fields, this.place, [...this.passed, this.carrier]);
  }

  assign(): void {}

  leave(): void {}
}

const nowhere: ShellWorld = { cwd: "/", userHome: "~", workspace: "/", gitTrusted: false };

/** Knows nothing and follows nothing; only takes down words that cannot be read. */
function inertScope(fail: (message: string) => void): Scope {
  return {
    lookup: () => undefined,
    positional: () => undefined,
    home: () => undefined,
    substitute: () => undefined,
    arithmetic: () => {},
    assign: () => {},
    doubt: (reason) => {
      if (reason === unreadable) fail(reason);
    },
  };
}

function nameOf(field: Field | undefined): string | undefined {
  if (field?.kind !== "text") return undefined;
  const slash = field.text.lastIndexOf("/");
  // `./cat` is not `cat`; a path keeps its own name.
  return /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/.test(field.text) ? field.text.slice(slash + 1) : field.text;
}

function shellWord(field: Field): ShellWord {
  return { text: field.kind === "text" ? showFields([field]) : field.shown, value: field.kind === "text" ? field.text : undefined };
}

function assignmentField(text: string, value: Field | undefined): Field {
  const head = text.slice(0, text.indexOf("=") + 1);
  if (value?.kind === "text") return { kind: "text", text: head + value.text, many: false, shown: "" };
  return { kind: "word", text: head, many: false, shown: text };
}

function redirection(node: Redirection, scope: Scope): ShellRedirection {
  const descriptor =
    node.descriptor === undefined ? undefined : node.descriptor.type === "FileDescriptor" ? node.descriptor.value : node.descriptor.name;
  if (node.type === "HereDoc") {
    return {
      operator: node.operator,
      descriptor,
      target: undefined,
      isStatic: node.body.parts === undefined || node.body.parts.every((part) => part.type === "Literal"),
    };
  }
  if (node.target === undefined) return { operator: node.operator, descriptor, target: undefined, isStatic: false };
  const fields: Field[] = [];
  expandWord(node.target, scope, fields);
  const value = fields.length === 1 && fields[0]?.kind === "text" ? fields[0].text : undefined;
  return { operator: node.operator, descriptor, target: { text: node.target.text, value }, isStatic: value !== undefined };
}

function canonicalText(fields: readonly Field[], rest: Pick<ShellCommand, "assignments" | "redirections">): string {
  const pieces = rest.assignments.map((assignment) => `${assignment.name}${assignment.append ? "+" : ""}=${assignment.value.text}`);
  const words = showFields(fields);
  if (words !== "") pieces.push(words);
  for (const node of rest.redirections) {
    const descriptor =
      node.descriptor === undefined ? "" : typeof node.descriptor === "number" ? String(node.descriptor) : `{${node.descriptor}}`;
    if (node.target !== undefined) pieces.push(`${descriptor}${node.operator}${node.target.text}`);
  }
  return pieces.join(" ");
}
