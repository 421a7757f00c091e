/** The processes of this machine as /proc tells them: one line each, and who descends from whom. Reads only. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface ProcessLine {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Its controlling terminal, as the kernel counts them. */
  readonly terminal: number;
  /** The process group in the foreground of that terminal. */
  readonly foreground: number;
}

export function processLine(pid: number): ProcessLine | undefined {
  const text = readText(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  const [state = "", ...numbers] = text.slice(close + 2).split(" ", 6);
  const [parent = 0, group = 0, session = 0, terminal = 0, foreground = 0] = numbers.map(Number);
  return { pid, name: text.slice(open + 1, close), state, parent, group, session, terminal, foreground };
}

export function allProcesses(): ProcessLine[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processLine(Number(name)) ?? []);
  } catch {
    return [];
  }
}

export function withDescendants(roots: readonly ProcessLine[], all: readonly ProcessLine[]): ProcessLine[] {
  const found = new Map(roots.map((root) => [root.pid, root]));
  for (let grew = true; grew; ) {
    grew = false;
    for (const line of all) {
      if (found.has(line.pid) || !found.has(line.parent)) continue;
      found.set(line.pid, line);
      grew = true;
    }
  }
  return [...found.values()];
}

/** Words of the command line it was started with. */
export function argumentsOf(pid: number): string[] {
  return (readText(`/proc/${pid}/cmdline`) ?? "").split("\0").slice(0, -1);
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
