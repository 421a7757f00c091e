/**
 * How a command tells where it ended: an EXIT trap, set before the command runs, reports working
 * directory and exported variables on a descriptor of its own. A command that replaces its shell
 * (`exec`) or is killed reports nothing, and the session stays where it was.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Given as descriptor 3; the shell moves it where no script looks: many write to a 3 of their own. */
const givenFd = 3;
const reportFd = 213;
export const initFd = 4;

/** The first that the command's shell reports: it has begun. */
export const begun = "\x01";

/** `declare` prints one form in every mode of the shell; `export -p` does not. */
const initText = `unset BASH_ENV
exec ${reportFd}>&${givenFd} ${givenFd}>&- ${initFd}<&-
builtin printf '\\1' >&${reportFd}
trap '{ builtin printf "%s\\0" "$PWD"; builtin declare -xp; } >&${reportFd} 2>/dev/null' EXIT
`;

export interface ShellState {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A descriptor of the init text; the file itself has no name any more. Bash opens it as `/dev/fd/4`. */
export function openInit(): number {
  const directory = mkdtempSync(join(tmpdir(), "karyi-init-"));
  try {
    const path = join(directory, "init");
    writeFileSync(path, initText, { mode: 0o600 });
    return openSync(path, "r");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function parseState(report: string): ShellState | undefined {
  const start = report.indexOf(begun) + begun.length;
  const end = report.indexOf("\0", start);
  if (end < 0) return undefined;
  const cwd = report.slice(start, end);
  return cwd.startsWith("/") ? { cwd, env: parseExports(report.slice(end + 1)) } : undefined;
}

/** Reads the output of `declare -xp`: `declare -x NAME="value"`, or `$'…'` where the value has control characters. */
export function parseExports(text: string): Record<string, string> {
  const env: Record<string, string> = {};
  const pattern =
    /^declare -[a-zA-Z]*x[a-zA-Z]* ([A-Za-z_][A-Za-z0-9_]*)=(?:"([^"\\]*(?:\\[\s\S][^"\\]*)*)"|\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)')$/gm;
  for (const match of text.matchAll(pattern)) {
    const [, name = "", quoted, ansi] = match;
    env[name] = quoted !== undefined ? quoted.replace(/\\([\s\S])/g, "$1") : decodeAnsi(ansi ?? "");
  }
  return env;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

function decodeAnsi(text: string): string {
  const bytes: Buffer[] = [];
  for (const [part] of text.matchAll(/\\[0-7]{1,3}|\\x[0-9a-fA-F]{1,2}|\\u[0-9a-fA-F]{1,4}|\\U[0-9a-fA-F]{1,8}|\\[\s\S]|[^\\]+/g)) {
    bytes.push(decodePart(part));
  }
  return Buffer.concat(bytes).toString("utf8");
}

function decodePart(part: string): Buffer {
  if (!part.startsWith("\\")) return Buffer.from(part);
  const kind = part[1] ?? "";
  if (/[0-7]/.test(kind)) return Buffer.from([Number.parseInt(part.slice(1), 8) & 0xff]);
  if (kind === "x") return Buffer.from([Number.parseInt(part.slice(2), 16)]);
  if (kind === "u" || kind === "U") return Buffer.from(String.fromCodePoint(Number.parseInt(part.slice(2), 16)));
  return Buffer.from(simpleEscapes[kind] ?? part);
}

/** Marks every process of one call, so that those that left its group are found. */
export const marker = "KARYI_CALL_MARK";

const ownNames = new Set(["_", "SHLVL", "PWD", "BASH_ENV", marker]);

/** The system starts no program with a longer one, and only so much in all; a command's words need room too. */
const maxVariableBytes = 128 * 1024;
const maxCarriedBytes = 1 << 20;

export interface Carried {
  readonly env: Readonly<Record<string, string>>;
  /** Too large for any program to be started with: with them no further command of the session would run. */
  readonly leftBehind: readonly string[];
}

/**
 * The session's variables after a command: what it exported or changed is added, what it unset is gone; `SHLVL` and the like
 * are the shell's own business. `given` is everything it started with. The same object where nothing changed.
 */
export function carriedEnvironment(
  session: Readonly<Record<string, string>>,
  given: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Carried {
  // A name that no shell can hold is never reported, and not unset for that.
  const unset = Object.keys(session).filter(
    (name) => given[name] !== undefined && after[name] === undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  );
  const changed = Object.entries(after).filter(([name, value]) => !ownNames.has(name) && given[name] !== value);
  if (unset.length === 0 && changed.length === 0) return { env: session, leftBehind: [] };
  const carried: Record<string, string> = { ...session };
  for (const name of [...unset, ...changed.map(([changedName]) => changedName)]) delete carried[name];
  const leftBehind: string[] = [];
  let bytes = Object.entries(carried).reduce((sum, entry) => sum + sizeOf(entry), 0);
  for (const [name, value] of changed) {
    const size = sizeOf([name, value]);
    if (size > maxVariableBytes || bytes + size > maxCarriedBytes) leftBehind.push(name);
    else {
      carried[name] = value;
      bytes += size;
    }
  }
  return { env: carried, leftBehind };
}

/** As `NAME=value` with its end. */
function sizeOf([name, value]: readonly [string, string]): number {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
}

/** As it stands in an environment. */
export const markText = (mark: string): string => `${marker}=${mark}\0`;

export const newMark = (): string => randomBytes(12).toString("hex");
