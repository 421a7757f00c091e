/** What the Bash tool adds to a command: to one that does nothing, to one that prints much, and to judging it. */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ProcessRoom } from "../src/host/index.ts";
import { bareWrite } from "./bare-write.ts";
import type { JudgingOfSets } from "./judging.child.ts";
import { question, record } from "./measure.ts";
import { benchPlace, smoke, succeeded } from "./place.ts";
import { plainBash } from "./plain-bash.ts";
import type { PrintingTimes } from "./printing.child.ts";

const room = new ProcessRoom(process.env, { plain: true });
afterAll(() => room.close());
const never = new AbortController().signal;

const { session, workspace } = await benchPlace({ tools: [plainBash(room)], env: process.env, approve: async () => "once" });
const bare = bareWrite();
const call = (command: string) => async () => void succeeded(await session.call("PlainBash", { command }));

question({
  name: "shell: `Bash true` in a process group over a spawn and two commits",
  limit: () => bare.around('{"command":"true"}', () => drained("true")),
  ours: call("true"),
  bound: 1.15,
  pairs: 51,
});

const confined = (command: string) => async () => void succeeded(await session.call("Bash", { command }));

question({
  name: "shell: `Bash true` in a world of reading over a bare spawn and two commits",
  limit: () => bare.around('{"command":"true"}', () => drained("true")),
  ours: confined("true"),
  bound: 2.2,
  pairs: 51,
});

question({
  name: "shell: an understood `cat` in a world of reading over a bare spawn and two commits",
  limit: () => bare.around('{"command":"cat /etc/os-release"}', () => drained("cat /etc/os-release")),
  ours: confined("cat /etc/os-release"),
  bound: 2.2,
  pairs: 51,
});

it("a command that prints much takes at most 1.3 times draining the same pipe", () => {
  const times = inOwnProcess<PrintingTimes>("printing.child.ts");
  const ratio = times.oursMs / times.limitMs;
  record({ ...times, ratio, name: "shell: `seq 1 200000` over draining the same pipe", bound: 1.3 });
  if (!smoke) expect(ratio).toBeLessThanOrEqual(1.3);
});

question({
  name: "shell: `true` started, watched and asked where it ended, over a bare spawn",
  limit: () => drained("true"),
  ours: async () =>
    void (await room.run({ command: "true", cwd: workspace, env: {}, timeoutMs: 60_000, signal: never, onOutput: () => {} })),
  bound: 1.1,
  pairs: 51,
});

it("judging a command takes at most three times its bare parse, at the median", () => {
  const { corpus, everyday } = inOwnProcess<JudgingOfSets>("judging.child.ts");
  record({ ...corpus, name: "shell: judging a command over its bare parse (median of the policy's cases)", bound: 3, target: "300 µs" });
  record({ ...everyday, name: "shell: judging a command over its bare parse (median of everyday commands)", target: "300 µs" });
  if (!smoke) expect(corpus.ratio).toBeLessThanOrEqual(3);
});

/** What a child of this folder prints, as it would in a user's process. */
function inOwnProcess<T>(name: string): T {
  const register = join(import.meta.dirname, "../test/support/ts-register.mjs");
  const child = spawnSync(process.execPath, ["--import", register, join(import.meta.dirname, name)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout) as T;
}

function drained(command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", command], { cwd: workspace, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", () => resolve());
  });
}
