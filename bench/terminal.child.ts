/**
 * Runs commands through the Terminal tool of a session and in a bare pty, pair by pair, in a process of its own, and prints what
 * that took: a test runner puts a detour before every function of ours that crosses a file, a user's process does not.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
// The library as it is shipped.
import { createEngine } from "../dist/index.js";

export interface TerminalTimes {
  readonly command: string;
  readonly limitMs: number;
  readonly oursMs: number;
}

const smoke = process.env.KARYI_BENCH_SMOKE === "1";
/** What is measured is a process that has been at work for a while: until then everything has been compiled. */
const warmUps = smoke ? 0 : 4000;
const pairs = smoke ? 1 : 201;

const workspace = mkdtempSync(join(tmpdir(), "karyi-bench-"));
const engine = await createEngine({ workspace, home: join(workspace, ".karyi"), mode: "accept-edits", approve: async () => "once" });
const session = await engine.openSession();
const pty = spawn("bash", ["--norc", "--noprofile", "-i"], { cwd: workspace, env: { ...process.env, PS1: "$ ", TERM: "xterm-256color" } });

let printed = "";
let onPrinted = () => {};
pty.onData((text) => {
  printed += text;
  onPrinted();
});
let round = 0;

/** The least: type the command with a mark behind it, wait until the mark is printed and the prompt stands. */
function typed(command: string): Promise<void> {
  const mark = `end-${round++}`;
  printed = "";
  return new Promise((resolve) => {
    onPrinted = () => {
      // The echo of the line holds quotes within the mark, the output does not.
      if (printed.includes(`${mark}\r\n`) && printed.endsWith("$ ")) resolve();
    };
    pty.write(`${command}; echo "${mark.slice(0, 3)}""${mark.slice(3)}"\n`);
  });
}

async function called(command: string): Promise<void> {
  const { status, output } = await session.call("Terminal", { command });
  if (status !== "ok") throw new Error(output);
}

async function timed(work: (command: string) => Promise<void>, command: string): Promise<number> {
  const started = performance.now();
  await work(command);
  return performance.now() - started;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function both(command: string): Promise<[limit: number, mine: number]> {
  return [await timed(typed, command), await timed(called, command)];
}

async function compare(command: string): Promise<TerminalTimes> {
  const limits: number[] = [];
  const ours: number[] = [];
  for (let pair = smoke ? 0 : -50; pair < pairs; pair++) {
    const [limit, mine] = await both(command);
    if (pair < 0) continue;
    limits.push(limit);
    ours.push(mine);
  }
  return { command, limitMs: median(limits), oursMs: median(ours) };
}

const commands = ["true", "echo hello", "/bin/true"] as const;
for (let turn = 0; turn < warmUps; turn++) await both(commands[turn % 2] ?? "true");
const answers: TerminalTimes[] = [];
for (const command of commands) answers.push(await compare(command));
await engine.close();
pty.kill("SIGKILL");
rmSync(workspace, { recursive: true, force: true });
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
