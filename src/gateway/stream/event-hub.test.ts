/** The hub over a store of its own, so that what happens between two steps can be chosen. */
import { expect, test } from "vitest";
import type { EventHead, KaryiEvent } from "../../contract/index.ts";
import { EventHub, type EventReader } from "./event-hub.ts";

const eventOf = (seq: number): KaryiEvent => ({ seq, sessionId: "s", type: "text", body: { text: `${seq}` } }) as unknown as KaryiEvent;

/** `append` is what another process does; `hear` tells of an event of this one. */
function stream(count: number) {
  const events = Array.from({ length: count }, (_, index) => eventOf(index + 1));
  let listener: (event: KaryiEvent) => void = () => {};
  let wake: () => void = () => {};
  const state = { exists: true, reads: 0 };
  const hub = new EventHub(
    {
      onEvent: (one) => {
        listener = one;
        return () => {};
      },
      changed: (signal) =>
        new Promise((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve());
        }),
      heads: async () =>
        new Map<string, EventHead>(state.exists ? [["s", { first: events[0]?.seq ?? 1, last: events.at(-1)?.seq ?? 0 }]] : []),
      read: async (_, after, limit) => {
        state.reads += 1;
        return events.filter(({ seq }) => seq > after).slice(0, limit);
      },
    },
    () => Buffer.from(""),
  );
  const read = (after: number, more: Partial<EventReader> = {}) => {
    const seen: (number | string)[] = [];
    const reader: EventReader = {
      deliver: ({ event }) => {
        seen.push(event.seq);
        return true;
      },
      lost: (asked, first) => {
        seen.push(`lost after ${asked}, first ${first}`);
        return true;
      },
      failed: (error) => void seen.push(String(error)),
      removed: () => void seen.push("removed"),
      ...more,
    };
    return { seen, ...hub.subscribe("s", after, reader) };
  };
  const append = (seq: number): void => void events.push(eventOf(seq));
  return { hub, events, state, read, append, hear: (seq: number) => listener(eventOf(seq)), wake: () => wake() };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("an event that one reader finds in the store comes to those who are live, too", async () => {
  const { hub, read, append } = stream(2);
  const first = read(0);
  await settled();
  append(3);
  const second = read(0);
  await settled();
  expect([first.seen, second.seen]).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  hub.close();
});

test("a reader that comes with a newer position than was heard of leaves nobody behind", async () => {
  const { hub, read, append, hear } = stream(2);
  const first = read(2);
  await settled();
  append(3);
  const second = read(3);
  await settled();
  append(4);
  hear(4);
  await settled();
  expect([first.seen, second.seen]).toEqual([[3, 4], [4]]);
  hub.close();
});

test("a position beyond the end is told to be lost, begins anew, and keeps nobody else from anything", async () => {
  const { hub, read, append, hear, state } = stream(2);
  const beyond = read(900);
  const other = read(0);
  await settled();
  append(3);
  hear(3);
  await settled();
  expect([beyond.seen, other.seen]).toEqual([
    ["lost after 900, first 1", 1, 2, 3],
    [1, 2, 3],
  ]);
  expect(state.reads).toBeLessThan(10);
  hub.close();
});

test("a reader whose position was collected is told once, also if it was behind when it was told", async () => {
  const { hub, events, read } = stream(5);
  events.splice(0, 3);
  const told: string[] = [];
  const slow = read(1, {
    lost: (asked, first) => {
      told.push(`${asked} ${first}`);
      return false;
    },
  });
  await settled();
  expect(slow.seen).toEqual([]);
  slow.resume();
  await settled();
  expect([told, slow.seen]).toEqual([["1 4"], [4, 5]]);
  hub.close();
});

test("readers of a session that was removed are told", async () => {
  const { hub, read, state, wake } = stream(1);
  const { seen } = read(0);
  await settled();
  state.exists = false;
  wake();
  await expect.poll(() => seen, { timeout: 20_000 }).toContain("removed");
  hub.close();
});
