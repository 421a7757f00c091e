/**
 * Approvals: written with the call they stop, answered once, used once. `expired` is never stored:
 * it is what a pending or granted one becomes when its time has passed.
 */
import type {
  Answer,
  ApprovalAnswer,
  ApprovalCard,
  ApprovalDraft,
  ApprovalFilter,
  ApprovalRecord,
  ApprovalStatus,
  VoidCause,
} from "../contract/index.ts";
import { appendAudit } from "./audit.ts";
import type { Database } from "./database.ts";
import { optional } from "./json-text.ts";

interface ApprovalRow {
  readonly id: string;
  readonly session_id: string;
  readonly call_id: string;
  readonly status: ApprovalStatus;
  readonly plan_hash: string;
  readonly nonce: string;
  readonly policy_version: string;
  readonly expires_at: number;
  readonly created_at: number;
  readonly card: string;
  readonly answer: Answer | null;
  readonly answered_by: string | null;
  readonly answered_at: number | null;
  readonly words: string | null;
  readonly void_cause: VoidCause | null;
}

export function findApproval(database: Database, id: string, now: number): ApprovalRecord | undefined {
  const row = database.one<ApprovalRow>("SELECT * FROM approvals WHERE id = ?", id);
  return row === undefined ? undefined : recordOf(row, now);
}

/** Oldest first, as somebody would answer them. */
export function listApprovals(database: Database, filter: ApprovalFilter, now: number): ApprovalRecord[] {
  const where: string[] = [];
  const parameters: string[] = [];
  if (filter.sessionId !== undefined) {
    where.push("session_id = ?");
    parameters.push(filter.sessionId);
  }
  if (filter.callId !== undefined) {
    where.push("call_id = ?");
    parameters.push(filter.callId);
  }
  // Expired ones are stored as what they were.
  if (filter.status === "pending" || filter.status === "granted") where.push(`status = '${filter.status}'`);
  const sql = `SELECT * FROM approvals ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`} ORDER BY n`;
  const records = database.all<ApprovalRow>(sql, ...parameters).map((row) => recordOf(row, now));
  return filter.status === undefined ? records : records.filter((record) => record.status === filter.status);
}

/** Inside a write transaction, after the call was written as `asked`. */
export function insertApproval(database: Database, { record }: ApprovalDraft, time: number): void {
  database.run(
    `INSERT INTO approvals (id, session_id, call_id, status, plan_hash, nonce, policy_version, expires_at, created_at, card)
     VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
    record.id,
    record.sessionId,
    record.callId,
    record.planHash,
    record.nonce,
    record.policyVersion,
    record.expiresAt,
    record.createdAt,
    JSON.stringify(record.card),
  );
  appendAudit(database, time, record.sessionId, "approval_requested", {
    approval_id: record.id,
    call_id: record.callId,
    tool: record.card.tool,
    summary: record.card.summary,
    rule: record.card.rule,
    plan_hash: record.planHash,
    policy_version: record.policyVersion,
    expires_at: record.expiresAt,
  });
}

/** Inside a write transaction. The first answer in time wins; every later one changes nothing. */
export function answerApproval(database: Database, reply: ApprovalAnswer, time: number): ApprovalRecord | undefined {
  const found = findApproval(database, reply.id, reply.now);
  if (found?.status !== "pending" || (reply.nonce !== undefined && reply.nonce !== found.nonce)) return undefined;
  const status = reply.answer === "deny" ? "refused" : "granted";
  database.run(
    "UPDATE approvals SET status = ?, answer = ?, answered_by = ?, answered_at = ?, words = ? WHERE id = ?",
    status,
    reply.answer,
    reply.answeredBy,
    reply.now,
    reply.words ?? null,
    reply.id,
  );
  appendAudit(database, time, found.sessionId, "approval_answered", {
    approval_id: reply.id,
    call_id: found.callId,
    answer: reply.answer,
    answered_by: reply.answeredBy,
    words: reply.words,
    plan_hash: found.planHash,
  });
  return findApproval(database, reply.id, reply.now);
}

/** Inside a write transaction. */
export function renewApproval(
  database: Database,
  { id, card, planHash, nonce, policyVersion }: Pick<ApprovalRecord, "id" | "card" | "planHash" | "nonce" | "policyVersion">,
  time: number,
): ApprovalRecord | undefined {
  const found = findApproval(database, id, time);
  if (found?.status !== "pending") return found;
  database.run(
    "UPDATE approvals SET plan_hash = ?, nonce = ?, policy_version = ?, card = ? WHERE id = ?",
    planHash,
    nonce,
    policyVersion,
    JSON.stringify(card),
    id,
  );
  appendAudit(database, time, found.sessionId, "approval_renewed", {
    approval_id: id,
    call_id: found.callId,
    summary: card.summary,
    plan_hash: planHash,
  });
  return findApproval(database, id, time);
}

/** Inside a write transaction. `undefined` when it is used up now; else the reason why it cannot be. */
export function useApproval(
  database: Database,
  use: { readonly id: string; readonly callId: string; readonly sessionId: string; readonly now: number },
): ApprovalStatus | "missing" | undefined {
  const found = findApproval(database, use.id, use.now);
  if (found === undefined || found.callId !== use.callId || found.sessionId !== use.sessionId) return "missing";
  if (found.status !== "granted") return found.status;
  database.run("UPDATE approvals SET status = 'used' WHERE id = ?", use.id);
  return undefined;
}

/** Inside a write transaction: the call went another way, so nothing may be decided or used for it any more. */
export function voidApprovals(database: Database, callId: string, cause: VoidCause): void {
  database.run(
    "UPDATE approvals SET status = 'void', void_cause = ? WHERE call_id = ? AND status IN ('pending', 'granted')",
    cause,
    callId,
  );
}

function recordOf(row: ApprovalRow, now: number): ApprovalRecord {
  const open = row.status === "pending" || row.status === "granted";
  return {
    id: row.id,
    sessionId: row.session_id,
    callId: row.call_id,
    status: open && row.expires_at <= now ? "expired" : row.status,
    card: JSON.parse(row.card) as ApprovalCard,
    planHash: row.plan_hash,
    nonce: row.nonce,
    policyVersion: row.policy_version,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    ...optional("answer", row.answer),
    ...optional("answeredBy", row.answered_by),
    ...optional("answeredAt", row.answered_at),
    ...optional("words", row.words),
    ...optional("voidCause", row.void_cause),
  };
}
