/** Makers of table rows: a program as data, its option table built when it is first met. */
import type { Field } from "./field.ts";
import { anyDepth, type Judge } from "./judge.ts";
import type { Handler, Program } from "./machine.ts";
import { type GivenOptions, type OptionSpec, type OptionTable, optionTable, type ParsedOptions, readOptions } from "./options.ts";

export interface ProgramSpec extends OptionSpec {
  /** What operands are: files read, directories listed, text that does nothing, or not allowed. */
  readonly operands:
    | "read"
    | "list"
    | "tree"
    | "text"
    | "none"
    | ((operands: readonly Field[], judge: Judge, parsed: ParsedOptions) => void);
  /** Switches that make it work on everything below. */
  readonly recursive?: readonly string[];
  /** Options that make it follow the links it meets below. */
  readonly following?: readonly string[];
  /** Without operands it lists the working directory. */
  readonly here?: boolean;
  /** Prints the names it was given (or received), one each. */
  readonly passesNames?: boolean;
}

export function program(spec: ProgramSpec): Program {
  return { handle: tableHandler(spec) };
}

export function asksAlways(reason: string, handle?: Handler): Program {
  return handle === undefined ? { asks: reason } : { asks: reason, handle };
}

/** Exactly one argument, and that one asks for the version. */
export function versionOnly(flags: RegExp, otherwise: Program): Program {
  return {
    handle(call) {
      const { fields, judge } = call;
      if (fields.length === 2 && fields[1]?.kind === "text" && flags.test(fields[1].text)) return;
      otherwise.handle?.(call);
      if (otherwise.asks !== undefined) judge.fail(otherwise.asks);
    },
  };
}

/** A spec with every question answered: one shape for all programs, which the engine reads faster than many. */
interface OperandRule {
  readonly operands: ProgramSpec["operands"];
  readonly recursive: readonly string[];
  readonly following: readonly string[];
  readonly here: boolean;
  readonly passesNames: boolean;
}

function tableHandler(spec: ProgramSpec): Handler {
  const { operands, recursive = [], following = [], here = false, passesNames = false } = spec;
  const rule: OperandRule = { operands, recursive, following, here, passesNames };
  let table: OptionTable | undefined;
  return ({ judge, fields }) => {
    table ??= optionTable(spec);
    const parsed = readOptions(table, fields, 1, judge);
    if (parsed !== undefined) applyOperands(rule, parsed, judge);
  };
}

/** With these the lines are cut, counted or headed. */
const altering = ["c", "bytes", "count", "v", "verbose", "debug"];

function applyOperands(rule: OperandRule, parsed: ParsedOptions, judge: Judge): void {
  const { operands, options } = parsed;
  const tree = rule.operands === "tree" || isGiven(rule.recursive, options);
  const depth = tree && isGiven(rule.following, options) ? anyDepth : 0;
  if (operands.length === 0) {
    if (rule.here && !options.has("version") && !options.has("help")) judge.listHere(tree, depth);
    if (rule.passesNames && judge.upstream !== undefined && !isGiven(altering, options)) judge.names = judge.upstream;
  }
  switch (rule.operands) {
    case "text":
      return;
    case "none":
      if (operands.length > 0) judge.fail("takes no operands");
      return;
    case "read":
      for (const field of operands) if (!isStandardInput(field)) judge.read(field, tree, depth);
      return;
    case "list":
    case "tree":
      for (const field of operands) judge.list(field, tree, depth);
      return;
    default:
      rule.operands(operands, judge, parsed);
  }
}

function isGiven(names: readonly string[], options: GivenOptions): boolean {
  if (!options.isEmpty) for (const name of names) if (options.has(name)) return true;
  return false;
}

export function isStandardInput(field: Field): boolean {
  return field.kind === "text" && field.text === "-";
}
