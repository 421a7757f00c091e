/**
 * Tells whether this process was started by a command of a model: such a command carries a mark in its environment, and so
 * do the processes above it. Somebody who takes the mark out of one environment has not taken it out of the others.
 */
import { readFileSync } from "node:fs";
import { marker } from "./processes/state-report.ts";

const maxAncestors = 64;

export function isWithinCommand(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  if (env[marker] !== undefined) return true;
  let pid = process.ppid;
  for (let count = 0; count < maxAncestors && pid > 1; count += 1) {
    if (isMarked(pid)) return true;
    pid = parentOf(pid);
  }
  return false;
}

function isMarked(pid: number): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${marker}=`);
  } catch {
    return false;
  }
}

/** 0 where the system does not tell. */
function parentOf(pid: number): number {
  try {
    // The name in brackets may hold anything, a bracket too.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) || 0;
  } catch {
    return 0;
  }
}
