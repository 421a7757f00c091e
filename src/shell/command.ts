/**
 * Follows one simple command: expands its words, applies assignments and redirections, hands it to its handler,
 * and follows the scripts inside it (substitutions, `bash -c`, functions).
 */
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CompoundCommand,
  Function as FunctionNode,
  ParsedScript,
  Redirection,
  Statement,
  Word,
} from "unbash";
import { visitArithmetic } from "./arithmetic.ts";
import { isCovered } from "./coverage.ts";
import { dispatch } from "./dispatch.ts";
import { loadsCode, settingOf } from "./environment.ts";
import { expandSingle, expandWord } from "./expand.ts";
import type { Scope } from "./expansion-scope.ts";
import { type Field, textField } from "./field.ts";
import { expandParts } from "./field-builder.ts";
import type { Judge } from "./judge.ts";
import type { Machine } from "./machine.ts";
import { parseGuarded } from "./parse.ts";
import { leavesOutput, redirect } from "./redirect.ts";
import { type Output, ScriptScope } from "./scope.ts";
import { childState, type State, withDoubt, withVariable } from "./state.ts";

export const maxDepth = 48;
/** A script with functions is never understood; following a few calls is enough for the floor. */
const maxCalls = 40;
/** Said of a here-document inside a longer substitution. */
export const misreadHereDocument = "a here-document inside a substitution, which bash may read differently";
const nobody: ReadonlySet<FunctionNode> = new Set();

/** `name=value` in front of a command. */
interface PrefixAssignment {
  readonly node: Assignment;
  readonly field: Field;
}

const none: readonly PrefixAssignment[] = [];

/** What a substitution stands for: text that is known, or names of files that splitting cuts at blanks. */
function printedBy(type: Statement["command"]["type"], made: Output | undefined): readonly Field[] | undefined {
  const isNumber = made?.fields?.every((field) => field.kind === "number") === true;
  if (made?.fields !== undefined && (type === "Command" || (type === "Pipeline" && isNumber))) return made.fields;
  if ((type !== "Command" && type !== "Pipeline") || made?.names === undefined) return undefined;
  const { fields } = made.names;
  if (fields.length === 0 || fields.some((field) => field.kind !== "glob")) return undefined;
  return fields.map((field): Field => ({ kind: "words", text: "", many: true, shown: field.shown, pattern: field.text }));
}

export abstract class CommandInterpreter extends ScriptScope implements Scope, Machine {
  /** The text that positions in the tree count in. */
  protected source = "";
  /** Every word of that text is its own value. */
  private inert = false;
  protected depth = 0;
  /**
   * Whether a here-document is read as it stands. Bash 5.2 prints a substitution anew before it runs it, and loses
   * a `;` behind a here-document in it: only a lone command is safe there.
   */
  private hereDocuments: "plain" | "alone" | "doubtful" = "plain";
  /** What the next simple command finds on its standard input, where that is known. */
  protected feed: Output | undefined;
  /** What the last simple command printed. */
  protected made: Output | undefined;
  /** Inside something that runs beside others, and inside something that may not run at all. */
  protected concurrent = 0;
  protected conditional = 0;
  private calling: ReadonlySet<FunctionNode> = nobody;
  private calls = 0;

  /** Follows a whole text. */
  run(text: string, script: ParsedScript, inert = false): void {
    this.source = text;
    this.inert = inert;
    this.runScript(script);
  }

  protected abstract runScript(script: ParsedScript): void;
  protected abstract runCompound(node: CompoundCommand | Exclude<FunctionNode["body"], { type: "CompoundList" }>): void;
  abstract leave(): void;

  protected runCommand(node: Command): State {
    const outer = this.pending;
    this.pending = undefined;
    const from = this.effects.length;
    const calls = this.networkCalls;
    const before = this.state;
    const feed = this.feed;
    this.feed = undefined;
    if (!isCovered(node, this.source)) this.unknown("cannot be parsed: part of the text would be skipped");
    const { prefix, name, suffix } = node;
    const fields: Field[] = [];
    let redirected = false;
    if (name !== undefined) this.word(name, fields);
    for (let index = 0; index < suffix.length; index += 1) {
      const part = suffix[index];
      if (part === undefined) break;
      if (part.type === "Word") this.word(part, fields);
      else if (part.type === "Assignment") fields.push(this.assignmentField(part));
      else redirected = true;
    }
    const assignments = prefix.length === 0 ? none : this.prefixAssignments(prefix);
    const judge = this.newJudge(feed);
    if (redirected || prefix.length > assignments.length) {
      redirected = true;
      this.redirections(node.redirects, judge);
    }
    if (fields.length === 0) {
      for (const { node: assignment, field } of assignments) this.assignNow(assignment, field, judge);
      const reason = this.pending ?? judge.reason;
      if (reason !== undefined) this.effects.push({ kind: "unknown", reason });
      this.made = undefined;
    } else {
      for (const { node: assignment, field } of assignments) this.setForCommand(assignment.name, field, fields, judge);
      // The command sees another value, and some shells keep it afterwards.
      for (const { node: assignment } of assignments) this.state = withVariable(this.state, assignment.name, undefined);
      if (this.pending !== undefined) judge.fail(this.pending);
      this.execute(judge, fields);
      if (redirected && !this.printsDespite(node.redirects)) this.made = undefined;
    }
    this.pending = outer;
    if (this.networkCalls !== calls) this.checkLeak(from);
    if (judge.moved !== undefined) {
      const bad = this.state;
      this.state = { ...this.state, directories: judge.moved.directories };
      return bad;
    }
    return before === this.state ? before : this.state;
  }

