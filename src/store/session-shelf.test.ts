import { expect, test } from "vitest";
import { anEvent, aSession, aStore, temporaryHome } from "./store.fixture.ts";

test("a deleted session leaves nothing but its audit rows", async () => {
  const store = await aStore(await temporaryHome());
  const session = await aSession(store);
  await store.appendEvents(session.id, [anEvent(1)]);
  await store.deleteSession(session.id);
  expect(await store.session(session.id)).toBeUndefined();
  expect(await store.readEvents(session.id, 0, 10)).toEqual([]);
  expect((await store.readAudit(0, 10)).map(({ kind }) => kind)).toEqual(["session_deleted"]);
});

test("a fork tells the same story under another key", async () => {
  const store = await aStore(await temporaryHome());
  const session = await aSession(store);
  const [event] = await store.appendEvents(session.id, [anEvent(1)]);
  const fork = await store.forkSession(session.id, { ...session.key, externalId: "fork" });
  expect(fork.state).toEqual(session.state);
  expect(await store.readEvents(fork.id, 0, 10)).toEqual([{ ...event, sessionId: fork.id }]);
  expect(await store.appendEvents(fork.id, [anEvent(1)])).toMatchObject([{ seq: 2 }]);
});

test("events are read backwards from a place", async () => {
  const store = await aStore(await temporaryHome());
  const session = await aSession(store);
  await store.appendEvents(session.id, [anEvent(1), anEvent(1), anEvent(1), anEvent(1)]);
  expect((await store.readEventsBefore(session.id, 4, 2)).map(({ seq }) => seq)).toEqual([2, 3]);
  expect(await store.eventHeads([session.id])).toEqual(new Map([[session.id, { first: 1, last: 4 }]]));
});
