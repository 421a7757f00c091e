import { expect, it } from "vitest";
import { type AuditEntry, auditLines } from "./audit-lines.ts";

const record = (seq: number, kind: string, body: object): AuditEntry => ({
  seq,
  time: seq * 1000,
  session_id: "s",
  kind,
  body: body as AuditEntry["body"],
});

/** As the server answers them: newest first. */
const entries = [
  record(9, "approval_requested", { approval_id: "a2", call_id: "c3", rule: "builtin:command", summary: "Run: npm test" }),
  record(8, "call_settled", { call_id: "u1", status: "success", result_status: "ok", summary: "Undo Edit a.ts", tool: "Undo" }),
  record(7, "call_settled", { call_id: "c2", status: "success", result_status: "ok", rule: "builtin:inside", summary: "Edit a.ts" }),
  record(6, "call_started", { call_id: "c2", agent: "lead", summary: "Edit a.ts" }),
  record(5, "approval_answered", { approval_id: "a1", call_id: "c2", answer: "once", answered_by: "http:mei phone 10.0.0.2" }),
  record(4, "approval_requested", { approval_id: "a1", call_id: "c2", rule: "builtin:inside", summary: "Edit a.ts" }),
  record(3, "call_settled", { call_id: "c4", status: "failed", result_status: "denied", rule: "builtin:system", summary: "Write /etc/x" }),
  record(2, "call_settled", {
    call_id: "c1",
    status: "success",
    result_status: "ok",
    rule: "Bash(npm run lint)",
    summary: "Run: npm run lint",
  }),
  record(1, "call_settled", { call_id: "c0", status: "success", result_status: "ok", rule: "builtin:inside", summary: "Read a.ts" }),
];

it("each decision is one line: asked, undone, by a person, denied, by a rule, by the mode", () => {
  expect(auditLines(entries, { all: false }).map(({ word, chip, what, by, decided }) => [word, chip, what, by, decided])).toEqual([
    ["recAsked", "ask", "Run: npm test", "", ""],
    ["recUndone", "undone", "Undo Edit a.ts", "", ""],
    ["recOnce", "allow", "Edit a.ts", "http:mei phone 10.0.0.2", ""],
    ["recDenied", "deny", "Write /etc/x", "", "mode"],
    ["recAllowed", "allow", "Run: npm run lint", "", "rule"],
    ["recAllowed", "allow", "Read a.ts", "", "mode"],
  ]);
});

it("every record is shown as it is if one asks for all", () => {
  expect(auditLines(entries, { all: true }).map(({ entry, word }) => [entry.seq, word])).toEqual([
    [9, "recAsked"],
    [8, "recUndone"],
    [7, "recDone"],
    [6, "recStarted"],
    [5, "recOnce"],
    [4, "recAsked"],
    [3, "recDenied"],
    [2, "recDone"],
    [1, "recDone"],
  ]);
});
