/** `karyi run` as a process of its own whose events are read while they come. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../../bin/karyi.js");

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
type WireEvent = any;

export interface RunningCommand {
  readonly child: ChildProcess;
  readonly events: WireEvent[];
  /** The first event of this type, there or to come. Rejects if the command ends without it. */
  sees(type: string): Promise<WireEvent>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export function runWithEvents(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
  const child = spawn(process.execPath, [bin, "run", ...args, "--events"], {
    env: { ...process.env, LANG: "C", LC_ALL: "C", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const events: WireEvent[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const tell = () => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    events.push(JSON.parse(line));
    tell();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on("close", (code, signal) => {
      over = true;
      tell();
      resolve({ code, signal });
    });
  });
  const sees = (type: string) =>
    new Promise<WireEvent>((resolve, reject) => {
      const look = () => {
        const found = events.find((event) => event.type === type);
        if (found === undefined && !over) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`ended without ${type}`));
        else resolve(found);
      };
      waiting.add(look);
      look();
    });
  return { child, events, sees, ended };
}
