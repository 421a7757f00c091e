import { expect, it } from "vitest";
import type { EventDraft, KaryiEvent, Store } from "../contract/index.ts";
import { EventFeed } from "./event-feed.ts";

const draft: EventDraft = { type: "task_changed", body: {} } as unknown as EventDraft;

/** Says of each commit whether it may wait for company. */
function feed() {
  const waits: boolean[] = [];
  const store: Pick<Store, "appendEvents" | "readEvents" | "changed"> = {
    appendEvents: async (_, drafts, soon = false) => {
      waits.push(soon);
      return drafts as unknown as readonly KaryiEvent[];
    },
    readEvents: async () => [],
    changed: async () => {},
  };
  return { waits, feed: new EventFeed(store, () => {}) };
}

it("on account of a patient listener nothing is committed sooner, and it hears all the same", async () => {
  const { waits, feed: events } = feed();
  const heard: unknown[] = [];
  const stop = events.listen((event) => heard.push(event), { patient: true });
  await events.appendSoon("s", [draft]);
  await Promise.resolve();
  expect({ waits, heard, isHeard: events.isHeard }).toEqual({ waits: [true], heard: [draft], isHeard: false });
  stop();
  await events.append("s", [draft]);
  expect(heard).toEqual([draft]);
});

it("somebody who wants events at once gets each with a commit of its own", async () => {
  const { waits, feed: events } = feed();
  const stop = events.listen(() => {});
  await events.appendSoon("s", [draft]);
  stop();
  await events.appendSoon("s", [draft]);
  expect(waits).toEqual([false, true]);
});
