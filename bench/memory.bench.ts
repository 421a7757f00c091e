/**
 * Reading a page of a huge file takes no more memory than a page: the first one of 10 GB, and the last one of 1 GB (all
 * before it has to be read, which takes the kernel a minute with ten times as much).
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { question, record } from "./measure.ts";
import { benchPlace, numberedLines, smoke, succeeded } from "./place.ts";

const { session, workspace } = await benchPlace();
const small = join(workspace, "small.log");
const huge = join(workspace, "huge.log");
const long = join(workspace, "long.log");
const lines = 4000;
const text = numberedLines(lines);

/** Text at both ends and a hole between them, which counts as one very long line. */
for (const [path, bytes] of [
  [huge, 10 * 1024 ** 3],
  [long, smoke ? 64 * 1024 ** 2 : 1024 ** 3],
] as const) {
  const file = openSync(path, "w");
  writeSync(file, text);
  writeSync(file, `\n${text}`, bytes);
  closeSync(file);
}
const smallFile = openSync(small, "w");
writeSync(smallFile, text);
closeSync(smallFile);

const page =
  (path: string, offset = 0) =>
  async () =>
    void succeeded(await session.call("Read", { file_path: path, offset, limit: 200 }));

/** The growth of this process while `work` runs, at its highest. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 20);
  await work();
  clearInterval(watch);
  return Math.max(highest, process.memoryUsage().rss) - before;
}

it("the last page of a huge file takes no more memory than the last page of a small file", async () => {
  const firstPages = async () => {
    for (let index = 0; index < (smoke ? 2 : 100); index++) await page(huge)();
  };
  await firstPages();
  const first = await growth(firstPages);
  const started = performance.now();
  const last = await growth(page(long, lines + 1 + lines - 200));
  const oursMs = performance.now() - started;
  record({
    name: "memory: growth over the last page of 1 GB against the allowed 64 MiB",
    ratio: last / (64 * 1024 ** 2),
    bound: 1,
    oursMs,
    limitMs: oursMs,
    target: `first pages ${mib(first)}, last page ${mib(last)}`,
  });
  expect(Math.max(first, last)).toBeLessThan(64 * 1024 ** 2);
});

question({
  name: "memory: the first page of 10 GB over the same page of a small file",
  limit: page(small),
  ours: page(huge),
  bound: 1.5,
  target: "the same; under 50 ms",
  pairs: 31,
});

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
