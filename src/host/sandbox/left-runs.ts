/**
 * Ends what a killed Karyi left running in a world of its own: its layer goes, so the command has nothing to work for any more.
 * Known by the directory of the run, which the first process of its chain was given; nothing else has that name.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function endLeftRun(run: string): void {
  for (const name of numbered()) {
    if (!isFirstOf(name, run)) continue;
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

function isFirstOf(pid: string, run: string): boolean {
  try {
    const words = readFileSync(join("/proc", pid, "cmdline"), "utf8").split("\0");
    return /(^|\/)unshare$/.test(words[0] ?? "") && words.includes("karyi-setup") && words.some((word) => word.includes(`${run}/`));
  } catch {
    return false;
  }
}
