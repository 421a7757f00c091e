/** Without a PID namespace: finds what a command left behind although it left its process group, by the mark in its environment. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { markText } from "./state-report.ts";

/** The command itself: whatever it started has a later number. */
export interface Ancestor {
  readonly pid: number;
  readonly ageMs: number;
}

/** Numbers start again at the end: only of a young command is it certain that they did not. */
const youngMs = 1_000;
/** Fewer than this are asked for one by one; listing all processes costs more. */
const few = 64;

/** Ends every process that carries the mark; answers how many there were. */
export function endMarked(mark: string, ancestor?: Ancestor): number {
  const needle = Buffer.from(markText(mark));
  let ended = 0;
  // A process may fork while we look, so look again until nothing is found.
  for (let round = 0; round < 5; round++) {
    const pids = candidates(ancestor).filter((pid) => isMarked(pid, needle));
    if (pids.length === 0) return ended;
    for (const pid of pids) {
      try {
        process.kill(pid, "SIGKILL");
        ended += 1;
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }
  return ended;
}

function candidates(ancestor: Ancestor | undefined): number[] {
  const from = ancestor !== undefined && ancestor.ageMs < youngMs ? ancestor.pid : 0;
  const last = from > 0 ? newestPid() : 0;
  // Mostly nothing, or next to nothing, was started since the command itself.
  if (last >= from && last - from < few && from > 0) {
    return Array.from({ length: last - from }, (_, index) => from + 1 + index).filter((pid) => existsSync(`/proc/${pid}`));
  }
  const all = allPids();
  return last >= from && from > 0 ? all.filter((pid) => pid > from) : all;
}

/** The number given to the last process or thread that was started anywhere here; 0 where that is not told. */
function newestPid(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ").pop()) || 0;
  } catch {
    return 0;
  }
}

function allPids(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid);
  } catch {
    return [];
  }
}

function isMarked(pid: number, needle: Buffer): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(needle);
  } catch {
    return false;
  }
}