  /** What is not there cannot be opened, and then nothing is printed: numbers that may be none are so anyway. */
  private printsDespite(redirects: readonly Redirection[]): boolean {
    const isLoose = this.made?.fields?.every((field) => field.kind === "number" && field.many) === true;
    return redirects.every((node) => leavesOutput(node) && (isLoose || node.type === "HereDoc" || node.operator !== "<"));
  }

  private word(word: Word, fields: Field[]): void {
    if (this.inert) fields.push({ kind: "text", text: word.text, many: false, shown: word.text });
    else expandWord(word, this, fields);
  }

  private prefixAssignments(prefix: Command["prefix"]): readonly PrefixAssignment[] {
    const found: PrefixAssignment[] = [];
    for (const node of prefix) if (node.type === "Assignment") found.push({ node, field: this.assignmentField(node) });
    return found;
  }

  protected execute(judge: Judge, fields: readonly Field[]): void {
    const first = fields[0];
    const body = this.state.functions.size > 0 && first?.kind === "text" ? this.state.functions.get(first.text) : undefined;
    if (body !== undefined) this.call(body, fields.slice(1), judge);
    dispatch({ judge, fields, machine: this }, body !== undefined);
    if (judge.network) this.networkCalls += 1;
    const { printed, names, text } = judge;
    this.made = printed === undefined && names === undefined && text === undefined ? undefined : { fields: printed, names, text };
  }

  protected call(node: FunctionNode, args: readonly Field[], judge: Judge): void {
    if (this.calling.has(node)) {
      if (this.concurrent > 0 && this.conditional === 0) judge.forbid("a function that starts itself again and again (fork bomb)");
      judge.fail("function that calls itself");
      return;
    }
    this.calls += 1;
    if (node.body.type === "CompoundList" || this.calls > maxCalls) return;
    const callers = this.calling;
    this.calling = new Set([...callers, node]);
    const { concurrent, conditional } = this;
    this.concurrent = 0;
    this.conditional = 0;
    const positional = this.state.positional;
    this.state = { ...this.state, positional: args };
    this.runCompound(node.body);
    this.state = { ...this.state, positional };
    this.concurrent = concurrent;
    this.conditional = conditional;
    this.calling = callers;
  }

