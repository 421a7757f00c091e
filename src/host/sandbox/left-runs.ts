/**
 * Ends what a killed Karyi left running in a world of its own: its layer goes, so the command has nothing to work for any more.
 * Known by the directory of the run, which the first processes of its chain were given; nothing else has that name.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { initName, setupName } from "./confinement.ts";

export function endLeftRun(run: string): void {
  for (const name of numbered()) {
    if (!isOneOf(name, run)) continue;
    try {
      // Everything in its namespaces ends with it.
      process.kill(Number(name), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function numbered(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function isOneOf(pid: string, run: string): boolean {
  try {
    const words = readFileSync(join("/proc", pid, "cmdline"), "utf8").split("\0");
    return words.includes(initName(run)) || (words.includes(setupName) && words.some((word) => word.includes(`${run}/`)));
  } catch {
    return false;
  }
}
