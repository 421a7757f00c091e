/** Which processes run. One that ended and was not collected yet does not: in a PID namespace nobody may collect orphans. */
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return afterName(readFileSync(`/proc/${pid}/stat`, "utf8"))[0] !== "Z";
  } catch {
    return false;
  }
}

const afterName = (stat: string): readonly string[] => stat.slice(stat.lastIndexOf(")") + 2).split(" ");

/** The processes that this one started, of any depth. */
export async function ownProcesses(): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [state, parent] = afterName(stat);
    if (state !== "Z" && state !== "") parents.set(Number(name), Number(parent));
  }
  const ours = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === process.pid || (parent > 1 && ours(parent));
  };
  return [...parents.keys()].filter(ours);
}
