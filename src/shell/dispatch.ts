/**
 * From the fields of a simple command to its handler: past wrappers, with the check that a name really is the
 * program of that name, and with one `run` effect at the end that says whether all of it was understood.
 */
import { type Field, showFields, textField } from "./field.ts";
import type { Judge } from "./judge.ts";
import type { Call, Handler, Program, Unwrapped, Unwrapper } from "./machine.ts";
import { decidesForPerson } from "./own-command.ts";
import { isWithin, joinPath, looksSecret, normalizePath } from "./paths.ts";
import { withDirectories } from "./state.ts";
import { builtins, isAlsoProgram } from "./tables/builtins.ts";
import { findProgram, programNames } from "./tables/programs.ts";
import { wrappers } from "./wrappers.ts";

const maxWrappers = 12;
const systemDirectories = [
  "/bin",
  "/usr/bin",
  "/usr/local/bin",
  "/sbin",
  "/usr/sbin",
  "/usr/local/sbin",
  "/opt/homebrew/bin",
  "/opt/local/bin",
  "/nix/store",
  "/run/current-system/sw/bin",
  "/snap/bin",
];
const temporaryDirectories = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp"];

/** Programs whose mere mention behind an unknown program is worth a look at the floor. */
const dangerous = /^(?:rm|dd|mkfs(?:\.\w+)?|shutdown|reboot|halt|poweroff|chmod|chown|wipefs|find|bash|sh|eval)$/;

/** All that is known by one name. */
interface Known {
  readonly builtin: Handler | undefined;
  readonly unwrap: Unwrapper | undefined;
  readonly program: Program | undefined;
}

const known = new Map<string, Known>();
for (const name of new Set([...builtins.keys(), ...wrappers.keys(), ...programNames]))
  known.set(name, { builtin: builtins.get(name), unwrap: wrappers.get(name), program: findProgram(name) });

export function dispatch(call: Call, isFunction: boolean): void {
  const { judge, machine } = call;
  let fields = call.fields;
  let external = false;
  for (let count = 0; count < maxWrappers; count += 1) {
    const first = fields[0];
    if (first === undefined) return;
    if (first.kind !== "text") {
      judge.fail("the program is only known when it runs");
      run(judge, first.shown, fields);
      return;
    }
    if (isFunction) {
      judge.fail("calls a function of the script");
      run(judge, first.text, fields);
      return;
    }
    const name = first.text;
    // Known names have no slash in them.
    let entry = known.get(name);
    const base = entry === undefined ? baseName(name) : name;
    if (base !== name) entry = known.get(base);
    const isBuiltin: boolean = !external && name === base && entry?.builtin !== undefined;
    if (!isBuiltin && !isTrustedPlace(name, base, judge)) {
      mention(judge, fields);
      run(judge, base, fields);
      return;
    }
    if (!isBuiltin) obey(judge);
    const here = count === 0 ? call : { judge, fields, machine };
    if (entry?.unwrap === undefined) {
      handle(here, base, entry, isBuiltin);
      judge.listPatterns(fields);
      // `timeout` may end it before it prints, and other wrappers may not start it at all.
      if (count > 0) judge.printed = undefined;
      run(judge, base, fields);
      return;
    }
    const before = judge.reason;
    const inner = entry.unwrap(here);
    if (inner === undefined || (judge.reason !== before && inner.fields.length > 0)) run(judge, base, fields);
    if (inner === undefined) {
      mention(judge, fields);
      return;
    }
    enter(inner, judge, machine);
    fields = inner.fields;
    external ||= !isBuiltin;
  }
  judge.fail("too many wrappers");
  run(judge, "", fields);
}

function handle(call: Call, base: string, entry: Known | undefined, isBuiltin: boolean): void {
  const { judge, fields } = call;
  if (entry?.builtin !== undefined && (isBuiltin || isAlsoProgram(base))) {
    entry.builtin(call);
    if (!isBuiltin) judge.moved = undefined;
    return;
  }
  const program = entry?.program ?? findProgram(base);
  if (program === undefined) {
    judge.fail(`${base} is not on the list of known programs`);
    mention(judge, fields);
    lookBehind(call);
    return;
  }
  program.handle?.(call);
  if (program.asks !== undefined) judge.fail(program.asks);
  if (judge.reason !== undefined) mention(judge, fields);
}

