import { expect, test } from "vitest";
import { anEvent, aSession, aStore, initialState, temporaryHome } from "./store.fixture.ts";

test("the same key always opens the same session, and keeps its state", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory, { now: () => 7 });
  const key = { owner: "me", channel: "cli", externalId: "x" };
  const opened = await store.openSession(key, "/w", initialState);
  expect(opened).toEqual({ id: opened.id, key, workspace: "/w", createdAt: 7, state: initialState });
  expect(await store.openSession(key, "/elsewhere", { ...initialState, cwd: "/other" })).toEqual(opened);
  const other = await store.openSession({ ...key, channel: "http" }, "/w", initialState);
  expect(other.id).not.toBe(opened.id);
  expect((await store.listSessions()).map((session) => session.id)).toEqual([other.id, opened.id]);

  await store.patchSession(opened.id, { state: { cwd: "/w/sub" } });
  await store.patchSession(opened.id, { state: { env: { A: "1" } } });
  await store.close();
  const again = await aStore(directory);
  expect((await again.session(opened.id))?.state).toEqual({ ...initialState, cwd: "/w/sub", env: { A: "1" } });
  expect(await again.session("nobody")).toBeUndefined();
});

test("files seen are remembered, replaced and forgotten", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  await store.patchSession(id, { seen: { "/w/a": { size: 1, mtimeMs: 1.5, hash: "aa" }, "/w/b": { size: 2, mtimeMs: 2 } } });
  await store.patchSession(id, { seen: { "/w/a": { size: 3, mtimeMs: 3 }, "/w/b": null } });
  expect([...(await store.seenFiles(id))]).toEqual([["/w/a", { size: 3, mtimeMs: 3 }]]);
  expect((await store.seenFiles("nobody")).size).toBe(0);
});

test("events are numbered without a gap in each session and read from any seq", async () => {
  const store = await aStore(await temporaryHome(), { now: () => 5 });
  const one = await aSession(store, "one");
  const two = await aSession(store, "two");
  const first = await store.appendEvents(one.id, [anEvent(1), anEvent(2, "call")]);
  await store.appendEvents(two.id, [anEvent(9)]);
  const second = await store.appendEvents(one.id, [
    { type: "subagent_event", agent: "general", subagentId: "sub", parentSeq: 2, body: { event: { deep: { list: [1, null] } } } },
  ]);
  expect(await store.readEvents(one.id, 0, 10)).toEqual([...first, ...second]);
  expect(await store.readEvents(one.id, 1, 1)).toEqual([
    { seq: 2, time: 5, sessionId: one.id, schemaVersion: 1, type: "tool_progress", callId: "call", body: { text: "2" } },
  ]);
  expect(await store.readEvents(one.id, 3, 10)).toEqual([]);
  expect(await store.appendEvents(one.id, [])).toEqual([]);
  await expect(store.appendEvents("nobody", [anEvent(1)])).rejects.toMatchObject({ details: { reason: "session_unknown" } });
});
