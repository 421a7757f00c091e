/**
 * Programs that only start another one. Each says where the inner command begins; options that do more than
 * that, and wrappers that change rights or write files themselves, make the command not understood.
 */
import { type Field, mayBeOption, textField } from "./field.ts";
import type { Judge } from "./judge.ts";
import type { Call, Unwrapped, Unwrapper } from "./machine.ts";
import { type OptionSpec, type OptionTable, optionTable, readOptions } from "./options.ts";

interface WrapperSpec extends OptionSpec {
  /** Operands before the command (`timeout 5 ls` has one). */
  readonly skip?: number;
  /** Why it always asks. */
  readonly asks?: string;
}

function wrapper(spec: WrapperSpec): Unwrapper {
  let table: OptionTable | undefined;
  return ({ judge, fields }) => {
    table ??= optionTable({ ...spec, posix: true });
    if (spec.asks !== undefined) judge.fail(spec.asks);
    const parsed = readOptions(table, fields, 1, judge);
    const start = parsed === undefined ? guessStart(fields) : parsed.operandIndex;
    const inner = fields.slice(start + (parsed === undefined ? 0 : (spec.skip ?? 0)));
    if (inner.length === 0) {
      judge.fail("starts no command");
      return undefined;
    }
    return { fields: inner };
  };
}

/** With options that are not known, the inner command is the first word that is none: enough for the floor. */
function guessStart(fields: readonly Field[]): number {
  for (let index = 1; index < fields.length; index += 1) {
    const field = fields[index];
    if (field !== undefined && !mayBeOption(field) && !/^[\d.]+[smhd]?$/.test(field.text)) return index;
  }
  return fields.length;
}

const rights = "runs with the rights of another user";

const sudoTable = optionTable({
  short: "AbEeHiKklnPSsVvu:g:C:h:p:r:t:T:U:D:R:",
  long: "user= user: group: host: login non-interactive preserve-env? stdin set-home chdir: shell",
  posix: true,
});

function sudo({ judge, fields }: Call): Unwrapped | undefined {
  judge.fail(rights);
  const parsed = readOptions(sudoTable, fields, 1, judge);
  let start = parsed?.operandIndex ?? guessStart(fields);
  while (start < fields.length && /^[A-Za-z_]\w*=/.test(fields[start]?.text ?? "")) start += 1;
  return start < fields.length ? { fields: fields.slice(start) } : undefined;
}

const envTable = optionTable({ short: "i0vu:C:S:", long: "ignore-environment unset: chdir: split-string: null", posix: true });

function env({ judge, fields }: Call): Unwrapped | undefined {
  const parsed = readOptions(envTable, fields, 1, judge);
  let start = parsed?.operandIndex ?? guessStart(fields);
  // A lone dash is `-i`.
  if (fields[start]?.text === "-") start += 1;
  const assignments: Field[] = [];
  while (start < fields.length) {
    const field = fields[start];
    if (field === undefined || !/^[^=]+=/.test(field.text) || field.kind === "glob") break;
    assignments.push(field);
    start += 1;
  }
  const unset = parsed?.options.get("u") ?? parsed?.options.get("unset");
  if (unset !== undefined) assignments.push(unset.kind === "text" ? unset : textField("PATH"));
  // Of an option given twice only the last is known here, but the first of these counts.
  const repeated = fields.slice(1, start).filter((field) => /^(?:-[0iv]*[uCS]|--(?:unset|chdir|split-string))/.test(field.text)).length;
  if (repeated > 1) judge.fail("env with the same option twice");
  const directory = parsed?.options.get("C") ?? parsed?.options.get("chdir");
  const split = parsed?.options.get("S") ?? parsed?.options.get("split-string");
  const extra = split === undefined ? [] : splitString(split, judge);
  const inner = [...extra, ...fields.slice(start)];
  while (extra.length > 0 && inner.length > 0 && /^[A-Za-z_]\w*=/.test(inner[0]?.text ?? "")) {
    const assignment = inner.shift();
    if (assignment !== undefined) assignments.push(assignment);
  }
  if (inner.length === 0) {
    judge.fail("prints the environment, which may hold secrets");
    for (const assignment of assignments) void assignment;
    return undefined;
  }
  return { fields: inner, assignments, ...(directory === undefined ? {} : { directory }) };
}

