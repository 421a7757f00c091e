/** Readers that stop reading, by a clock of the test's own. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ByteSink, Connection } from "../../contract/index.ts";
import { SseStream } from "./sse.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

function reader(isStillAllowed = async () => true) {
  const written: string[] = [];
  const state = { takes: true, destroyed: false, ended: false, drain: () => {} };
  const closed: (() => void)[] = [];
  const sink: ByteSink = {
    write: (bytes) => {
      written.push(String(bytes));
      return state.takes;
    },
    end: () => {
      state.ended = true;
      for (const listener of closed) listener();
    },
    destroy: () => {
      state.destroyed = true;
      for (const listener of closed) listener();
    },
    onDrain: (listener) => {
      state.drain = listener;
    },
    onClose: (listener) => void closed.push(listener),
  };
  const stream = new SseStream({ stream: () => sink } as unknown as Connection, { stallMs: 60_000, isStillAllowed });
  return { stream, written, state };
}

test("a reader that takes nothing for its time is dropped, and not before; one that takes again in time stays", async () => {
  const slow = reader();
  slow.state.takes = false;
  slow.stream.tell("x", {});
  await vi.advanceTimersByTimeAsync(59_000);
  expect(slow.state.destroyed).toBe(false);
  slow.state.takes = true;
  slow.state.drain();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(slow.state.destroyed).toBe(false);
  slow.state.takes = false;
  slow.stream.tell("x", {});
  await vi.advanceTimersByTimeAsync(70_000);
  expect(slow.state.destroyed).toBe(true);
  const before = slow.written.length;
  expect(slow.stream.tell("y", {})).toBe(false);
  expect(slow.written).toHaveLength(before);
});

test("a quiet line has a comment every 15 s, none while its reader is behind, and ends with its token", async () => {
  let isAllowed = true;
  const { written, state } = reader(async () => isAllowed);
  await vi.advanceTimersByTimeAsync(46_000);
  expect(written).toEqual([": keep-alive\n\n", ": keep-alive\n\n", ": keep-alive\n\n"]);
  state.takes = false;
  await vi.advanceTimersByTimeAsync(15_000);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(written).toHaveLength(4);
  state.drain();
  isAllowed = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(state.ended).toBe(true);
});
