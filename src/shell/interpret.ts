/**
 * Follows a parsed script without running it: every branch, with the directories and variables each could have,
 * and writes down the effects of every command on the way. It over-approximates: where two ways are possible it
 * takes both, and what it cannot follow it marks as not understood. It never concludes that something does not run.
 */
import type {
  AndOr,
  Command,
  CompoundCommand,
  CompoundList,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Statement,
  TestExpression,
  Word,
} from "unbash";
import { visitArithmetic } from "./arithmetic.ts";
import { CommandInterpreter, maxDepth } from "./command.ts";
import { isCovered, redirectHolds } from "./coverage.ts";
import { expandSingle, expandWord } from "./expand.ts";
import type { Field } from "./field.ts";
import { expandParts } from "./field-builder.ts";
import { joinStates, type State, sameState, withFunction } from "./state.ts";
import { comparesFiles, looksAtFile } from "./tables/builtins.ts";

const maxUnrolled = 16;
const maxRounds = 3;
/** Outside every loop nobody asks in which states it was left. */
const nowhere: State[] = [];

export class Interpreter extends CommandInterpreter {
  private left: State[] = nowhere;
  private looping = 0;
  /** Loops around this place that nothing ends. */
  private endless = 0;

  runScript(script: ParsedScript): void {
    if (script.errors !== undefined && script.errors.length > 0)
      this.unknown(`cannot be parsed: ${script.errors[0]?.message ?? "syntax error"}`);
    const outer = this.source;
    this.source = script.source ?? outer;
    const only = script.commands.length === 1 ? script.commands[0] : undefined;
    // One statement from the first character to the last leaves no gap.
    if (only === undefined || only.pos !== script.pos || only.end !== script.end) this.check(script);
    this.runList(script.commands);
    this.source = outer;
  }

  /** Nothing of the text may be missing from the tree. */
  private check(node: Parameters<typeof isCovered>[0]): void {
    if (!isCovered(node, this.source)) this.unknown("cannot be parsed: part of the text would be skipped");
  }

