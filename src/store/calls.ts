/**
 * The life of a call as it is recorded: asked, running, settled. Everything that belongs to a step is
 * one transaction, so after a crash a step is there whole or not at all.
 *
 * Refuses a call id that belongs to another session, a second settlement, and the settlement of a
 * running call by a process that does not own it (any more): the late word of a process that was
 * taken for dead is not recorded.
 */
import {
  type ApprovalDraft,
  type CallPhase,
  type CallRecord,
  type CallSettlement,
  type CallStart,
  type JournalEntry,
  type KaryiEvent,
  type Result,
  type StartOutcome,
  ToolFailure,
  type VoidCause,
} from "../contract/index.ts";
import { insertApproval, useApproval, voidApprovals } from "./approvals.ts";
import { appendAudit } from "./audit.ts";
import { type CallDetail, findCall, type IntendedImage, runningCalls } from "./call-records.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { insertEvents } from "./events.ts";
import { sha256 } from "./json-text.ts";
import { leftOwners } from "./owners.ts";
import { pressed } from "./pressed-text.ts";
import { applyPatch } from "./sessions.ts";

/** Inside a write transaction. The first image of a path before counts, but one of the time alone gives way; and the last one after it. */
function insertJournal(database: Database, callId: string, entries: readonly JournalEntry[], from: number): void {
  entries.forEach((entry, index) => {
    database.run(
      `INSERT INTO journal (n, path, position, before, after) VALUES ((SELECT n FROM calls WHERE id = ?), ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET after = coalesce(excluded.after, after), before =
         CASE WHEN before ->> '$.kind' = 'time' AND excluded.before ->> '$.kind' <> 'time' THEN excluded.before ELSE before END`,
      callId,
      entry.path,
      from + index,
      JSON.stringify(entry.before),
      afterText(entry),
    );
  });
}

function afterText({ after, intended }: JournalEntry): string | null {
  if (after !== undefined) return JSON.stringify(after);
  return intended === undefined ? null : JSON.stringify({ kind: "intended", content: intended } satisfies IntendedImage);
}

/** Inside a write transaction: what a running call finds out later that it will change. */
export function appendJournal(database: Database, callId: string, entries: readonly JournalEntry[]): void {
  const row = database.one<{ next: number }>(
    "SELECT coalesce(max(position) + 1, 0) AS next FROM journal WHERE n = (SELECT n FROM calls WHERE id = ?)",
    callId,
  );
  insertJournal(database, callId, entries, row?.next ?? 0);
  database.run("UPDATE calls SET writing = 1 WHERE id = ?", callId);
}

/** Inside a write transaction. */
export function startCall(context: StoreContext, start: CallStart): StartOutcome {
  const { database, owner, now } = context;
  const { call, approvalId } = start;
  const time = now();
  const detail = detailOf(call);
  const writing = start.journal.length > 0;
  const fresh = approvalId === undefined && insertCall(database, call, owner.id, "running", detail, writing);
  if (!fresh) {
    const existing = findCall(context, call.id);
    if (existing !== undefined) {
      refuseOtherSession(existing, call.sessionId);
      if (existing.phase !== "asked") return { kind: "known", call: existing };
    }
    if (approvalId !== undefined) {
      const status = useApproval(database, { id: approvalId, callId: call.id, sessionId: call.sessionId, now: time });
      if (status !== undefined) return { kind: "approval_void", status };
    }
    replaceCall(database, call, owner.id, "running", detail, writing);
  }
  insertJournal(database, call.id, start.journal, 0);
  const events = insertEvents(database, call.sessionId, start.events, time);
  // A relaxed call that nobody was asked about changes nothing, so its one row at the end is proof enough.
  if (start.durable || approvalId !== undefined) {
    appendAudit(database, time, call.sessionId, "call_started", {
      call_id: call.id,
      tool: call.tool,
      summary: call.summary,
      cwd: call.cwd,
      agent: call.agent,
      approval_id: approvalId,
      undo_of: call.undoOf,
      detail_hash: sha256(detail),
    });
  }
  return { kind: "started", events };
}