/** `env -S` has quoting rules of its own: only text that needs none is taken apart. */
function splitString(field: Field, judge: Judge): Field[] {
  if (field.kind !== "text" || /['"\\$#]/.test(field.text)) judge.fail("env -S with quoting of its own");
  const words = field.text
    .replace(/['"\\]/g, "")
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words[0]?.startsWith("-")) judge.fail("env -S with options inside");
  return words.map(textField);
}

function command({ judge, fields }: Call): Unwrapped | undefined {
  let start = 1;
  while (fields[start]?.kind === "text" && /^-[pvV]+$|^--$/.test(fields[start]?.text ?? "")) {
    // `command -v` only looks a name up; the lookup is a command of its own without effects.
    if (/[vV]/.test(fields[start]?.text ?? "")) return { fields: [textField("type"), ...fields.slice(start + 1)] };
    start += 1;
    if (fields[start - 1]?.text === "--") break;
  }
  const first = fields[start];
  if (first === undefined) return { fields: [textField(":")] };
  if (mayBeOption(first)) judge.fail("option that is not known to be harmless");
  return { fields: fields.slice(start) };
}

function execute({ judge, fields }: Call): Unwrapped | undefined {
  const parsed = readOptions(execTable, fields, 1, judge);
  const start = parsed?.operandIndex ?? guessStart(fields);
  if (start >= fields.length) {
    judge.fail("redirects the shell itself");
    return undefined;
  }
  return { fields: fields.slice(start) };
}
const execTable = optionTable({ short: "cla:", posix: true });

function multiplexer({ judge, fields }: Call): Unwrapped | undefined {
  judge.fail("applets of a multiplexer have options of their own");
  return fields.length > 1 ? { fields: fields.slice(1) } : undefined;
}

const plainFlock = wrapper({
  short: "sxunw:E:oF",
  long: "shared exclusive unlock nonblock timeout: conflict-exit-code: close no-fork verbose",
  skip: 1,
  asks: "creates a lock file",
});

/** `flock FILE -c TEXT` hands its text to a shell. */
function flock(call: Call): Unwrapped | undefined {
  const at = call.fields.findIndex((field) => field.kind === "text" && /^(?:-c|--command)$/.test(field.text));
  const inner = plainFlock(call);
  return at < 0 ? inner : { fields: [textField("bash"), textField("-c"), ...call.fields.slice(at + 1)] };
}

export const wrappers: ReadonlyMap<string, Unwrapper> = new Map<string, Unwrapper>([
  ["env", env],
  ["command", command],
  ["builtin", wrapper({})],
  ["exec", execute],
  ["sudo", sudo],
  ["doas", wrapper({ short: "nLsC:u:a:", asks: rights })],
  ["pkexec", wrapper({ long: "user: disable-internal-agent keep-cwd", asks: rights })],
  ["gosu", wrapper({ skip: 1, asks: rights })],
  ["su-exec", wrapper({ skip: 1, asks: rights })],
  ["runuser", wrapper({ short: "u:g:G:lmp", long: "user: group:", asks: rights })],
  ["setpriv", wrapper({ long: "reuid: regid: clear-groups keep-groups init-groups no-new-privs", asks: rights })],
  ["chroot", wrapper({ long: "userspec: groups: skip-chdir", skip: 1, asks: "runs in another root" })],
  ["unshare", wrapper({ short: "fmnuipUCrT", asks: "runs in a namespace" })],
  ["nsenter", wrapper({ short: "at:S:G:mnuipUC", asks: "runs in a namespace" })],
  ["nohup", wrapper({ asks: "may leave a nohup.out behind" })],
  ["nice", wrapper({ short: "n:", long: "adjustment:", digits: true })],
  ["ionice", wrapper({ short: "c:n:t", long: "class: classdata: ignore" })],
  ["chrt", wrapper({ short: "bfior", skip: 1, asks: "changes how it is scheduled" })],
  ["taskset", wrapper({ short: "c", skip: 1, asks: "changes how it is scheduled" })],
  ["timeout", wrapper({ short: "k:s:v", long: "kill-after: signal: foreground preserve-status verbose", skip: 1 })],
  ["gtimeout", wrapper({ short: "k:s:v", long: "kill-after: signal: foreground preserve-status verbose", skip: 1 })],
  ["stdbuf", wrapper({ short: "i:o:e:", long: "input: output: error:" })],
  ["setsid", wrapper({ short: "cfw", long: "ctty fork wait", asks: "leaves the process group" })],
  ["time", wrapper({ short: "pvaf:o>", long: "portability verbose append format: output>" })],
  ["busybox", multiplexer],
  ["toybox", multiplexer],
  ["flock", flock],
  ["chronic", wrapper({ asks: "is not on the list of known programs" })],
  ["unbuffer", wrapper({ short: "p", asks: "is not on the list of known programs" })],
  ["eatmydata", wrapper({ asks: "is not on the list of known programs" })],
  ["fakeroot", wrapper({ asks: "is not on the list of known programs" })],
  ["strace", wrapper({ short: "fcCqtTvxyo>e:p:s:", asks: "traces a program" })],
  ["ltrace", wrapper({ short: "fcSo>e:p:s:", asks: "traces a program" })],
  [
    "systemd-run",
    wrapper({
      short: "dGtPqru:p:",
      long: "user scope wait pty pipe quiet collect unit: property: uid: gid:",
      asks: "starts a process outside this session",
    }),
  ],
  ["proxychains", wrapper({ asks: "is not on the list of known programs" })],
  ["proxychains4", wrapper({ asks: "is not on the list of known programs" })],
  ["torsocks", wrapper({ asks: "is not on the list of known programs" })],
]);
