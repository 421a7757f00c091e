/** A real terminal in a temporary directory as one caller uses it, closed when its test ends. */
import { readFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TerminalAnswer, Terminals } from "../../../contract/index.ts";
import { terminalEnvironment } from "../index.ts";
import { SharedTerminal, type TerminalCaller } from "./shared-terminal.ts";

const limitMs = 30_000;

export interface CalledTerminal {
  readonly terminal: Terminals;
  run(command: string): Promise<TerminalAnswer>;
  input(text: string): Promise<TerminalAnswer>;
}

export function calling(terminal: Terminals, signal = new AbortController().signal): CalledTerminal {
  return {
    terminal,
    run: (command) => terminal.run(command, { timeoutMs: limitMs, signal, onOutput: () => {} }),
    input: (text) => terminal.input(text, { timeoutMs: limitMs, signal }),
  };
}

export async function temporaryPlace(): Promise<string> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "karyi-terminal-")));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  return cwd;
}

export async function sharedTerminal(
  caller: TerminalCaller = {},
): Promise<CalledTerminal & { readonly shared: SharedTerminal; readonly cwd: string }> {
  const cwd = await temporaryPlace();
  const shared = new SharedTerminal({ cwd, env: terminalEnvironment(process.env, { LESS: "", EDITOR: "vi" }) });
  onTestFinished(() => shared.close());
  return { ...calling(shared.of(caller)), shared, cwd };
}

/** One that ended and that nobody asked about yet is not running. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
