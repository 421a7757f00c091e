/** Without a PID namespace: finds what a command left behind although it left its process group, by the mark in its environment. */
import { readdirSync, readFileSync } from "node:fs";
import { marker } from "./state-report.ts";

/** Ends every process that carries the mark; answers how many there were. */
export function endMarked(mark: string): number {
  const needle = Buffer.from(`${marker}=${mark}\0`);
  let ended = 0;
  // A process may fork while we look, so look again until nothing is found.
  for (let round = 0; round < 5; round++) {
    const pids = marked(needle);
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

function marked(needle: Buffer): number[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`).includes(needle);
      } catch {
        return false;
      }
    });
}
