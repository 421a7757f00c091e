/**
 * Reads a command line against a table of the options that are known to be harmless, the way getopt does:
 * clusters, attached and separate values, `--`, options after operands. An option that is not in the table,
 * an abbreviation, or an argument that might turn into an option makes the command not understood.
 */
import { type Field, hasWildcard, mayBeOption, uncut } from "./field.ts";
import type { Judge } from "./judge.ts";

/**
 * How an option is written in a table, by the mark behind it:
 * nothing: a switch; `:` takes a value that does nothing; `?` may have an attached value that does nothing;
 * `<` reads the file of its value; `>` writes it; `*` a name pattern that lets files through.
 */
type OptionMark = "" | ":" | "?" | "<" | ">" | "*";

export interface OptionTable {
  readonly short: ReadonlyMap<string, OptionMark>;
  readonly long: ReadonlyMap<string, OptionMark>;
  /** `-5` is a number, as for `head`. */
  readonly digits: boolean;
  /** No option of this program can write, execute or reach further than its operands: an odd file name is harmless. */
  readonly harmless: boolean;
  /** Shows nothing of a file but counts and names: even a file name cut at its blanks is harmless. */
  readonly counts: boolean;
  /** Options end at the first operand. */
  readonly posix: boolean;
}

export interface OptionSpec {
  readonly short?: string;
  readonly long?: string;
  readonly digits?: boolean;
  readonly harmless?: boolean;
  readonly counts?: boolean;
  readonly posix?: boolean;
  /** `--help` does more than print. */
  readonly noHelp?: boolean;
}

export function optionTable(spec: OptionSpec): OptionTable {
  const short = new Map<string, OptionMark>();
  const letters = spec.short ?? "";
  for (let index = 0; index < letters.length; index += 1) {
    const mark = letters[index + 1] ?? "";
    const isMark = isOptionMark(mark) && mark !== "";
    short.set(letters[index] ?? "", isMark ? mark : "");
    if (isMark) index += 1;
  }
  const long = new Map<string, OptionMark>();
  for (const word of (spec.long ?? "").split(/\s+/)) {
    if (word === "") continue;
    const mark = word.at(-1) ?? "";
    if (isOptionMark(mark) && mark !== "") long.set(word.slice(0, -1), mark);
    else long.set(word, "");
  }
  // Harmless for every GNU program.
  if (spec.noHelp !== true) {
    long.set("help", "");
    long.set("version", "");
  }
  return {
    short,
    long,
    digits: spec.digits ?? false,
    harmless: spec.harmless ?? false,
    counts: spec.counts ?? false,
    posix: spec.posix ?? false,
  };
}

function isOptionMark(mark: string): mark is OptionMark {
  return mark === "" || mark === ":" || mark === "?" || mark === "<" || mark === ">" || mark === "*";
}

interface Given {
  readonly name: string;
  readonly value: Field | undefined;
  readonly before: Given | undefined;
}

/** The few options of one command line, as a chain from the last one back: of one given twice the last counts. */
export class GivenOptions {
  private last: Given | undefined;

  get isEmpty(): boolean {
    return this.last === undefined;
  }

  set(name: string, value: Field | undefined): void {
    this.last = { name, value, before: this.last };
  }

  has(name: string): boolean {
    for (let given = this.last; given !== undefined; given = given.before) if (given.name === name) return true;
    return false;
  }

  /** `undefined` for a switch too. */
  get(name: string): Field | undefined {
    for (let given = this.last; given !== undefined; given = given.before) if (given.name === name) return given.value;
    return undefined;
  }

  /** Every value of one that was given several times. */
  all(name: string): readonly Field[] {
    const values: Field[] = [];
    for (let given = this.last; given !== undefined; given = given.before)
      if (given.name === name && given.value !== undefined) values.push(given.value);
    return values;
  }

  every(test: (name: string) => boolean): boolean {
    for (let given = this.last; given !== undefined; given = given.before) if (!test(given.name)) return false;
    return true;
  }
}

export interface ParsedOptions {
  /** By name without dashes. */
  readonly options: GivenOptions;
  readonly operands: readonly Field[];
  /** Where the operands began, for wrappers. */
  readonly operandIndex: number;
  /** How many of the operands stand behind `--`. */
  readonly afterDashes: number;
}

/** Stands for no operands yet; never written to. */
const none: Field[] = [];

/** Where a run of words that can only be operands ends. */
function operandsEnd(fields: readonly Field[], from: number): number {
  for (let index = from + 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined || mayBeOption(field)) return index;
  }
  return fields.length;
}

