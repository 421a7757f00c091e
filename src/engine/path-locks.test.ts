import { expect, it } from "vitest";
import type { LockHolder } from "../contract/index.ts";
import { PathLocks } from "./path-locks.ts";

const never = new AbortController().signal;

/** The locks of one process; nobody else uses the store. */
function locks(): PathLocks {
  return new PathLocks({ acquireLocks: async () => undefined, releaseLocks: async () => {}, changed: async () => {} });
}

/** Whether it was granted by the time everything that could go on went on. */
async function isGranted(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
}

it("a running call takes further paths ahead of a call that waits for one of them", async () => {
  const paths = locks();
  const release = await paths.acquire("runs", ["a"], never);
  const waits = paths.acquire("waits", ["a", "b"], never);
  expect(await isGranted(waits)).toBe(false);
  await paths.extend("runs", ["a", "b", "c"], never);
  release();
  expect(await isGranted(waits)).toBe(true);
});

it("calls are served in the order they came, and one that waits keeps nothing from the others", async () => {
  const paths = locks();
  const release = await paths.acquire("first", ["a"], never);
  const second = paths.acquire("second", ["a", "b"], never);
  const third = paths.acquire("third", ["b"], never);
  const other = paths.acquire("other", ["c"], never);
  expect([await isGranted(second), await isGranted(third), await isGranted(other)]).toEqual([false, false, true]);
  release();
  expect([await isGranted(second), await isGranted(third)]).toEqual([true, false]);
  (await second)();
  expect(await isGranted(third)).toBe(true);
});

it("two running calls that want each other's paths do not wait for ever", async () => {
  const paths = locks();
  const releaseOne = await paths.acquire("one", ["a"], never);
  await paths.acquire("two", ["b"], never);
  const waits = paths.extend("two", ["a"], never);
  await expect(paths.extend("one", ["b"], never)).rejects.toMatchObject({
    code: "tool_conflict",
    details: { reason: "locked", path: "b" },
  });
  releaseOne();
  expect(await isGranted(waits)).toBe(true);
});

it("a call that gives up waiting leaves its place to the next", async () => {
  const paths = locks();
  const release = await paths.acquire("first", ["a"], never);
  const stop = new AbortController();
  const second = paths.acquire("second", ["a", "b"], stop.signal);
  const third = paths.acquire("third", ["b"], never);
  stop.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  expect(await isGranted(third)).toBe(true);
  release();
});

it("a call that is cancelled while another process holds its path gets nothing, though the path is free by then", async () => {
  const stop = new AbortController();
  const held: (LockHolder | undefined)[] = [{ path: "a", callId: "theirs", ownerId: "other", pid: 1, since: 0, stopped: false }];
  const paths = new PathLocks({
    acquireLocks: async () => held.shift(),
    releaseLocks: async () => {},
    changed: async () => stop.abort(),
  });
  await expect(paths.acquire("mine", ["a"], stop.signal)).rejects.toMatchObject({ code: "cancelled" });
  expect(await isGranted(paths.acquire("next", ["a"], never))).toBe(true);
});
