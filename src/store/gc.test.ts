import { expect, test } from "vitest";
import type { Store } from "../contract/index.ts";
import { outputChunkBytes } from "./outputs.ts";
import { aCall, anApproval, anEvent, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

async function writeOutput(store: Store, sessionId: string, bytes: number): Promise<string> {
  const output = await store.createOutput(sessionId);
  await output.write("x".repeat(bytes));
  await output.close();
  return output.ref;
}

test("what old sessions did is forgotten; newer ones, the sessions and the audit rows stay", async () => {
  let now = 1000;
  const store = await aStore(await temporaryHome(), { now: () => now });
  const old = await aSession(store, "old");
  await store.startCall(aStart(aCall(old.id, "c1"), { journal: [{ path: "/w/a", before: { kind: "absent" } }], durable: true }));
  await store.settleCall(aSettlement(old.id, "c1"));
  const ref = await writeOutput(store, old.id, 100);
  now = 5000;
  const young = await aSession(store, "young");
  await store.startCall(aStart(aCall(young.id, "c2", { startedAt: now })));
  await store.settleCall(aSettlement(young.id, "c2"));

  const request = { olderThan: 2000, maxOutputBytes: 1e9, dryRun: true };
  const report = await store.gc(request);
  expect(report).toEqual({ sessions: 1, calls: 1, events: 2, outputs: 1, bytesFreed: report.bytesFreed });
  expect(report.bytesFreed).toBeGreaterThan(100);
  expect(await store.call("c1")).toBeDefined();

  expect(await store.gc({ ...request, dryRun: false })).toEqual(report);
  expect(await store.call("c1")).toBeUndefined();
  expect(await store.journal("c1")).toEqual([]);
  expect(await store.readOutput(old.id, ref, 0, 10)).toBeUndefined();
  expect(await store.readEvents(old.id, 0, 10)).toEqual([]);
  expect(await store.session(old.id)).toEqual(old);
  expect(await store.call("c2")).toMatchObject({ phase: "settled" });
  expect((await store.readAudit(0, 100)).map((row) => row.kind)).toEqual(["call_started", "call_settled", "call_settled", "gc"]);
  expect(await store.verifyAudit()).toEqual({ rows: 4 });
  expect(await store.gc(request)).toEqual({ sessions: 0, calls: 0, events: 0, outputs: 0, bytesFreed: 0 });

  // The numbering goes on where it was: a reader's last seq stays true.
  expect((await store.appendEvents(old.id, [anEvent(1)])).map((event) => event.seq)).toEqual([3]);
});

test("a session with a pending approval or a running call is left alone", async () => {
  let now = 1000;
  const store = await aStore(await temporaryHome(), { now: () => now });
  const asking = await aSession(store, "asking");
  const running = await aSession(store, "running");
  await store.requestApproval(anApproval(aCall(asking.id, "c1"), "a1", { expiresAt: 9000 }));
  await store.startCall(aStart(aCall(running.id, "c2")));
  await store.startCall(aStart(aCall((await aSession(store, "last")).id, "c3")));
  now = 8000;
  const request = { olderThan: 7000, maxOutputBytes: 0, dryRun: false };
  expect((await store.gc(request)).sessions).toBe(0);
  expect((await store.approval("a1"))?.status).toBe("pending");
  expect(await store.call("c2")).toMatchObject({ phase: "running" });
  now = 9000;
  expect((await store.gc(request)).sessions).toBe(1);
  expect(await store.approval("a1")).toBeUndefined();
  expect(await store.call("c1")).toBeUndefined();
});

test("stored outputs are trimmed oldest first to their quota; one that is being written stays", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  const writing = await store.createOutput(id);
  await writing.write("y".repeat(outputChunkBytes + 100_000));
  await writing.write("y");
  const refs = [await writeOutput(store, id, 1000), await writeOutput(store, id, 1000), await writeOutput(store, id, 1000)];
  const request = { olderThan: 0, maxOutputBytes: outputChunkBytes + 1500, dryRun: true };
  const report = { sessions: 0, calls: 0, events: 0, outputs: 2, bytesFreed: 2000 };
  expect(await store.gc(request)).toEqual(report);
  expect(await store.gc({ ...request, dryRun: false })).toEqual(report);
  const left = await Promise.all(refs.map((ref) => store.readOutput(id, ref, 0, 1)));
  expect(left.map((page) => page !== undefined)).toEqual([false, false, true]);
  expect(await writing.close()).toEqual({ total: outputChunkBytes + 100_001, kept: outputChunkBytes + 100_001 });
  expect((await store.readOutput(id, writing.ref, outputChunkBytes + 99_991, 100))?.text).toBe("y".repeat(10));
});

test("after everything was forgotten, what a process leaves running is still found", async () => {
  const directory = await temporaryHome();
  const gone = await aStore(directory, { now: () => 1 });
  const { id: sessionId } = await aSession(gone);
  for (let n = 0; n < 5; n += 1) {
    await gone.startCall(aStart(aCall(sessionId, `c${n}`, { startedAt: 1 })));
    await gone.settleCall(aSettlement(sessionId, `c${n}`));
  }
  const late = await aStore(directory, { now: () => 1 });
  await late.gc({ olderThan: 1e6, maxOutputBytes: 0, dryRun: false });
  await late.startCall(aStart(aCall(sessionId, "left")));
  await late.close();
  expect((await gone.adoptOrphans()).map((call) => call.id)).toEqual(["left"]);
});

test("of a session in use the old calls go with their images and outputs, and what is young stays", async () => {
  let now = 1000;
  const store = await aStore(await temporaryHome(), { now: () => now });
  const { id } = await aSession(store, "used");
  const call = async (name: string) => {
    const journal = [{ path: `/w/${name}`, before: { kind: "absent" as const } }];
    await store.startCall(aStart(aCall(id, name, { startedAt: now }), { journal, durable: true }));
    await store.settleCall(aSettlement(id, name));
  };
  for (let index = 0; index < 450; index++) await call(`old${index}`);
  const ref = await writeOutput(store, id, 100);
  now = 5000;
  await call("young");
  const request = { olderThan: 2000, maxOutputBytes: 1e9, dryRun: true };
  expect(await store.gc(request)).toMatchObject({ sessions: 0, calls: 450 });
  expect(await store.gc({ ...request, dryRun: false, maxCalls: 100 })).toMatchObject({ calls: 100 });
  expect(await store.gc({ ...request, dryRun: false })).toMatchObject({ calls: 350 });
  expect([await store.call("old0"), await store.journal("old449"), await store.readOutput(id, ref, 0, 10)]).toEqual([
    undefined,
    [],
    undefined,
  ]);
  expect(await store.call("young")).toMatchObject({ phase: "settled" });
  expect(await store.journal("young")).toHaveLength(1);
  const seqs = (await store.readEvents(id, 0, 10)).map(({ seq }) => seq);
  expect(seqs).toEqual([901, 902]);
});