/** Inside a write transaction. */
export function requestApproval(context: StoreContext, draft: ApprovalDraft): KaryiEvent[] {
  const { database, owner, now } = context;
  const { call } = draft;
  const time = now();
  const detail = detailOf(call);
  if (!insertCall(database, call, owner.id, "asked", detail, false)) {
    const existing = findCall(context, call.id);
    if (existing !== undefined) {
      refuseOtherSession(existing, call.sessionId);
      const stops = draft.rehearsed === true && existing.phase === "running" && existing.ownerId === owner.id;
      if (existing.phase !== "asked" && !stops)
        throw conflict("already_started", `Call ${call.id} is ${existing.phase} already; nothing can be asked about it.`);
    }
    replaceCall(database, call, owner.id, "asked", detail, false);
  }
  insertApproval(database, draft, time);
  return insertEvents(database, call.sessionId, draft.events, time);
}

/** Inside a write transaction. */
export function settleCall({ database, longOutputs, owner, now }: StoreContext, settlement: CallSettlement): KaryiEvent[] {
  const { callId, sessionId, status } = settlement;
  const time = now();
  const call = database.columns<[number, string, CallPhase, string, string]>(
    "SELECT n, owner_id, phase, tool, summary FROM calls WHERE id = ? AND session_id = ?",
    callId,
    sessionId,
  );
  if (call === undefined) throw unknownCall(callId);
  const [n, ownerId, phase, tool, summary] = call;
  const { text, place } = longOutputs.pack(settlement.result, settlement.durable);
  const settled = database.run(
    `INSERT INTO outcomes (n, settled_at, status, result, output_file, output_at, output_bytes) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    n,
    time,
    status,
    pressed(text),
    place?.file ?? null,
    place?.at ?? null,
    place?.bytes ?? null,
  );
  if (settled === 0) throw conflict("already_settled", `Call ${callId} is settled already; this second result was not recorded.`);
  if (phase === "asked") {
    database.run("UPDATE calls SET phase = 'settled' WHERE n = ?", n);
    voidApprovals(database, callId, causeOf(settlement.result));
  } else if (ownerId !== owner.id) {
    throw conflict("not_owner", `Call ${callId} was taken over by another process; this result was not recorded.`);
  }
  for (const { path, after } of settlement.after ?? []) {
    const known = database.run("UPDATE journal SET after = ? WHERE n = ? AND path = ?", JSON.stringify(after), n, path);
    if (known === 0) throw new Error(`after-image of a path that call ${callId} has no before-image of: ${path}`);
  }
  for (const mark of settlement.mark ?? []) {
    const known = database.run("UPDATE outcomes SET status = ? WHERE n = (SELECT n FROM calls WHERE id = ?)", mark.status, mark.callId);
    if (known === 0) throw unknownCall(mark.callId);
  }
  if (settlement.patch !== undefined) applyPatch(database, sessionId, settlement.patch);
  const events = insertEvents(database, sessionId, settlement.events, time);
  appendAudit(database, time, sessionId, "call_settled", {
    call_id: callId,
    tool,
    summary,
    status,
    result_status: settlement.result.status,
    error_code: settlement.result.error?.code,
    rule: settlement.rule ?? settlement.result.error?.details?.rule,
    by: settlement.by,
    result_hash: settlement.durable ? sha256(text) : undefined,
    ...(settlement.mark === undefined ? {} : { marked: settlement.mark.map((mark) => ({ call_id: mark.callId, status: mark.status })) }),
  });
  return events;
}

/** Inside a write transaction. */
export function leaveWaiting({ database, owner }: StoreContext, callId: string): boolean {
  const open = "NOT EXISTS (SELECT 1 FROM outcomes WHERE outcomes.n = calls.n)";
  return (
    database.run(`UPDATE calls SET phase = 'asked' WHERE id = ? AND phase = 'running' AND owner_id = ? AND ${open}`, callId, owner.id) > 0
  );
}

/** What dead processes left running becomes this process's to settle; no two processes get the same one. */
export async function adoptOrphans(context: StoreContext, workspace?: string): Promise<readonly CallRecord[]> {
  const { database, owner } = context;
  const left = await database.query(() => leftOwners(context));
  if (left.length === 0) return [];
  return database.write(false, () =>
    // Looked up again under the lock: somebody else may have been quicker.
    leftOwners(context).flatMap(({ id, firstCall }) => {
      const all = runningCalls(context, id, firstCall);
      const orphans = all.filter((call) => workspace === undefined || !changesElsewhere(database, call, workspace));
      for (const orphan of orphans) database.run("UPDATE calls SET owner_id = ? WHERE id = ?", owner.id, orphan.id);
      if (orphans.length > 0) database.run("UPDATE owners SET first_call = min(first_call, ?) WHERE id = ?", firstCall, owner.id);
      database.run("DELETE FROM locks WHERE owner_id = ?", id);
      if (orphans.length === all.length) database.run("DELETE FROM owners WHERE id = ?", id);
      return orphans.map((orphan) => ({ ...orphan, ownerId: owner.id }));
    }),
  );
}

/** Whose files the calls of dead processes were changing. */
export function orphanWorkspaces(context: StoreContext): string[] {
  const calls = leftOwners(context).flatMap(({ id, firstCall }) => runningCalls(context, id, firstCall));
  const workspaces = calls.flatMap((call) => (isWriting(context.database, call.id) ? (workspaceOf(context.database, call) ?? []) : []));
  return [...new Set(workspaces)];
}

function changesElsewhere(database: Database, call: CallRecord, workspace: string): boolean {
  return isWriting(database, call.id) && workspaceOf(database, call) !== workspace;
}

function isWriting(database: Database, callId: string): boolean {
  return database.one("SELECT 1 FROM calls WHERE id = ? AND writing = 1", callId) !== undefined;
}

function workspaceOf(database: Database, { sessionId }: CallRecord): string | undefined {
  return database.one<{ workspace: string }>("SELECT workspace FROM sessions WHERE id = ?", sessionId)?.workspace;
}

function detailOf({ input, effects, request }: CallStart["call"]): string {
  return JSON.stringify({ input, effects, request } satisfies CallDetail);
}

function insertCall(
  database: Database,
  call: CallStart["call"],
  ownerId: string,
  phase: CallPhase,
  detail: string,
  writing: boolean,
): boolean {
  const inserted = database.run(
    `INSERT INTO calls (id, session_id, phase, owner_id, started_at, tool, message_id, agent, undo_of, writing, cwd, summary, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    call.id,
    call.sessionId,
    phase,
    ownerId,
    call.startedAt,
    call.tool,
    call.messageId ?? null,
    call.agent ?? null,
    call.undoOf ?? null,
    writing ? 1 : 0,
    call.cwd,
    call.summary,
    detail,
  );
  return inserted === 1;
}

/** An asked call becomes a new row, so that calls are numbered in the order they began; other approvals for it are void. */
function replaceCall(
  database: Database,
  call: CallStart["call"],
  ownerId: string,
  phase: CallPhase,
  detail: string,
  writing: boolean,
): void {
  database.run("DELETE FROM calls WHERE id = ?", call.id);
  voidApprovals(database, call.id, phase === "asked" ? "asked_again" : "not_needed");
  insertCall(database, call, ownerId, phase, detail, writing);
}

/** A call that ended while it was asked about: its failure says what had changed. */
function causeOf({ error }: Result): VoidCause {
  const reason = error?.details?.reason;
  return reason === "plan_changed" || reason === "policy_changed" ? reason : "call_ended";
}

function refuseOtherSession(existing: CallRecord, sessionId: string): void {
  if (existing.sessionId !== sessionId) throw conflict("call_id_taken", `The call id ${existing.id} belongs to another session.`);
}

function conflict(reason: string, message: string): ToolFailure {
  return new ToolFailure("tool_conflict", message, { details: { reason } });
}

function unknownCall(id: string): ToolFailure {
  return new ToolFailure("tool_not_found", `There is no call ${id} in this session.`, { details: { reason: "call_unknown" } });
}
