import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { aCall, anApproval, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

test("what is decided and done leaves a chained row each", async () => {
  const store = await aStore(await temporaryHome(), { now: () => 9 });
  const { id: sessionId } = await aSession(store);
  const call = aCall(sessionId, "c1");
  await store.requestApproval(anApproval(call, "a1"));
  await store.answerApproval({ id: "a1", answer: "once", answeredBy: "terminal", now: 9 });
  await store.startCall(aStart(call, { approvalId: "a1", durable: true }));
  await store.settleCall(aSettlement(sessionId, "c1", { durable: true }));
  await store.startCall(aStart(aCall(sessionId, "c2")));
  await store.settleCall(aSettlement(sessionId, "c2"));
  await store.audit([{ sessionId, kind: "policy_changed", body: { b: 1, a: [null, { d: "x", c: true }] } }]);
  const rows = await store.readAudit(0, 100);
  expect(rows.map((row) => [row.seq, row.kind])).toEqual([
    [1, "approval_requested"],
    [2, "approval_answered"],
    [3, "call_started"],
    [4, "call_settled"],
    [5, "call_settled"],
    [6, "policy_changed"],
  ]);
  expect(rows[1]?.body).toMatchObject({ answer: "once", answered_by: "terminal", call_id: "c1" });
  rows.forEach((row, index) => void expect(row.previousHash).toBe(rows[index - 1]?.hash ?? ""));
  expect(await store.readAudit(4, 1)).toEqual([rows[4]]);
  expect(await store.verifyAudit()).toEqual({ rows: 6 });
});

const tampering: readonly (readonly [what: string, sql: string, brokenAt: number])[] = [
  ["an edited body", `UPDATE audit SET body = '{"n":99}' WHERE seq = 3`, 3],
  ["an edited time", "UPDATE audit SET time = 0 WHERE seq = 2", 2],
  ["an edited session", "UPDATE audit SET session_id = 'x' WHERE seq = 2", 2],
  ["an edited kind", "UPDATE audit SET kind = 'y' WHERE seq = 4", 4],
  ["an edited hash", "UPDATE audit SET hash = 'zz' WHERE seq = 4", 4],
  ["a removed row", "DELETE FROM audit WHERE seq = 3", 3],
  ["a removed first row", "DELETE FROM audit WHERE seq = 1", 1],
  ["a removed last row", "DELETE FROM audit WHERE seq = 5", 5],
  ["all rows removed", "DELETE FROM audit", 1],
  [
    "two rows exchanged",
    "UPDATE audit SET seq = -1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = -1",
    2,
  ],
  ["a removed row with the rest moved up", "DELETE FROM audit WHERE seq = 2; UPDATE audit SET seq = seq - 1 WHERE seq > 2", 2],
  ["an added row", "INSERT INTO audit SELECT 6, time, session_id, kind, body, hash FROM audit WHERE seq = 5", 6],
  ["a head set back", "UPDATE audit_head SET seq = 4, hash = (SELECT hash FROM audit WHERE seq = 4)", 5],
  ["a removed head", "DELETE FROM audit_head", 1],
];

test.each(tampering)("the check finds %s", async (_what, sql, brokenAt) => {
  const directory = await temporaryHome();
  const store = await aStore(directory);
  await store.audit([1, 2, 3, 4, 5].map((n) => ({ sessionId: "s", kind: "k", body: { n } })));
  expect(await store.verifyAudit()).toEqual({ rows: 5 });
  const intruder = new DatabaseSync(join(directory, "state.db"));
  intruder.exec(sql);
  intruder.close();
  expect(await store.verifyAudit()).toMatchObject({ brokenAt });
});

test("a chain longer than one page is checked whole", async () => {
  const store = await aStore(await temporaryHome());
  await store.audit(Array.from({ length: 2000 }, (_, n) => ({ sessionId: "s", kind: "k", body: n })));
  expect(await store.verifyAudit()).toEqual({ rows: 2000 });
  await store.audit([{ sessionId: "s", kind: "k", body: null }]);
  expect(await store.verifyAudit()).toEqual({ rows: 2001 });
});
