import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FileImage, JsonObject } from "../contract/index.ts";
import { LongOutputs } from "./long-outputs.ts";
import { aCall, anEvent, anOwner, aResult, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

const image: FileImage = { kind: "file", hash: "h1", size: 1, mode: 0o644, mtimeMs: 1.25, uid: 0, gid: 0 };

test("a call is recorded when it starts and when it settles, with its events", async () => {
  const store = await aStore(await temporaryHome(), { now: () => 50 });
  const { id: sessionId } = await aSession(store);
  const call = aCall(sessionId, "c1", { messageId: "m1", agent: "general" });
  const started = await store.startCall(aStart(call));
  const event = {
    seq: 1,
    time: 50,
    sessionId,
    schemaVersion: 1,
    type: "tool_call",
    callId: "c1",
    body: { tool: "Read", input: call.input, summary: call.summary },
  };
  expect(started).toEqual({ kind: "started", events: [event] });
  const running = { ...call, ownerId: store.owner.id, phase: "running" };
  expect(await store.call("c1")).toEqual(running);
  expect(await store.listCalls({ phase: "running" })).toEqual([running]);

  const settled = await store.settleCall(
    aSettlement(sessionId, "c1", { patch: { state: { cwd: "/w/b" }, seen: { "/w/a": { size: 1, mtimeMs: 2 } } } }),
  );
  expect(settled.map((item) => [item.seq, item.type])).toEqual([[2, "tool_result"]]);
  expect(await store.call("c1")).toEqual({ ...running, phase: "settled", settledAt: 50, status: "success", result: aResult("c1") });
  expect((await store.session(sessionId))?.state.cwd).toBe("/w/b");
  expect((await store.seenFiles(sessionId)).size).toBe(1);
  expect(await store.listCalls({ phase: "running" })).toEqual([]);
  expect(await store.call("nobody")).toBeUndefined();
});

test("a known id answers from the record and writes nothing", async () => {
  const store = await aStore(await temporaryHome());
  const { id: sessionId } = await aSession(store);
  await store.startCall(aStart(aCall(sessionId, "c1")));
  expect(await store.startCall(aStart(aCall(sessionId, "c1")))).toMatchObject({ kind: "known", call: { phase: "running" } });
  await store.settleCall(aSettlement(sessionId, "c1"));
  expect(await store.startCall(aStart(aCall(sessionId, "c1"), { durable: true }))).toMatchObject({
    kind: "known",
    call: { phase: "settled" },
  });
  expect(await store.readEvents(sessionId, 0, 10)).toHaveLength(2);
  const other = await aSession(store, "other");
  await expect(store.startCall(aStart(aCall(other.id, "c1")))).rejects.toMatchObject({ details: { reason: "call_id_taken" } });
});

test("before-images are kept at the start, after-images at the end, and both count as used blobs", async () => {
  const store = await aStore(await temporaryHome());
  const { id: sessionId } = await aSession(store);
  const journal = [
    { path: "/w/z", before: image },
    { path: "/w/a", before: { kind: "absent" } as const },
  ];
  await store.startCall(aStart(aCall(sessionId, "c1"), { journal, durable: true }));
  expect(await store.journal("c1")).toEqual(journal);
  expect(await store.usedBlobs()).toEqual(new Set(["h1"]));
  const after = { ...image, hash: "h2" };
  await store.settleCall(aSettlement(sessionId, "c1", { after: [{ path: "/w/a", after }], durable: true }));
  expect(await store.journal("c1")).toEqual([journal[0], { ...journal[1], after }]);
  expect(await store.usedBlobs()).toEqual(new Set(["h1", "h2"]));
  await store.startCall(aStart(aCall(sessionId, "c2")));
  expect((await store.listCalls({ writing: true })).map((call) => call.id)).toEqual(["c1"]);
  expect((await store.listCalls({ writing: false })).map((call) => call.id)).toEqual(["c2"]);
});

test("a failing settlement leaves nothing of itself", async () => {
  const store = await aStore(await temporaryHome());
  const { id: sessionId } = await aSession(store);
  await store.startCall(aStart(aCall(sessionId, "c1"), { durable: true }));
  const wrong = aSettlement(sessionId, "c1", { after: [{ path: "/w/unknown", after: image }], patch: { state: { cwd: "/x" } } });
  await expect(store.settleCall(wrong)).rejects.toThrow("/w/unknown");
  await expect(store.settleCall(aSettlement(sessionId, "c1", { mark: [{ callId: "c9", status: "rolled_back" }] }))).rejects.toThrow("c9");
  expect(await store.call("c1")).toMatchObject({ phase: "running" });
  expect(await store.readEvents(sessionId, 0, 10)).toHaveLength(1);
  expect((await store.session(sessionId))?.state.cwd).toBe("/w");
  await store.settleCall(aSettlement(sessionId, "c1"));
  await expect(store.settleCall(aSettlement(sessionId, "c1"))).rejects.toMatchObject({ details: { reason: "already_settled" } });
  await expect(store.settleCall(aSettlement(sessionId, "c2"))).rejects.toMatchObject({ details: { reason: "call_unknown" } });
});

test("an undo marks the calls it took back, and its own undo brings them back", async () => {
  const store = await aStore(await temporaryHome());
  const { id: sessionId } = await aSession(store);
  for (const id of ["c1", "c2"]) {
    await store.startCall(aStart(aCall(sessionId, id)));
    await store.settleCall(aSettlement(sessionId, id));
  }
  await store.startCall(aStart(aCall(sessionId, "u1", { undoOf: "c1" })));
  await store.settleCall(aSettlement(sessionId, "u1", { mark: [{ callId: "c1", status: "rolled_back" }] }));
  expect((await store.listCalls({ sessionId })).map((call) => [call.id, call.status, call.undoOf])).toEqual([
    ["u1", "success", "c1"],
    ["c2", "success", undefined],
    ["c1", "rolled_back", undefined],
  ]);
  await store.startCall(aStart(aCall(sessionId, "u2", { undoOf: "u1" })));
  await store.settleCall(
    aSettlement(sessionId, "u2", {
      mark: [
        { callId: "u1", status: "rolled_back" },
        { callId: "c1", status: "success" },
      ],
    }),
  );
  expect((await store.call("c1"))?.status).toBe("success");
});

test("calls are listed newest first by session, message, phase and number", async () => {
  const store = await aStore(await temporaryHome());
  const one = await aSession(store, "one");
  const two = await aSession(store, "two");
  await store.startCall(aStart(aCall(one.id, "c1", { messageId: "m1" })));
  await store.startCall(aStart(aCall(two.id, "c2", { messageId: "m2" })));
  await store.startCall(aStart(aCall(one.id, "c3", { messageId: "m1" })));
  await store.settleCall(aSettlement(one.id, "c1"));
  const ids = async (filter: Parameters<typeof store.listCalls>[0]) => (await store.listCalls(filter)).map((call) => call.id);
  expect(await ids({})).toEqual(["c3", "c2", "c1"]);
  expect(await ids({ limit: 2 })).toEqual(["c3", "c2"]);
  expect(await ids({ sessionId: one.id })).toEqual(["c3", "c1"]);
  expect(await ids({ messageId: "m1" })).toEqual(["c3", "c1"]);
  expect(await ids({ messageId: "m1", phase: "settled" })).toEqual(["c1"]);
  expect(await ids({ phase: "running" })).toEqual(["c3", "c2"]);
  expect(await ids({ phase: "asked" })).toEqual([]);
});

test("what a dead process left running is adopted once; its late result is refused", async () => {
  const directory = await temporaryHome();
  const dead = await aStore(directory, { owner: anOwner("dead") });
  const { id: sessionId } = await aSession(dead);
  await dead.startCall(aStart(aCall(sessionId, "done")));
  await dead.settleCall(aSettlement(sessionId, "done"));
  await dead.startCall(aStart(aCall(sessionId, "left"), { durable: true }));
  const isAlive = ({ id }: { id: string }): boolean => id !== "dead" && id !== "second";
  const second = await aStore(directory, { owner: anOwner("second"), isAlive });
  const third = await aStore(directory, { owner: anOwner("third"), isAlive });
  expect(await second.adoptOrphans()).toEqual([{ ...aCall(sessionId, "left"), ownerId: "second", phase: "running" }]);
  expect(await second.adoptOrphans()).toEqual([]);
  await expect(dead.settleCall(aSettlement(sessionId, "left"))).rejects.toMatchObject({ details: { reason: "not_owner" } });
  // The adopter dies in turn, with a call older than itself.
  expect((await third.adoptOrphans()).map((call) => [call.id, call.ownerId])).toEqual([["left", "third"]]);
  await third.settleCall(aSettlement(sessionId, "left", { status: "failed" }));
  expect(await third.call("left")).toMatchObject({ phase: "settled", status: "failed" });
});

test("a store that closes with a call running leaves it to be adopted", async () => {
  const directory = await temporaryHome();
  const closing = await aStore(directory);
  const { id: sessionId } = await aSession(closing);
  await closing.startCall(aStart(aCall(sessionId, "left")));
  const next = await aStore(directory);
  expect(await next.adoptOrphans()).toEqual([]);
  await closing.close();
  expect((await next.adoptOrphans()).map((call) => call.id)).toEqual(["left"]);
  await expect(closing.appendEvents(sessionId, [anEvent(1)])).rejects.toMatchObject({ details: { reason: "store_closed" } });
});

test("a long result of a call that changed nothing lies beside the database and comes back whole", async () => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  const { id: sessionId } = await aSession(store);
  const output = "好 line\n".repeat(10_000);
  const shown = output.slice(0, -5);
  const result = (call: string) => aResult(call, { output, data: { first: shown, lines: output.split("\n"), last: "end" } });
  for (const [call, durable] of [
    ["c1", false],
    ["c2", true],
    ["c3", false],
  ] as const) {
    await store.startCall(aStart(aCall(sessionId, call)));
    await store.settleCall(aSettlement(sessionId, call, { result: result(call), durable, soon: !durable }));
  }
  expect((await store.call("c1"))?.result).toEqual(result("c1"));
  expect((await store.listCalls({})).map(({ result }) => result?.output === output)).toEqual([true, true, true]);
  const [name = ""] = readdirSync(join(directory, "results"));
  const file = join(directory, "results", name);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // What the data repeats of the output is there once.
  const { content, data } = result("c1");
  const bytes = Buffer.byteLength(output) + Buffer.byteLength(JSON.stringify({ content, data: { ...(data as JsonObject), first: "" } }));
  expect(statSync(file).size).toBe(2 * bytes);
  await store.close();

  const again = await aStore(directory);
  expect((await again.call("c3"))?.result?.output).toBe(output);
  utimesSync(file, 1, 1);
  await again.gc({ olderThan: 0, maxOutputBytes: 0, dryRun: false });
  expect((await again.call("c1"))?.result?.output).toBe(output);
  rmSync(file);
  expect((await again.call("c1"))?.result).toEqual(aResult("c1", { output: `[The output of ${bytes} bytes is no longer there.]` }));

  // Whatever no row speaks of goes, when it is old enough to be nobody's work in progress.
  writeFileSync(join(directory, "results", "young"), "");
  writeFileSync(join(directory, "results", "old"), "");
  utimesSync(join(directory, "results", "old"), 1, 1);
  await again.gc({ olderThan: 0, maxOutputBytes: 0, dryRun: false });
  expect(readdirSync(join(directory, "results"))).toEqual(["young"]);
});

test("an output that an earlier version put beside its row comes back with the rest of the row", async () => {
  const directory = await temporaryHome();
  const output = "好 line\n".repeat(10);
  mkdirSync(join(directory, "results"));
  writeFileSync(join(directory, "results", "earlier"), `before${output}`);
  const place = { file: "earlier", at: 6, bytes: Buffer.byteLength(output) };
  const result = aResult("c1", { output, data: { lines: 10 } });
  expect(new LongOutputs(directory).unpack({ text: JSON.stringify({ ...result, output: "" }), place })).toEqual(result);
});
