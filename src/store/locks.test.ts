import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { aCall, anOwner, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

test("locks are taken all or none, and answer who is in the way", async () => {
  const store = await aStore(await temporaryHome());
  expect(await store.acquireLocks("c1", ["/w/a", "/w/b"])).toBeUndefined();
  expect(await store.acquireLocks("c1", ["/w/b"])).toBeUndefined();
  expect(await store.acquireLocks("c2", ["/w/c", "/w/b"])).toMatchObject({ path: "/w/b", callId: "c1", ownerId: store.owner.id });
  expect(await store.acquireLocks("c3", ["/w/c", "/w/ab"])).toBeUndefined();
  await store.releaseLocks("c1");
  await store.releaseLocks("c1");
  expect(await store.acquireLocks("c2", ["/w/a", "/w/b"])).toBeUndefined();
  expect(await store.acquireLocks("c4", [])).toBeUndefined();
});

test("settling a call releases its locks in the same step; a failed settlement does not", async () => {
  const store = await aStore(await temporaryHome());
  const { id: sessionId } = await aSession(store);
  await store.acquireLocks("c1", ["/w/a"]);
  await store.startCall(aStart(aCall(sessionId, "c1"), { durable: true }));
  const wrong = aSettlement(sessionId, "c1", { after: [{ path: "/w/x", after: { kind: "absent" } }] });
  await expect(store.settleCall(wrong)).rejects.toThrow();
  expect(await store.acquireLocks("c2", ["/w/a"])).toMatchObject({ callId: "c1" });
  await store.settleCall(aSettlement(sessionId, "c1"));
  expect(await store.acquireLocks("c2", ["/w/a"])).toBeUndefined();
});

test("an owner with a lease holds its locks while it renews it, whatever its pid says, and loses them after it", async () => {
  const directory = await temporaryHome();
  let time = 1_000_000;
  const options = { isAlive: () => false, now: () => time };
  const far = await aStore(directory, { ...options, owner: anOwner("far"), leaseMs: 600_000 });
  const near = await aStore(directory, { ...options, owner: anOwner("near"), leaseMs: 600_000 });
  await far.acquireLocks("c1", ["/w/a"]);
  time += 599_000;
  expect(await near.acquireLocks("c2", ["/w/a"])).toMatchObject({ ownerId: "far" });
  time += 2_000;
  expect(await near.acquireLocks("c2", ["/w/a"])).toBeUndefined();
});

test("a store renews its lease by itself", async () => {
  const directory = await temporaryHome();
  const owner = anOwner("far");
  await aStore(directory, { owner, leaseMs: 60 });
  const database = new DatabaseSync(join(directory, "state.db"), { readOnly: true });
  onTestFinished(() => database.close());
  const until = () => database.prepare("SELECT lease_until FROM owners WHERE id = ?").get(owner.id)?.lease_until as number;
  const first = until();
  await expect.poll(until).toBeGreaterThan(first + 60);
});

test("locks hold across stores, and fall when their owner closes or is dead", async () => {
  const directory = await temporaryHome();
  const dead = new Set<string>();
  const isAlive = ({ id }: { id: string }): boolean => !dead.has(id);
  const one = await aStore(directory, { owner: anOwner("one"), isAlive });
  const two = await aStore(directory, { owner: anOwner("two"), isAlive });
  await one.acquireLocks("c1", ["/w/a"]);
  expect(await two.acquireLocks("c2", ["/w/a"])).toMatchObject({ path: "/w/a", callId: "c1", ownerId: "one" });
  dead.add("one");
  expect(await two.acquireLocks("c2", ["/w/a"])).toBeUndefined();
  // What the dead one would give back is not its own any more.
  await one.releaseLocks("c1");
  dead.clear();
  expect(await one.acquireLocks("c3", ["/w/a"])).toMatchObject({ ownerId: "two" });
  await two.close();
  expect(await one.acquireLocks("c3", ["/w/a"])).toBeUndefined();
});
