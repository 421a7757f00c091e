/** Makers of table rows: a program as data, its option table built when it is first met. */
import type { Field } from "./field.ts";
import type { Judge } from "./judge.ts";
import type { Handler, Program } from "./machine.ts";
import { type OptionSpec, type OptionTable, optionTable, type ParsedOptions, readOptions } from "./options.ts";

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
  /** Without operands it works on the working directory. */
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

function tableHandler(spec: ProgramSpec): Handler {
  let table: OptionTable | undefined;
  return ({ judge, fields }) => {
    table ??= optionTable(spec);
    const parsed = readOptions(table, fields, 1, judge);
    if (parsed === undefined) return;
    applyOperands(spec, parsed, judge);
    if (spec.passesNames === true && parsed.operands.length === 0 && judge.upstream !== undefined) {
      const cuts = parsed.options.has("c") || parsed.options.has("bytes");
      if (!cuts) judge.names = judge.upstream;
    }
  };
}

function applyOperands(spec: ProgramSpec, parsed: ParsedOptions, judge: Judge): void {
  const { operands } = parsed;
  const tree = spec.operands === "tree" || isGiven(spec.recursive, parsed);
  if (operands.length === 0 && spec.here === true && !parsed.options.has("version") && !parsed.options.has("help")) judge.readHere(tree);
  switch (spec.operands) {
    case "text":
      return;
    case "none":
      if (operands.length > 0) judge.fail("takes no operands");
      return;
    case "read":
    case "tree":
      for (const field of operands) if (!isStandardInput(field)) judge.read(field, tree);
      return;
    case "list":
      for (const field of operands) judge.list(field, tree);
      return;
    default:
      spec.operands(operands, judge, parsed);
  }
}

function isGiven(names: readonly string[] | undefined, { options }: ParsedOptions): boolean {
  if (names !== undefined && options.names.length > 0) for (const name of names) if (options.has(name)) return true;
  return false;
}

export function isStandardInput(field: Field): boolean {
  return field.kind === "text" && field.text === "-";
}
