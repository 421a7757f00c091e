/**
 * Whether a process that waits for a line is a shell at its prompt, one that would run the line just as the terminal's own
 * shell would: the same user, the same file system, started to be typed at and not to run a script. Reads /proc only; whatever
 * it cannot see, or any other shell's language, is no such shell.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { NestedShell } from "../../../contract/index.ts";

const languages: Readonly<Record<string, NestedShell["language"]>> = { bash: "bash", rbash: "bash", sh: "sh", dash: "sh" };
/** Options that take no word of their own and name no file to run. */
const harmlessOption = /^(?:-[il]+|--norc|--noprofile|--login|--posix|--noediting)$/;

export function nestedShell(pid: number): NestedShell | undefined {
  try {
    const language = languages[basename(readlinkSync(`/proc/${pid}/exe`))];
    if (language === undefined || !isOneOfUs(pid)) return undefined;
    const [, ...options] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
    if (!options.every((option) => harmlessOption.test(option))) return undefined;
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    if (cwd.endsWith(" (deleted)")) return undefined;
    return { pid, language, cwd, env: environmentOf(pid) };
  } catch {
    return undefined;
  }
}

/** Neither another user nor another root: what is judged here is what it would do there. */
function isOneOfUs(pid: number): boolean {
  const users = /^Uid:\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.slice(1) ?? [];
  const sees = (name: string) => readlinkSync(`/proc/${pid}/${name}`) === readlinkSync(`/proc/self/${name}`);
  return (
    users.length === 4 && users.every((user) => Number(user) === process.getuid?.()) && sees("root") && sees("ns/mnt") && sees("ns/user")
  );
}

/** As it was started: what it exported since is not seen from outside. */
function environmentOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  return Object.fromEntries(
    lines.flatMap((line) => (/^[A-Za-z_]\w*=/.test(line) ? [[line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]] : [])),
  );
}
