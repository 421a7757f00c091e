/** Reading a page of a 10 GB file takes no more memory than a page: its first one, and its last one. */
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { question, record } from "./measure.ts";
import { benchPlace, numberedLines, smoke, succeeded } from "./place.ts";

const { session, workspace } = await benchPlace();
const small = join(workspace, "small.log");
const huge = join(workspace, "huge.log");
const hugeBytes = smoke ? 64 * 1024 ** 2 : 10 * 1024 ** 3;
const lines = 4000;
const text = numberedLines(lines);

/** Text at both ends and a hole between them, which counts as one very long line. */
const hugeFile = openSync(huge, "w");
writeSync(hugeFile, text);
writeSync(hugeFile, `\n${text}`, hugeBytes);
closeSync(hugeFile);
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

it("the last page of 10 GB takes no more memory than the last page of a small file", async () => {
  const firstPages = async () => {
    for (let index = 0; index < (smoke ? 2 : 100); index++) await page(huge)();
  };
  await firstPages();
  const first = await growth(firstPages);
  const started = performance.now();
  const last = await growth(page(huge, lines + 1 + lines - 200));
  const oursMs = performance.now() - started;
  record({
    name: "memory: growth over the last page of 10 GB against the allowed 64 MiB",
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
