/**
 * Runs a command that prints much through the Bash tool of a session, and drains the same pipe bare, pair by pair, in a process
 * of its own, and prints what that took: a test runner puts a detour before every function of ours that crosses a file.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessRoom } from "../src/host/index.ts";
import { createEngine } from "../src/index.ts";
import { plainBash } from "./plain-bash.ts";

export interface PrintingTimes {
  readonly limitMs: number;
  readonly oursMs: number;
}

const [command = "seq 1 200000"] = process.argv.slice(2);
const smoke = process.env.KARYI_BENCH_SMOKE === "1";
/** Until everything has been compiled: what is measured is a process that has been at work for a while. */
const warmUps = smoke ? 1 : 100;
const pairs = smoke ? 1 : 41;

const room = new ProcessRoom(process.env, { plain: true });
const workspace = mkdtempSync(join(tmpdir(), "karyi-bench-"));
const home = mkdtempSync(join(tmpdir(), "karyi-bench-"));
const engine = await createEngine({ workspace, home, mode: "accept-edits", tools: [plainBash(room)], approve: async () => "once" });
const session = await engine.openSession();

async function called(): Promise<void> {
  const { status, output } = await session.call("PlainBash", { command });
  if (status !== "ok") throw new Error(output);
}

function drained(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { cwd: workspace, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const limits: number[] = [];
const ours: number[] = [];
for (let pair = -warmUps; pair < pairs; pair++) {
  const limit = await timed(drained);
  const mine = await timed(called);
  if (pair < 0) continue;
  limits.push(limit);
  ours.push(mine);
}
const times: PrintingTimes = { limitMs: median(limits), oursMs: median(ours) };
await engine.close();
room.close();
for (const directory of [workspace, home]) rmSync(directory, { recursive: true, force: true });
process.stdout.write(JSON.stringify(times));
