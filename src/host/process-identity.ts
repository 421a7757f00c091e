/** Who this process is to others that share its home, and whether another one still lives. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Owner } from "../contract/index.ts";

export function thisOwner(): Owner {
  return { id: randomUUID(), pid: process.pid, startToken: startTokenOf(process.pid) ?? `started-${Math.round(performance.timeOrigin)}` };
}

/** Whether some process has this pid. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: somebody else's process has that pid, so it exists.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Dead when the pid is gone, or belongs to a process that started at another time. */
export function isAlive(owner: Owner): boolean {
  if (!isRunning(owner.pid)) return false;
  const token = startTokenOf(owner.pid);
  return token === undefined || !owner.startToken.startsWith("linux-") || token === owner.startToken;
}

/** Stopped by a signal or a debugger; never where there is no /proc. */
export function isStopped({ pid }: Owner): boolean {
  return /^[Tt]$/.test(statFields(pid)?.[0] ?? "");
}

function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the name in parentheses and may hold spaces, so count from its end.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/** Start time in clock ticks and the boot it counts from; `undefined` where there is no /proc. */
function startTokenOf(pid: number): string | undefined {
  const fields = statFields(pid);
  if (fields === undefined) return undefined;
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return fields[0] === "Z" ? "linux-zombie" : `linux-${boot}-${fields[19]}`;
  } catch {
    return undefined;
  }
}
