/**
 * Bash's builtins. Many of them evaluate their arguments as code, names as subscripts, or change what later
 * commands mean, so quotes make nothing inert here: each one has rules for its own arguments, and one that is
 * not listed is not understood.
 */
import { type Field, mayBeOption, textField } from "../field.ts";
import type { Judge } from "../judge.ts";
import type { Call, Handler } from "../machine.ts";
import { optionTable, readOptions } from "../options.ts";
import { isWithin, joinPath, normalizePath } from "../paths.ts";
import { evaluate } from "../shells.ts";

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;
const nothing: Handler = () => {};

function asks(reason: string): Handler {
  return ({ judge }) => judge.fail(reason);
}

const echo: Handler = ({ judge, fields }) => {
  if (!judge.heard) return;
  const words = fields.slice(1);
  // Other shells' echo knows escapes.
  const isPlain =
    words[0]?.text.startsWith("-") !== true &&
    words.every((field) => (field.kind === "text" && !field.text.includes("\\")) || field.kind === "number");
  if (isPlain) judge.printed = words;
  judge.text = words.map((field) => field.text).join(" ");
  if (isPlain && words.every((field) => field.kind === "text")) {
    judge.names = {
      nul: false,
      fields: words.flatMap((field) =>
        field.text
          .split(/\s+/)
          .filter((text) => text !== "")
          .map(textField),
      ),
    };
  }
};

const printf: Handler = ({ judge, fields, machine }) => {
  let index = 1;
  if (fields[1]?.kind === "text" && fields[1].text === "-v") {
    const name = fields[2];
    if (name?.kind !== "text" || !identifier.test(name.text)) {
      judge.fail("printf -v evaluates a subscript");
      return;
    }
    machine.assign(name.text, undefined, false, judge);
    index = 3;
  } else if (fields[1]?.kind === "text" && fields[1].text === "--") index = 2;
  const format = fields[index];
  if (format === undefined || format.many || mayBeOption(format)) {
    judge.fail("the format of printf is only known when it runs");
    return;
  }
  // `%n` assigns to the variable its argument names.
  if (format.kind !== "text" || /%[^%a-zA-Z]*n/.test(format.text))
    for (const { text } of fields.slice(index + 1)) if (identifier.test(text)) machine.assign(text, undefined, false, judge);
  const isPlain = format.kind === "text" && !/[%\\]/.test(format.text);
  if (judge.heard) judge.text = [format.text.replace(/%s|\\n/g, " "), ...fields.slice(index + 1).map((field) => field.text)].join(" ");
  if (isPlain && index === 1) judge.printed = [format];
  else if (format.kind === "text" && /^%s(?:\\n)?$/.test(format.text) && index === 1) {
    const rest = fields.slice(2);
    // Without a line end each argument goes on where the one before it ended.
    if (rest.every((field) => field.kind === "text") && (rest.length === 1 || format.text.endsWith("n")))
      judge.names = { nul: false, fields: rest.flatMap((field) => field.text.split(/\s+/).map(textField)) };
    if (rest.length === 1) judge.printed = rest;
  }
};

/** Unary operators of `test` and `[[` that look at a file. */
export function looksAtFile(operator: string): boolean {
  return /^-[abcdefghkprsuwxGLNOS]$/.test(operator);
}

/** Binary ones that look at two. */
export function comparesFiles(operator: string): boolean {
  return /^-(?:nt|ot|ef)$/.test(operator);
}

const unaryTest = /^-[abcdefghknoprstuwxzGLNOS]$/;
const binaryTest = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef|-a|-o)$/;

/** Whether a file is there, and what it is like, is no less than a listing tells. */
function probe(words: readonly Field[], judge: Judge): void {
  words.forEach((word, index) => {
    if (word.kind !== "text") return;
    const [before, after] = [words[index - 1], words[index + 1]];
    if (looksAtFile(word.text) && after !== undefined) judge.list(after, false);
    if (comparesFiles(word.text)) for (const field of [before, after]) if (field !== undefined) judge.list(field, false);
  });
}

