import { expect, test } from "vitest";
import { aCall, anApproval, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

async function asked(options: { now?(): number } = {}) {
  const store = await aStore(await temporaryHome(), options);
  const { id: sessionId } = await aSession(store);
  const call = aCall(sessionId, "c1");
  return { store, sessionId, call };
}

test("an approval stops its call, is answered once and used once", async () => {
  const { store, sessionId, call } = await asked();
  const draft = anApproval(call, "a1");
  const events = await store.requestApproval(draft);
  expect(events.map((event) => [event.seq, event.type])).toEqual([[1, "permission_request"]]);
  expect(await store.call("c1")).toMatchObject({ phase: "asked" });
  expect(await store.approval("a1")).toEqual({ ...draft.record, status: "pending" });
  expect(await store.listApprovals({ status: "pending", sessionId })).toHaveLength(1);
  expect(await store.startCall(aStart(call, { approvalId: "a1", durable: true }))).toEqual({ kind: "approval_void", status: "pending" });

  const answer = { id: "a1", answer: "once", answeredBy: "terminal", words: "fine", now: 2000 } as const;
  const granted = { ...draft.record, status: "granted", answer: "once", answeredBy: "terminal", answeredAt: 2000, words: "fine" };
  expect(await store.answerApproval(answer)).toEqual(granted);
  expect(await store.answerApproval({ ...answer, answer: "deny" })).toBeUndefined();
  expect(await store.approval("a1")).toEqual(granted);

  expect((await store.startCall(aStart(call, { approvalId: "a1", durable: true }))).kind).toBe("started");
  expect(await store.approval("a1")).toEqual({ ...granted, status: "used" });
  expect(await store.call("c1")).toMatchObject({ phase: "running", ownerId: store.owner.id });
  expect((await store.startCall(aStart(call, { approvalId: "a1", durable: true }))).kind).toBe("known");
  await store.settleCall(aSettlement(sessionId, "c1"));
  expect((await store.approval("a1"))?.status).toBe("used");
});

test("an approval is good for its own call only", async () => {
  const { store, sessionId, call } = await asked();
  await store.requestApproval(anApproval(call, "a1"));
  await store.answerApproval({ id: "a1", answer: "once", answeredBy: "terminal", now: 1 });
  const other = aCall(sessionId, "c2");
  expect(await store.startCall(aStart(other, { approvalId: "a1", durable: true }))).toEqual({ kind: "approval_void", status: "missing" });
  expect(await store.startCall(aStart(other, { approvalId: "a9", durable: true }))).toEqual({ kind: "approval_void", status: "missing" });
  expect(await store.call("c2")).toBeUndefined();
  expect((await store.approval("a1"))?.status).toBe("granted");
});

test("a refusal is kept and cannot be used", async () => {
  const { store, sessionId, call } = await asked();
  await store.requestApproval(anApproval(call, "a1"));
  expect(await store.answerApproval({ id: "a1", answer: "deny", answeredBy: "http:eve", now: 1 })).toMatchObject({ status: "refused" });
  expect(await store.startCall(aStart(call, { approvalId: "a1", durable: true }))).toEqual({ kind: "approval_void", status: "refused" });
  await store.settleCall(aSettlement(sessionId, "c1", { status: "failed" }));
  expect((await store.approval("a1"))?.status).toBe("refused");
  expect(await store.answerApproval({ id: "a9", answer: "deny", answeredBy: "x", now: 1 })).toBeUndefined();
});

test("an approval expires, answered or not", async () => {
  let now = 100;
  const { store, sessionId, call } = await asked({ now: () => now });
  const other = aCall(sessionId, "c2");
  await store.requestApproval(anApproval(call, "a1", { expiresAt: 200 }));
  await store.requestApproval(anApproval(other, "a2", { expiresAt: 200 }));
  await store.answerApproval({ id: "a2", answer: "once", answeredBy: "terminal", now });
  now = 200;
  expect((await store.listApprovals({ status: "expired" })).map((approval) => approval.id)).toEqual(["a1", "a2"]);
  const [{ callId } = { callId: "" }] = await store.listApprovals({});
  expect((await store.listApprovals({ callId })).map((approval) => approval.id)).toEqual(["a1"]);
  expect(await store.listApprovals({ status: "pending" })).toEqual([]);
  expect(await store.answerApproval({ id: "a1", answer: "once", answeredBy: "terminal", now })).toBeUndefined();
  expect(await store.startCall(aStart(other, { approvalId: "a2", durable: true }))).toEqual({ kind: "approval_void", status: "expired" });
});

test("an approval is void when its call was settled, started or asked about otherwise, and says which", async () => {
  const { store, sessionId, call } = await asked();
  const fate = async (id: string) => {
    const record = await store.approval(id);
    return [record?.status, record?.voidCause];
  };
  await store.requestApproval(anApproval(call, "a1"));
  await store.requestApproval(anApproval(call, "a2"));
  expect(await fate("a1")).toEqual(["void", "asked_again"]);
  await store.settleCall(aSettlement(sessionId, "c1", { status: "failed" }));
  expect(await store.call("c1")).toMatchObject({ phase: "settled" });
  expect(await store.listCalls({ phase: "asked" })).toEqual([]);
  expect(await store.answerApproval({ id: "a2", answer: "once", answeredBy: "terminal", now: 1 })).toBeUndefined();
  expect(await fate("a2")).toEqual(["void", "call_ended"]);
  await expect(store.requestApproval(anApproval(call, "a3"))).rejects.toMatchObject({ details: { reason: "already_started" } });
  expect(await store.approval("a3")).toBeUndefined();

  const allowed = aCall(sessionId, "c2");
  await store.requestApproval(anApproval(allowed, "a4"));
  expect((await store.startCall(aStart(allowed, { durable: true }))).kind).toBe("started");
  expect(await fate("a4")).toEqual(["void", "not_needed"]);
});

test("a call that waited is newer than the calls that ran meanwhile", async () => {
  const { store, sessionId, call } = await asked();
  await store.requestApproval(anApproval(call, "a1"));
  await store.startCall(aStart(aCall(sessionId, "c2")));
  await store.answerApproval({ id: "a1", answer: "once", answeredBy: "terminal", now: 1 });
  await store.startCall(aStart(call, { approvalId: "a1", durable: true }));
  expect((await store.listCalls({ sessionId })).map((item) => item.id)).toEqual(["c1", "c2"]);
});

test("pending approvals are there after a restart, and another process may answer and start", async () => {
  const directory = await temporaryHome();
  const first = await aStore(directory);
  const { id: sessionId } = await aSession(first);
  const call = aCall(sessionId, "c1");
  await first.requestApproval(anApproval(call, "a1"));
  await first.close();
  const second = await aStore(directory);
  expect((await second.listApprovals({ status: "pending" })).map((approval) => approval.id)).toEqual(["a1"]);
  expect((await second.listCalls({ phase: "asked" }))[0]?.request).toEqual(call.request);
  await second.answerApproval({ id: "a1", answer: "always", answeredBy: "command", now: 1 });
  expect((await second.startCall(aStart(call, { approvalId: "a1", durable: true }))).kind).toBe("started");
  expect(await second.adoptOrphans()).toEqual([]);
});
