/** A real terminal in a temporary directory, closed when its test ends. */
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TerminalAnswer } from "../../contract/index.ts";
import { createTerminal, type SessionTerminal, type TerminalOptions, terminalEnvironment } from "./index.ts";

const limitMs = 30_000;

export interface TestTerminal {
  readonly terminal: SessionTerminal;
  readonly cwd: string;
  run(command: string, timeoutMs?: number): Promise<TerminalAnswer>;
  input(text: string, timeoutMs?: number): Promise<TerminalAnswer>;
}

export async function testTerminal(options: Partial<TerminalOptions> = {}): Promise<TestTerminal> {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "karyi-terminal-")));
  const terminal = createTerminal({ cwd, env: terminalEnvironment(process.env, { LESS: "", EDITOR: "vi" }), ...options });
  onTestFinished(async () => {
    terminal.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const { signal } = new AbortController();
  return {
    terminal,
    cwd,
    run: (command, timeoutMs = limitMs) => terminal.run(command, { timeoutMs, signal, onOutput: () => {} }),
    input: (text, timeoutMs = limitMs) => terminal.input(text, { timeoutMs, signal }),
  };
}

export function present(program: string): boolean {
  try {
    execFileSync("bash", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