const test: Handler = ({ judge, fields }) => {
  let words = fields.slice(1);
  if (fields[0]?.text.endsWith("[") === true) {
    if (words.at(-1)?.text !== "]") {
      judge.fail("[ without ]");
      return;
    }
    words = words.slice(0, -1);
  }
  if (words.some((field) => field.kind === "text" && /^-[vR]$/.test(field.text))) judge.fail("test evaluates a subscript");
  probe(words, judge);
  if (words.every((field) => field.kind === "text" || field.kind === "number")) return;
  if (words.some((field) => field.many)) {
    judge.fail("test with an unknown number of arguments");
    return;
  }
  while (words[0]?.kind === "text" && words[0].text === "!" && words.length > 1) words = words.slice(1);
  const operator = words.length === 2 ? words[0] : words[1];
  const known =
    words.length === 1 ||
    (operator?.kind === "text" &&
      ((words.length === 2 && unaryTest.test(operator.text)) || (words.length === 3 && binaryTest.test(operator.text))));
  if (!known) judge.fail("test whose operator is only known when it runs");
};

const cdTable = optionTable({ short: "LPe@" });

const changeDirectory: Handler = ({ judge, fields, machine }) => {
  const parsed = readOptions(cdTable, fields, 1, judge);
  const target = parsed === undefined || parsed.operands.length > 1 ? undefined : (parsed.operands[0] ?? textField(judge.home()));
  const here = machine.state.directories;
  if (target?.kind !== "text" || target.text === "-" || target.text === "") {
    judge.fail("changes to a directory that is only known when it runs");
    judge.moved = { directories: undefined };
    return;
  }
  const isPlain = /^\.{0,2}\//.test(target.text) || target.text === "." || target.text === "..";
  if (!isPlain && (judge.world.env?.CDPATH ?? "") !== "") {
    judge.fail("CDPATH is set");
    judge.moved = { directories: undefined };
    return;
  }
  if (here === undefined && !target.text.startsWith("/")) {
    judge.moved = { directories: undefined };
    return;
  }
  const physical = parsed?.options.has("P") === true;
  const reached = (target.text.startsWith("/") ? ["/"] : (here ?? [])).map((directory) => {
    const path = joinPath(directory, target.text);
    return physical ? path : normalizePath(path);
  });
  // Of several directories it may be in, the first is where it is if nothing failed.
  const first = reached[0];
  if (first !== undefined && !isWithin(first, judge.world.workspace)) judge.readPath(first, false);
  judge.moved = { directories: reached.length > 1 ? [...new Set(reached)] : reached };
};

/** Like `cd`; without a directory it swaps those it remembers. */
const pushDirectory: Handler = (call) => {
  if (call.fields.length === 2 && call.fields[1]?.kind === "text" && !/^[-+]/.test(call.fields[1].text)) changeDirectory(call);
  else {
    call.judge.fail("changes to a directory that is only known when it runs");
    call.judge.moved = { directories: undefined };
  }
};

/** Where it goes back to is not followed. */
const popDirectory: Handler = ({ judge, fields }) => {
  if (fields.length > 1) judge.fail("changes what the shell remembers");
  judge.moved = { directories: undefined };
};

const readTable = optionTable({ short: "rsa:d:i:n:N:p:t:u:" });

const read: Handler = ({ judge, fields, machine }) => {
  const parsed = readOptions(readTable, fields, 1, judge);
  if (parsed === undefined) return;
  const array = parsed.options.get("a");
  for (const field of array === undefined ? parsed.operands : [array, ...parsed.operands]) {
    if (field.kind === "text" && identifier.test(field.text)) machine.assign(field.text, undefined, false, judge);
    else judge.fail("reads into a name that is evaluated");
  }
  if (parsed.operands.length === 0) machine.assign("REPLY", undefined, false, judge);
};

const mapfileTable = optionTable({ short: "td:n:O:s:u:" });

const mapfile: Handler = ({ judge, fields, machine }) => {
  const parsed = readOptions(mapfileTable, fields, 1, judge);
  const name = parsed?.operands[0] ?? textField("MAPFILE");
  if (parsed === undefined) return;
  if (name.kind === "text" && identifier.test(name.text)) machine.assign(name.text, undefined, false, judge);
  else judge.fail("reads into a name that is evaluated");
};