/** `undefined` when the command line is not understood; the judge knows why. */
export function readOptions(table: OptionTable, fields: readonly Field[], from: number, judge: Judge): ParsedOptions | undefined {
  const options = new GivenOptions();
  let operands: Field[] = none;
  let operandIndex = fields.length;
  let afterDashes = 0;
  for (let index = from; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    if (!mayBeOption(field)) {
      if (operands.length === 0) operandIndex = index;
      if (table.posix) break;
      if (operands === none) {
        operands = fields.slice(index, operandsEnd(fields, index));
        index += operands.length - 1;
      } else operands.push(field);
      continue;
    }
    if (field.kind !== "text") {
      if (readPatternValue(table, field, options, judge)) continue;
      const operand = table.harmless && field.kind !== "words" ? field : namesOf(field, table, judge);
      if (operand !== undefined) {
        if (operands === none) operands = [];
        operands.push(operand);
        continue;
      }
      judge.fail("an argument is only known when it runs and could be an option");
      return undefined;
    }
    const text = field.text;
    if (text === "--") {
      if (operands.length === 0) operandIndex = index + 1;
      afterDashes = fields.length - index - 1;
      operands = operands === none ? fields.slice(index + 1) : [...operands, ...fields.slice(index + 1)];
      break;
    }
    const used = text.startsWith("--") ? readLong(table, fields, index, options, judge) : readCluster(table, fields, index, options, judge);
    if (used < 0) return undefined;
    index += used;
  }
  return { options, operands, operandIndex, afterDashes };
}

/** `--include=*.ts` without quotes: whatever names it matches, they begin with the same option. */
function readPatternValue(table: OptionTable, { kind, text }: Field, options: GivenOptions, judge: Judge): boolean {
  const equals = kind === "glob" && text.startsWith("--") ? text.indexOf("=") : -1;
  const name = text.slice(2, Math.max(equals, 2));
  const mark = hasWildcard(name) ? undefined : table.long.get(name);
  if (!table.harmless || table.posix || (mark !== "*" && mark !== ":" && mark !== "?")) return false;
  const value = text.slice(equals + 1);
  options.set(name, attached(value));
  if (mark === "*") judge.readNamed(value);
  return true;
}

/** File names cut at blanks, for a program that does no harm with them, or where none can begin with a dash. */
function namesOf(field: Field, table: OptionTable, judge: Judge): Field | undefined {
  const names = uncut(field);
  if (names === undefined || table.counts) return names;
  if ((mayBeOption(names) && !table.harmless) || table.posix || !judge.readUncut(names)) return undefined;
  return names;
}

function readLong(table: OptionTable, fields: readonly Field[], index: number, options: GivenOptions, judge: Judge): number {
  const text = fields[index]?.text ?? "";
  const equals = text.indexOf("=");
  const name = equals < 0 ? text.slice(2) : text.slice(2, equals);
  const mark = table.long.get(name);
  if (mark === undefined || (mark === "" && equals >= 0)) {
    judge.fail(`option --${name} is not known to be harmless`);
    return -1;
  }
  if (mark === "" || (mark === "?" && equals < 0)) {
    options.set(name, undefined);
    return 0;
  }
  const value = equals >= 0 ? attached(text.slice(equals + 1)) : fields[index + 1];
  return takeValue(table, name, mark, value, equals >= 0 ? 0 : 1, options, judge);
}

function readCluster(table: OptionTable, fields: readonly Field[], index: number, options: GivenOptions, judge: Judge): number {
  const text = fields[index]?.text ?? "";
  let numbered = false;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    const mark = table.short.get(letter);
    if (mark === undefined) {
      if (table.digits && letter >= "0" && letter <= "9") {
        numbered = true;
        continue;
      }
      judge.fail(`option -${letter} is not known to be harmless`);
      return -1;
    }
    if (mark === "") {
      options.set(letter, undefined);
      continue;
    }
    // Behind a number the older forms (`head -5c FILE`) give no value to a letter that takes one otherwise.
    if (numbered) {
      judge.fail(`option -${letter} behind a number`);
      return -1;
    }
    const rest = text.slice(at + 1);
    if (mark === "?") {
      options.set(letter, rest === "" ? undefined : attached(rest));
      return 0;
    }
    const value = rest === "" ? fields[index + 1] : attached(rest);
    return takeValue(table, letter, mark, value, rest === "" ? 1 : 0, options, judge);
  }
  return 0;
}

function attached(text: string): Field {
  return { kind: "text", text, many: false, shown: "" };
}

function takeValue(
  table: OptionTable,
  name: string,
  mark: OptionMark,
  value: Field | undefined,
  used: number,
  options: GivenOptions,
  judge: Judge,
): number {
  if (value === undefined) {
    judge.fail(`option ${name} lacks its value`);
    return -1;
  }
  // Without its number an option takes the next word for it; where no option does harm, that makes none.
  if ((value.many && !(value.kind === "number" && table.harmless)) || value.kind === "words") {
    judge.fail("an option's value may be several arguments");
    return -1;
  }
  options.set(name, value);
  if (mark === "<") {
    if (value.text !== "-" || value.kind !== "text") judge.read(value);
  } else if (mark === ">") judge.write(value, "modify");
  else if (mark === "*") {
    if (value.kind === "text") judge.readNamed(value.text);
    else judge.fail("a name filter is only known when it runs");
  }
  return used;
}
