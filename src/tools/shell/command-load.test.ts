/** Much of everything: what stays after many commands, after many at once, and after one that prints without end. */
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownProcesses } from "../../../test/support/processes.ts";
import { createEngine } from "../../compose/index.ts";

const full = process.env.KARYI_FULL === "1";
const long = { timeout: full ? 900_000 : 60_000 };
const mebibyte = 1 << 20;

async function opened() {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), "karyi-load-")));
  const engine = await createEngine({ approve: async () => "once", workspace, home: join(workspace, ".karyi") });
  onTestFinished(async () => {
    await engine.close();
    await rm(workspace, { recursive: true, force: true });
  });
  return engine.openSession();
}

interface Footprint {
  readonly descriptors: number;
  readonly processes: number;
  readonly memory: number;
}

/** What this process holds: open files, processes it started (of any depth), memory. */
async function footprint(): Promise<Footprint> {
  return {
    descriptors: (await readdir("/proc/self/fd")).length,
    processes: (await ownProcesses()).length,
    memory: process.memoryUsage.rss(),
  };
}

test("commands in a row leave no process, no descriptor and no memory behind", long, async () => {
  const session = await opened();
  const rounds = full ? 1000 : 40;
  const call = async () => {
    const { status, error } = await session.call("Bash", { command: "echo $((1 + 1)) && ls" });
    expect({ status, error }).toEqual({ status: "ok", error: undefined });
  };
  for (let round = 0; round < 12; round++) await call();
  const before = await footprint();
  for (let round = 0; round < rounds; round++) await call();
  await expect.poll(async () => (await ownProcesses()).length, { timeout: 20_000 }).toBeLessThanOrEqual(before.processes);
  const after = await footprint();
  expect(after.descriptors).toBeLessThanOrEqual(before.descriptors + 3);
  expect(after.memory - before.memory).toBeLessThan(96 * mebibyte);
});

test("background commands at once each end with their own output, and nothing stays", long, async () => {
  const session = await opened();
  const count = full ? 200 : 24;
  await session.call("Bash", { command: "true", run_in_background: true });
  const ids = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { data } = await session.call("Bash", { command: `echo number ${index}; exit ${index % 7}`, run_in_background: true });
      return (data as { task_id: string }).task_id;
    }),
  );
  expect(new Set(ids).size).toBe(count);
  for (const [index, id] of ids.entries()) {
    let page: { status: string; next: number; text: string; exit_code?: number };
    let text = "";
    let offset = 0;
    do {
      page = (await session.call("TaskOutput", { id, offset, wait_ms: 30_000 })).data as typeof page;
      text += page.text;
      offset = page.next;
    } while (page.status === "in_progress");
    expect({ id, text, exit: page.exit_code }).toEqual({ id, text: `number ${index}\n`, exit: index % 7 });
  }
  // The launcher and the keeper stay, and nothing else; a command that has ended may be on its way out.
  await expect.poll(async () => (await footprint()).processes, { timeout: 20_000 }).toBeLessThanOrEqual(2);
});

test("a command that prints without end takes constant memory, and every byte is counted", long, async () => {
  const session = await opened();
  const bytes = full ? 10_000 * mebibyte : 48 * mebibyte;
  const command = `yes 'a line of a build log that goes on and on' | head -c ${bytes}`;
  let most = 0;
  const before = process.memoryUsage.rss();
  const watch = () => {
    most = Math.max(most, process.memoryUsage.rss() - before);
  };
  const result = await session.call("Bash", { command, timeout: 600_000 }, { onProgress: watch });
  expect(result.status).toBe("ok");
  expect(result.truncated?.total).toBe(bytes);
  expect(result.output.length).toBeLessThan(mebibyte);
  expect(most).toBeLessThan(192 * mebibyte);
});