/** `export`, `declare` and their kin: a plain `name=value` is an assignment, everything else asks. */
function declare(exports: boolean): Handler {
  return ({ judge, fields, machine }) => {
    let exported = exports;
    let named = false;
    for (const field of fields.slice(1)) {
      if (!named && field.kind === "text" && /^[-+]/.test(field.text)) {
        // A read-only name would keep its value whatever the script says later, `-l` and `-u` change it; an array evaluates its value.
        if (!/^-[xg]+$/.test(field.text) || (exports && field.text !== "-x")) judge.fail("declares more than plain variables");
        if (field.text.includes("x")) exported = true;
        continue;
      }
      named = true;
      declareOne(field, exported, { judge, fields, machine });
    }
    if (!named) judge.fail("prints variables, which may hold secrets");
  };
}

function declareOne(field: Field, exported: boolean, { judge, machine }: Call): void {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(\+?=)?/.exec(field.text);
  const name = match?.[1];
  const rest = match === null ? "" : field.text.slice(match[0].length);
  if (
    name === undefined ||
    (field.many && field.kind !== "number" && field.revision === undefined) ||
    (match?.[2] === undefined && (field.kind !== "text" || rest !== ""))
  ) {
    judge.fail("declares a name that is only known when it runs, or is evaluated");
    return;
  }
  if (match?.[2] === undefined) {
    machine.assign(name, machine.state.variables.get(name), exported, judge);
    return;
  }
  // For an array, and only then, bash evaluates a value in brackets, even a quoted one.
  const mayBeArray = machine.state.variables.has(name) && machine.state.variables.get(name) === undefined;
  if (rest.startsWith("(") || (mayBeArray && field.kind !== "text")) judge.fail("declares an array, whose value is evaluated");
  const value = field.kind === "text" && match?.[2] === "=" ? textField(rest) : undefined;
  machine.assign(name, value, exported, judge);
}

const unset: Handler = ({ judge, fields, machine }) => {
  for (const field of fields.slice(1)) {
    if (field.kind === "text" && (field.text === "-v" || field.text === "-f")) continue;
    if (field.kind === "text" && identifier.test(field.text)) machine.assign(field.text, undefined, false, judge);
    else judge.fail("unset evaluates a subscript");
  }
};

const set: Handler = ({ judge, fields, machine }) => {
  if (fields.length === 1) judge.fail("prints variables, which may hold secrets");
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field === undefined) break;
    if (field.kind === "text" && /^[-+][euxv]*o$/.test(field.text)) {
      index += 1;
      const option = fields[index];
      if (option?.kind !== "text" || !/^(?:pipefail|errexit|nounset|xtrace|verbose)$/.test(option.text))
        judge.fail("sets an option of the shell");
    } else if (field.kind === "text" && field.text === "--") {
      machine.state = { ...machine.state, positional: fields.slice(index + 1) };
      return;
    } else if (field.kind !== "text" || !/^[-+][euxv]+$/.test(field.text)) {
      judge.fail("sets an option of the shell");
      machine.state = { ...machine.state, positional: undefined };
      return;
    }
  }
};

const trap: Handler = (call) => {
  call.judge.fail("trap runs code later");
  const body = call.fields.slice(1).find((field) => field.kind === "text" && !field.text.startsWith("-"));
  if (body !== undefined && call.fields.length > 2) call.machine.runText(body.text, { child: true, doubt: call.judge.reason });
};

const source: Handler = ({ judge, fields, machine }) => {
  judge.fail("runs a file in this shell");
  if (fields[1] !== undefined) judge.read(fields[1]);
  if (fields[1]?.flow !== undefined) machine.runText(fields[1].flow, { child: false, doubt: judge.reason });
};

const kill: Handler = ({ judge, fields }) => {
  const words = fields.slice(1).map((field) => field.text);
  if (words.length > 0 && words.every((word, index) => (index === 0 ? word === "-l" || word === "-L" : /^\w+$/.test(word)))) return;
  judge.fail("sends a signal");
  const everyone = words.lastIndexOf("-1");
  if (everyone > 0 || (everyone === 0 && words.length === 2 && words[1] === "-1")) judge.forbid("signals every process");
  if (/^0*1$/.test(words.at(-1) ?? "")) judge.forbid("signals the first process of the system");
};