  /** `name=value` as one argument, as `export` and `env` see it. */
  protected assignmentField(node: Assignment): Field {
    if (node.index !== undefined) {
      expandSingle(node.index, this);
      if (!/^\d+$/.test(node.index.value)) this.doubt("array subscript that is evaluated");
    }
    const head = `${node.name}${node.index === undefined ? "" : "[]"}${node.append === true ? "+" : ""}=`;
    if (node.value.type === "ArrayValue") {
      const elements: Field[] = [];
      for (const element of node.value.elements) {
        if (/^\[/.test(element.text)) this.doubt("array subscript that is evaluated");
        expandWord(element, this, elements);
      }
      for (const element of elements) if (element.kind === "glob") this.listed(element);
      return { kind: "word", text: `${head}(`, many: false, shown: node.text };
    }
    const value = expandSingle(node.value, this);
    if (value.kind === "text") return textField(head + value.text);
    if (value.revision !== undefined) return { kind: "word", text: head, many: value.many, shown: node.text, revision: value.revision };
    const isNumber = value.kind === "number";
    return { kind: isNumber ? "number" : "word", text: head, many: isNumber && value.many, shown: node.text };
  }

  /** A pattern that is expanded, or a file that is looked at, outside of any program. */
  protected listed(field: Field): void {
    const judge = this.newJudge();
    judge.list(field, false);
    if (judge.reason !== undefined) this.doubt(judge.reason);
  }

  protected assignNow(node: Assignment, field: Field | undefined, judge: Judge): void {
    const head = `${node.name}=`;
    let value: Field | undefined;
    if (field?.kind === "text" && field.text.startsWith(head)) value = textField(field.text.slice(head.length));
    else if (field?.kind === "number" && node.append !== true) value = { kind: "number", text: "", many: field.many, shown: "" };
    else if (field?.revision !== undefined && node.append !== true && node.index === undefined)
      value = { kind: "word", text: "", many: field.many, shown: "", revision: field.revision };
    else if (node.append === true && field?.kind === "text" && node.index === undefined) {
      const old = this.lookup(node.name);
      if (old?.kind === "text") value = textField(old.text + field.text.slice(head.length + 1));
    }
    this.assign(node.name, value, false, judge);
  }

  protected setForCommand(name: string, assignment: Field, fields: readonly Field[], judge: Judge): void {
    const head = `${name}=`;
    const value = assignment.kind === "text" && assignment.text.startsWith(head) ? assignment.text.slice(head.length) : undefined;
    const setting = settingOf(name, value, true);
    // `IFS=, read …` splits one line differently and is over.
    const steers = setting === "steers" && !(name === "IFS" && fields[0]?.text === "read");
    this.effects.push({ kind: "environment", name, steersExecution: steers });
    if (loadsCode(name)) judge.forbid(`${name} loads code into every program`);
    else if (steers) judge.fail(`sets ${name} for the command`);
    else if (setting === "seen") judge.setting = `${name} is set for it`;
  }

  protected redirections(redirects: readonly Redirection[], judge: Judge = this.newJudge()): void {
    if (this.hereDocuments === "doubtful" && redirects.some((node) => node.type === "HereDoc")) this.doubt(misreadHereDocument);
    for (const node of redirects) redirect(node, judge, this, (parts) => expandParts(parts, this));
    if (judge.reason !== undefined) this.doubt(judge.reason);
  }

  runText(text: string, options: { child: boolean; positional?: readonly Field[]; doubt?: string | undefined }): void {
    const parsed = parseGuarded(text);
    const before = this.state;
    if (options.child) this.state = childState(before, options.positional);
    if (options.doubt !== undefined) this.state = withDoubt(this.state, options.doubt);
    if (parsed.problem !== undefined) this.unknown(parsed.problem);
    const { feed, made, pending, source, inert } = this;
    this.feed = undefined;
    this.source = text;
    this.inert = parsed.inert;
    this.depth += 4;
    if (parsed.script !== undefined && this.depth <= maxDepth) this.runScript(parsed.script);
    else this.unknown("nested too deeply");
    this.depth -= 4;
    this.feed = feed;
    this.made = made;
    this.pending = pending;
    this.source = source;
    this.inert = inert;
    if (options.child) this.state = before;
  }

  runInner(fields: readonly Field[], options: { doubt?: string | undefined; directoryUnknown?: boolean } = {}): void {
    if (fields.length === 0 || !this.step()) return;
    const before = this.state;
    if (options.directoryUnknown === true) this.state = { ...this.state, directories: undefined };
    const judge = this.newJudge();
    if (options.doubt !== undefined) judge.fail(options.doubt);
    const { made } = this;
    this.depth += 4;
    if (this.depth > maxDepth) this.unknown("nested too deeply");
    else this.execute(judge, fields);
    this.depth -= 4;
    this.made = made;
    this.state = before;
  }

  substitute(script: ParsedScript | undefined): readonly Field[] | undefined {
    if (script === undefined) {
      this.doubt("substitution that cannot be read");
      return undefined;
    }
    const { state, pending, feed, heard, made: outerMade, hereDocuments } = this;
    this.heard = true;
    const only = script.commands.length === 1 ? script.commands[0] : undefined;
    this.hereDocuments = hereDocuments === "plain" && only?.command.type === "Command" ? "alone" : "doubtful";
    this.feed = undefined;
    this.made = undefined;
    this.depth += 1;
    if (this.depth > maxDepth) this.unknown("nested too deeply");
    else this.runScript(script);
    this.depth -= 1;
    const made = this.lastMade();
    const result = only === undefined || only.background === true ? undefined : printedBy(only.command.type, made);
    const doubt = this.state.doubt;
    this.state = doubt !== undefined && script.errors !== undefined ? withDoubt(state, doubt) : state;
    this.pending = pending;
    this.feed = feed;
    this.heard = heard;
    this.made = outerMade;
    this.hereDocuments = hereDocuments;
    return result;
  }

  /** Read through a call, since running a script in between changes it. */
  protected lastMade(): Output | undefined {
    return this.made;
  }

  arithmetic(expression: ArithmeticExpression | undefined): void {
    visitArithmetic(expression, this);
  }
}
