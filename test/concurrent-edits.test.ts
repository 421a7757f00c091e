/** Ten agents in two real processes edit one file at once; every edit that was acknowledged is in it. */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const rounds = process.env.KARYI_FULL === "1" ? 30 : 4;
const processes = ["east", "west"] as const;

interface Worker {
  readonly ready: Promise<void>;
  readonly done: Promise<readonly number[]>;
  go(): void;
}

function start(workspace: string, home: string, name: string): Worker {
  const script = join(import.meta.dirname, "support/child-editing-agents.mjs");
  const child = spawn(process.execPath, [script, workspace, home, name, String(rounds)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = lines.next().then(({ value }) => expect(value).toBe("ready"));
  const done = ready.then(async () => {
    const { value } = await lines.next();
    if (value === undefined) throw new Error(`${name} ended early`);
    return (JSON.parse(value) as { attempts: number[] }).attempts;
  });
  return { ready, done, go: () => child.stdin.end("go\n") };
}

function board(round: number): string {
  return processes.flatMap((name) => [0, 1, 2, 3, 4].map((agent) => `${name}-${agent}: ${round};\n`)).join("");
}

it("ten agents in two processes lose no edit of one file", { timeout: 300_000 }, async () => {
  const workspace = await temporaryDirectory();
  const home = await temporaryDirectory();
  await writeFile(join(workspace, "board.txt"), board(0));
  const workers = processes.map((name) => start(workspace, home, name));
  await Promise.all(workers.map(({ ready }) => ready));
  for (const worker of workers) worker.go();
  const attempts = (await Promise.all(workers.map(({ done }) => done))).flat();
  expect(await readFile(join(workspace, "board.txt"), "utf8")).toBe(board(rounds));
  expect(attempts).toHaveLength(10);
  expect(await readdir(workspace)).toEqual(["board.txt"]);

  const { engine } = await testEngine({ workspace, home });
  const sessions = await Promise.all(
    processes.flatMap((name) => [0, 1, 2, 3, 4].map((agent) => engine.openSession({ id: `${name}-${agent}` }))),
  );
  const histories = await Promise.all(sessions.map((session) => session.history(10_000)));
  const edits = histories.flat().filter(({ tool, status }) => tool === "Edit" && status === "success");
  expect(edits).toHaveLength(10 * rounds);
});
