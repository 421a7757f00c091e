/** Run directories are shared by all processes of a home: none may take another's for a dead one's. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { isOwned, newRunDirectory, sweepUnnamed } from "./state-directory.ts";

function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), "karyi-state-directory-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Looks at every directory of `base` as soon as it is there, and tells those that name no owner. */
const onlooker = `
  const { existsSync, readdirSync } = require("node:fs");
  const { parentPort, workerData } = require("node:worker_threads");
  const known = new Set();
  const unowned = [];
  parentPort.postMessage("ready");
  const isOver = new Int32Array(workerData.over);
  while (Atomics.load(isOver, 0) === 0) {
    for (const name of readdirSync(workerData.base)) {
      if (known.has(name) || !/^[0-9a-f]{16}$/.test(name)) continue;
      known.add(name);
      if (!existsSync(workerData.base + "/" + name + "/owner")) unowned.push(name);
    }
  }
  parentPort.postMessage(unowned);
`;

test("a run directory is never seen without its owner", async () => {
  const base = join(temporaryHome(), "sandbox");
  mkdirSync(base);
  const over = new SharedArrayBuffer(4);
  const worker = new Worker(onlooker, { eval: true, workerData: { base, over } });
  await new Promise((resolve) => worker.once("message", resolve));
  const runs = Array.from({ length: 1_000 }, () => newRunDirectory(base));
  const seen = new Promise((resolve) => worker.once("message", resolve));
  Atomics.store(new Int32Array(over), 0, 1);
  expect(await seen).toEqual([]);
  expect(runs.every(isOwned)).toBe(true);
});

test("what a process killed inside newRunDirectory left is removed, what another makes just now is not", () => {
  const home = temporaryHome();
  const base = join(home, "sandbox");
  for (const name of ["0123456789abcdef.unnamed", "fedcba9876543210.unnamed"]) mkdirSync(join(base, name), { recursive: true });
  utimesSync(join(base, "0123456789abcdef.unnamed"), 0, 0);
  sweepUnnamed(home);
  expect(readdirSync(base)).toEqual(["fedcba9876543210.unnamed"]);
});