  private runList(statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (!this.step()) return;
      const { command, pos, end, background } = statement;
      if (end !== command.end || pos !== command.pos) this.check(statement);
      if (background === true) {
        const onlyStarts = this.endless > 0 && statements.every((other) => other.background === true);
        if (onlyStarts) this.effects.push({ kind: "forbidden", reason: "starts processes for ever (fork bomb)" });
        else if (this.looping > 0) this.unknown("starts processes in a loop that does not wait for them");
        const before = this.state;
        this.concurrent += 1;
        this.runNode(command);
        this.concurrent -= 1;
        this.state = before;
      } else {
        const bad = this.runNode(command);
        if (bad !== this.state) this.state = joinStates(this.state, bad);
      }
    }
  }

  private runBody(list: CompoundList): void {
    if (list.commands.length > 1) this.check(list);
    this.runList(list.commands);
  }

  /** Leaves the state after success in `this.state` and answers the state after failure. */
  private runNode(node: PipelineNode | AndOr): State {
    this.depth += 1;
    if (this.depth > maxDepth) {
      this.depth -= 1;
      this.unknown("nested too deeply");
      return this.state;
    }
    let bad: State | undefined;
    switch (node.type) {
      case "Command":
        bad = this.runCommand(node);
        break;
      case "AndOr":
        bad = this.runAndOr(node);
        break;
      case "Pipeline":
        bad = this.runPipeline(node);
        break;
      case "Function":
        this.define(node);
        break;
      case "Coproc":
        this.check(node);
        this.isolated(() => {
          if (node.body.type === "Command") this.runCommand(node.body);
          else if (node.body.type !== "CompoundList") this.runCompound(node.body);
        });
        this.unknown("starts a coprocess");
        break;
      default:
        this.runCompound(node);
    }
    this.depth -= 1;
    return bad ?? this.state;
  }

  private runAndOr(node: AndOr): State {
    this.check(node);
    let bad = this.state;
    for (let index = 0; index < node.commands.length; index += 1) {
      const command = node.commands[index];
      if (command === undefined || !this.step()) break;
      if (index === 0) {
        bad = this.runNode(command);
        continue;
      }
      this.conditional += 1;
      if (node.operators[index - 1] === "&&") {
        const skipped = bad;
        const failed = this.runNode(command);
        bad = skipped === failed ? failed : joinStates(skipped, failed);
      } else {
        const good = this.state;
        this.state = bad;
        bad = this.runNode(command);
        this.state = good === this.state ? good : joinStates(good, this.state);
      }
      this.conditional -= 1;
    }
    return bad;
  }

  private runPipeline(node: Pipeline): State | undefined {
    this.check(node);
    if (node.commands.length === 1 && node.commands[0] !== undefined) {
      const bad = this.runNode(node.commands[0]);
      if (node.commands[0].type !== "Command") this.made = undefined;
      if (node.prefixes.some((prefix) => prefix.type === "Negation")) {
        const good = this.state;
        this.state = bad;
        return good;
      }
      return bad;
    }
    const before = this.state;
    const from = this.effects.length;
    const calls = this.networkCalls;
    const { heard } = this;
    const last = node.commands.length - 1;
    this.concurrent += 1;
    this.feed = undefined;
    for (let index = 0; index <= last; index += 1) {
      const command = node.commands[index];
      if (command === undefined) break;
      this.state = before;
      this.made = undefined;
      const isSimple = command.type === "Command";
      this.heard = isSimple && (index < last || heard);
      if (!isSimple) this.feed = undefined;
      this.runNode(command);
      this.feed = isSimple ? this.made : undefined;
    }
    this.heard = heard;
    this.feed = undefined;
    // What its last command prints is all that it prints, and only a substitution makes something of it.
    this.made = heard && node.commands[last]?.type === "Command" ? this.lastMade() : undefined;
    this.concurrent -= 1;
    this.state = before;
    if (this.networkCalls !== calls) this.checkLeak(from);
    return undefined;
  }

  private isolated(work: () => void): void {
    const before = this.state;
    work();
    this.state = before;
  }

  private define(node: FunctionNode): void {
    this.check(node);
    this.state = withFunction(this.state, node.name.value, node);
    // It stays in a terminal, and may stand before a program of the same name.
    this.unknown(`defines the function ${node.name.text}`);
  }

  protected runCompound(
    node: Exclude<PipelineNode, Command | Pipeline | { type: "Function" } | { type: "Coproc" }> | CompoundCommand,
  ): void {
    this.check(node);
    switch (node.type) {
      case "Redirected":
        if (!node.redirects.every((redirect) => redirectHolds(redirect, this.source))) this.unknown("redirection that cannot be read");
        this.loose(() => this.redirections(node.redirects));
        this.runCompound(node.command);
        return;
      case "Subshell":
        this.isolated(() => this.runBody(node.body));
        return;
      case "BraceGroup":
        this.runBody(node.body);
        return;
      case "If":
        this.runIf(node, node.clause, node.then, 0);
        return;
      case "While": {
        const endless =
          node.clause.commands.length === 1 && isConstant(node.clause.commands[0], node.kind === "while" ? ["true", ":"] : ["false"]);
        if (endless) this.endless += 1;
        this.loop(() => {
          this.runBody(node.clause);
          this.maybe(!endless, () => this.runBody(node.body));
        });
        if (endless) this.endless -= 1;
        return;
      }
      case "For":
      case "Select":
        this.runFor(node.name.value, node.wordlist, node.body, node.type === "For");
        return;
      case "ArithmeticFor":
        if (!/^for[ \t]*\(\(/.test(this.source.slice(node.pos, node.pos + 64))) this.unknown("loop that cannot be read");
        this.loose(() => {
          if (node.initialize !== undefined) visitArithmetic(node.initialize, this);
        });
        this.loop(() => {
          this.loose(() => {
            if (node.test !== undefined) visitArithmetic(node.test, this);
          });
          this.maybe(true, () => this.runBody(node.body));
          this.loose(() => {
            if (node.update !== undefined) visitArithmetic(node.update, this);
          });
        });
        return;
      case "Case":
        this.runCase(node);
        return;
      case "TestCommand":
        this.loose(() => this.test(node.expression));
        return;
      case "ArithmeticCommand":
        this.loose(() => visitArithmetic(node.expression, this));
        return;
      default:
        this.unknown("construct that is not known");
    }
  }

  private maybe(conditional: boolean, work: () => void): void {
    if (conditional) this.conditional += 1;
    work();
    if (conditional) this.conditional -= 1;
  }

  /** `branch` counts the `elif`s passed so far. */
  private runIf(node: Extract<CompoundCommand, { type: "If" }>, clause: CompoundList, then: CompoundList, branch: number): void {
    this.runBody(clause);
    // The clause may be a list; either way out of it is taken as possible for both branches.
    const decided = this.state;
    this.maybe(true, () => this.runBody(then));
    const afterThen = this.state;
    this.state = decided;
    const next = node.elif[branch];
    const otherwise = node.else;
    if (next !== undefined) {
      this.check(next);
      this.maybe(true, () => this.runIf(node, next.clause, next.then, branch + 1));
    } else if (otherwise !== undefined) this.maybe(true, () => this.runBody(otherwise));
    this.state = joinStates(afterThen, this.state);
  }

  private runCase(node: Extract<CompoundCommand, { type: "Case" }>): void {
    this.loose(() => {
      expandSingle(node.word, this);
      for (const item of node.items) for (const pattern of item.pattern) expandSingle(pattern, this);
    });
    const before = this.state;
    let after = before;
    for (const item of node.items) {
      this.check(item);
      // With `;&` the next body starts where this one ended.
      this.state = item === node.items[0] ? before : joinStates(before, after);
      this.maybe(true, () => this.runBody(item.body));
      after = joinStates(after, this.state);
    }
    this.state = after;
  }

  private runFor(name: string, words: readonly Word[] | undefined, body: CompoundList, once: boolean): void {
    const fields: Field[] = [];
    this.loose(() => {
      if (words === undefined) {
        const positional = this.state.positional;
        if (positional === undefined) fields.push({ kind: "words", text: "", many: true, shown: "$@" });
        else for (const field of positional) fields.push(field);
      } else for (const word of words) expandWord(word, this, fields);
      for (const field of fields) if (field.kind === "glob") this.listed(field);
    });
    const known = once && fields.length <= maxUnrolled && fields.every((field) => field.kind !== "words" || field.pattern !== undefined);
    if (!known) {
      this.loop(() => {
        if (!once) this.bind("REPLY", undefined);
        this.bind(name, undefined);
        this.maybe(true, () => this.runBody(body));
      });
      return;
    }
    const before = this.state;
    const outer = this.left;
    this.left = [];
    for (const field of fields) {
      this.bind(name, field.many && field.kind !== "words" ? { ...field, many: false } : field);
      this.runBody(body);
      for (const state of this.left) this.state = joinStates(this.state, state);
      if (!this.step()) break;
    }
    this.left = outer;
    if (fields.some((field) => field.many)) this.state = joinStates(this.state, before);
  }

  /** Repeats until nothing new can come of another round. */
  private loop(round: () => void): void {
    const outer = this.left;
    this.left = [];
    this.looping += 1;
    for (let count = 0; ; count += 1) {
      const before = this.state;
      round();
      for (const state of this.left) this.state = joinStates(this.state, state);
      this.left = [];
      const after = joinStates(before, this.state);
      this.state = after;
      // In doubt nothing more is understood; one round shows what runs.
      if (after.doubt !== undefined || sameState(before, after)) break;
      if (count >= maxRounds || !this.step()) {
        this.unknown("loop that changes what it works on");
        break;
      }
    }
    this.looping -= 1;
    this.left = outer;
  }

  leave(): void {
    if (this.left === nowhere) return;
    this.left.push(this.state);
  }

  private test(expression: TestExpression): void {
    switch (expression.type) {
      case "TestUnary": {
        const operand = expandSingle(expression.operand, this);
        if ((expression.operator === "-v" || expression.operator === "-R") && !(operand.kind === "text" && /^\w+$/.test(operand.text))) {
          this.doubt("test that evaluates a subscript");
        }
        if (looksAtFile(expression.operator)) this.listed(operand);
        return;
      }
      case "TestBinary": {
        const left = expandSingle(expression.left, this);
        // A regular expression or pattern may hold brackets that a word may not.
        if (/^(?:=~|==|=|!=)$/.test(expression.operator)) {
          expandParts(expression.right.parts ?? [], this);
          return;
        }
        const right = expandSingle(expression.right, this);
        if (comparesFiles(expression.operator)) for (const operand of [left, right]) this.listed(operand);
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator) && !(this.isNumber(left) && this.isNumber(right))) {
          this.doubt("comparison that evaluates its operands as arithmetic");
        }
        return;
      }
      case "TestLogical":
        for (const operand of expression.operands) this.test(operand);
        return;
      case "TestNot":
        this.test(expression.operand);
        return;
      case "TestGroup":
        this.test(expression.expression);
        return;
      default:
        this.doubt("test that is not known");
    }
  }
}

function isConstant(statement: Statement | undefined, names: readonly string[]): boolean {
  return statement?.command.type === "Command" && statement.command.name !== undefined && names.includes(statement.command.name.value);
}