/** A program gets the environment, and may make anything of what was put there. */
function obey(judge: Judge): void {
  const setting = judge.setting ?? judge.state.setting;
  if (setting !== undefined) judge.fail(`${setting}, which it may obey`);
}

/** What a wrapper sets for the command inside it. */
function enter(inner: Unwrapped, judge: Judge, machine: Call["machine"]): void {
  for (const assignment of inner.assignments ?? []) {
    const name = /^([^=[]*)/.exec(assignment.text)?.[1] ?? "";
    const isPlain = assignment.kind === "text" && assignment.text.charAt(name.length) === "=";
    machine.assign(name, isPlain ? textField(assignment.text.slice(name.length + 1)) : undefined, true, judge);
  }
  if (inner.directory !== undefined) {
    const directories = judge.paths(inner.directory);
    judge.read(inner.directory);
    judge.state = withDirectories(judge.state, directories.length === 0 ? undefined : directories);
  }
}

function run(judge: Judge, program: string, fields: readonly Field[]): void {
  const decides = decidesForPerson(fields);
  if (decides !== undefined) judge.forbid(decides);
  const reason = judge.reason ?? judge.state.doubt;
  judge.effects.push({ kind: "run", program, text: showFields(fields), understood: reason === undefined, reason });
}

function baseName(name: string): string {
  const slash = name.lastIndexOf("/");
  return slash < 0 ? name : name.slice(slash + 1);
}

/** `./cat` is not `cat`, and neither is a `cat` that PATH finds in the workspace. */
function isTrustedPlace(name: string, base: string, judge: Judge): boolean {
  const { world } = judge;
  if (name !== base) {
    const path = normalizePath(name);
    const trusted =
      name.startsWith("/") && systemDirectories.some((directory) => isWithin(path, directory)) && !isWithin(path, world.workspace);
    if (!trusted) judge.fail(`${name} is a program outside the system's directories`);
    return trusted;
  }
  const found = world.which?.(name);
  if (found === undefined || isUsual(found, world.workspace)) return true;
  const path = normalizePath(found);
  const inside =
    isWithin(path, world.workspace) || temporaryDirectories.some((directory) => isWithin(path, directory)) || !path.startsWith("/");
  if (inside) judge.fail(`${name} is a program of the workspace (${found})`);
  return !inside;
}

/** Right in `/usr/bin` or `/bin`, with no workspace there. */
function isUsual(found: string, workspace: string): boolean {
  const start = found.startsWith("/usr/bin/") ? 9 : found.startsWith("/bin/") ? 5 : 0;
  if (start === 0 || found.charCodeAt(start) === 0x2e || found.includes("/", start)) return false;
  return !meetsSystem(workspace);
}

let lastWorkspace: string | undefined;
let lastMeets = false;

/** A workspace that lies in the usual directories of programs, or around them; the one asked about last is nearly always asked about next. */
function meetsSystem(workspace: string): boolean {
  if (workspace !== lastWorkspace) {
    lastMeets = ["/usr/bin", "/bin"].some((directory) => isWithin(directory, workspace) || isWithin(workspace, directory));
    lastWorkspace = workspace;
  }
  return lastMeets;
}

const perhapsSecret = /\.[a-z]|id_|cred|secret|shadow/;

/** Secret files named by a command that is not understood anyway: the path rules still hold for them. */
function mention(judge: Judge, fields: readonly Field[]): void {
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field?.kind !== "text" || !perhapsSecret.test(field.text)) continue;
    for (const text of new Set([field.text, field.text.replace(/^.*?[=@:]/s, ""), field.text.replace(/^.*@/s, "")])) {
      if (text.length > 4_096 || !looksSecret(text) || /[\s'"`;|&()]/.test(text)) continue;
      const home = text.startsWith("~/") ? judge.home() + text.slice(1) : text;
      for (const directory of home.startsWith("/") ? ["/"] : (judge.state.directories ?? []))
        judge.readPath(joinPath(directory, home), false);
    }
  }
}

/** An unknown program may be a wrapper: what stands behind it is held to the floor all the same. */
function lookBehind(call: Call): void {
  const { fields, machine, judge } = call;
  for (let index = 1; index < fields.length && index < 16; index += 1) {
    const field = fields[index];
    if (field?.kind !== "text" || !dangerous.test(baseName(field.text))) continue;
    machine.runInner(fields.slice(index), { doubt: judge.reason });
    return;
  }
}