const typeTable = optionTable({ short: "afptP", harmless: true });
const lookUp: Handler = ({ judge, fields }) => {
  readOptions(typeTable, fields, 1, judge);
};

const pwdTable = optionTable({ short: "LP" });
const printDirectory: Handler = ({ judge, fields }) => {
  readOptions(pwdTable, fields, 1, judge);
  const here = judge.state.directories;
  if (here?.length === 1 && fields.length === 1) judge.printed = here.map(textField);
};

const jobsTable = optionTable({ short: "lnprs" });
const jobs: Handler = ({ judge, fields }) => {
  readOptions(jobsTable, fields, 1, judge);
};

/** `$!` is the number of a process, or nothing. */
const harmlessWait = /^(?:-n|-f|"?\$!"?)$/;

const wait: Handler = ({ judge, fields }) => {
  if (fields.slice(1).some((field) => mayBeOption(field) && !harmlessWait.test(field.kind === "text" ? field.text : field.shown)))
    judge.fail("wait with an option that assigns");
};

const leave: Handler = ({ machine }) => machine.leave();

const shift: Handler = ({ machine }) => {
  machine.state = { ...machine.state, positional: undefined };
};

const getopts: Handler = ({ judge, fields, machine }) => {
  const name = fields[2];
  machine.assign("OPTARG", undefined, false, judge);
  machine.assign("OPTIND", { kind: "number", text: "", many: false, shown: "" }, false, judge);
  if (name?.kind === "text" && identifier.test(name.text)) machine.assign(name.text, undefined, false, judge);
  else judge.fail("getopts into a name that is evaluated");
};

const readOnlyLimits: Handler = ({ judge, fields }) => {
  if (fields.slice(1).some((field) => field.kind !== "text" || !/^-[A-Za-z]+$/.test(field.text)))
    judge.fail("changes a limit of the shell");
};

const stays = "changes what later commands mean";

export const builtins: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  [":", nothing],
  ["true", nothing],
  ["false", nothing],
  ["echo", echo],
  ["printf", printf],
  ["test", test],
  ["[", test],
  ["cd", changeDirectory],
  ["pwd", printDirectory],
  ["read", read],
  ["mapfile", mapfile],
  ["readarray", mapfile],
  ["export", declare(true)],
  ["readonly", asks("makes a variable read-only")],
  ["declare", declare(false)],
  ["typeset", declare(false)],
  ["local", asks("belongs into a function")],
  ["unset", unset],
  ["set", set],
  ["type", lookUp],
  ["wait", wait],
  ["jobs", jobs],
  ["kill", kill],
  ["exit", leave],
  ["return", leave],
  ["break", leave],
  ["continue", leave],
  ["shift", shift],
  ["getopts", getopts],
  ["times", nothing],
  ["ulimit", readOnlyLimits],
  ["umask", readOnlyLimits],
  ["eval", evaluate],
  ["source", source],
  [".", source],
  ["trap", trap],
  // Wrappers; listed so that they are not looked up as programs.
  ["command", asks(stays)],
  ["builtin", asks(stays)],
  ["exec", asks(stays)],
  ["let", asks("evaluates its arguments as arithmetic")],
  ["alias", asks(stays)],
  ["unalias", asks(stays)],
  ["bind", asks(stays)],
  ["enable", asks(stays)],
  ["hash", asks(stays)],
  ["shopt", asks(stays)],
  ["complete", asks("runs code for completions")],
  ["compgen", asks("runs code for completions")],
  ["compopt", asks("runs code for completions")],
  ["caller", asks("is not known to be harmless")],
  ["dirs", asks(stays)],
  ["pushd", pushDirectory],
  ["popd", popDirectory],
  ["disown", asks("leaves a process behind")],
  ["fg", asks("waits for a job")],
  ["bg", asks("leaves a process behind")],
  ["fc", asks("runs earlier commands again")],
  ["history", asks("shows or changes the history")],
  ["help", nothing],
  ["logout", leave],
  ["suspend", asks("stops the shell")],
]);

const alsoPrograms = new Set(["true", "false", "echo", "printf", "test", "[", "pwd", "kill"]);

/** The same name exists as a program with the same meaning. */
export function isAlsoProgram(name: string): boolean {
  return alsoPrograms.has(name);
}
