/**
 * Retention: forgets what old sessions did, of sessions in use the old calls, and trims stored outputs to their quota. The
 * session itself stays (its key, directory and rules are small and may be open somewhere), its numbering goes on, and the
 * audit rows stay, for they are the proof. A call that runs or waits for a person is left alone, and so is all that is young.
 * Files go before their rows: on a full disk that makes the room which removing rows needs.
 */
import type { GcReport, GcRequest } from "../contract/index.ts";
import { appendAudit } from "./audit.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { removeOutputFiles } from "./outputs.ts";
import { ownerHolds } from "./owners.ts";

const nothing: GcReport = { sessions: 0, calls: 0, events: 0, outputs: 0, bytesFreed: 0 };

export async function collect(context: StoreContext, request: GcRequest): Promise<GcReport> {
  const { database } = context;
  const forgotten = new Set(await database.read(() => idleSessions(context, request.olderThan)));
  let report = nothing;
  for (const sessionId of forgotten) {
    report = sum(report, await forgetSession(context, sessionId, request));
    // Between two transactions others get their turn.
    await new Promise(setImmediate);
  }
  report = sum(report, await trimCalls(context, request, forgotten));
  report = sum(report, await trimOutputs(context, request, forgotten));
  if (!request.dryRun) context.longOutputs.sweep(await database.query(() => usedFiles(database)));
  if (!request.dryRun && report.bytesFreed > 0) {
    await database.write(true, () => appendAudit(database, context.now(), "", "gc", { ...report, olderThan: request.olderThan }));
    await database.query(() => database.exec("PRAGMA incremental_vacuum"));
    await database.query(() => database.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  }
  return report;
}

function idleSessions(context: StoreContext, olderThan: number): string[] {
  const { database } = context;
  const sessions = database.all<{ id: string; created_at: number }>("SELECT id, created_at FROM sessions WHERE created_at < ?", olderThan);
  return sessions.filter(({ id }) => isIdle(context, id, olderThan)).map(({ id }) => id);
}

function isIdle({ database, now }: StoreContext, sessionId: string, olderThan: number): boolean {
  const activity = database.one<{ time: number }>(
    `SELECT max(
       coalesce((SELECT time FROM events WHERE session_id = ?1 ORDER BY seq DESC LIMIT 1), 0),
       coalesce((SELECT max(started_at) FROM calls WHERE session_id = ?1), 0),
       coalesce((SELECT max(settled_at) FROM calls JOIN outcomes USING (n) WHERE session_id = ?1), 0),
       coalesce((SELECT max(created_at) FROM outputs WHERE session_id = ?1), 0)
     ) AS time`,
    sessionId,
  );
  if (activity === undefined || activity.time >= olderThan) return false;
  const open = database.one(
    `SELECT 1 FROM approvals WHERE session_id = ?1 AND status IN ('pending', 'granted') AND expires_at > ?2
     UNION ALL SELECT 1 FROM calls LEFT JOIN outcomes USING (n) WHERE session_id = ?1 AND phase = 'running' AND settled_at IS NULL
     UNION ALL SELECT 1 FROM runs WHERE session_id = ?1 AND phase <> 'ended' LIMIT 1`,
    sessionId,
    now(),
  );
  return open === undefined;
}

async function forgetSession(context: StoreContext, sessionId: string, request: GcRequest): Promise<GcReport> {
  const { database } = context;
  if (request.dryRun) return database.read(() => sizeOfSession(database, sessionId));
  const { size, refs } = await database.write(false, () => {
    // Somebody may have come back to it meanwhile.
    const size = isIdle(context, sessionId, request.olderThan) ? sizeOfSession(database, sessionId) : nothing;
    if (size.sessions === 0) return { size: nothing, refs: [] };
    const refs = database.all<{ ref: string }>("SELECT ref FROM outputs WHERE session_id = ?", sessionId).map(({ ref }) => ref);
    const calls = `SELECT n FROM calls WHERE ${removableCalls}`;
    database.run(`DELETE FROM outcomes WHERE n IN (${calls})`, sessionId);
    database.run(`DELETE FROM journal WHERE n IN (${calls})`, sessionId);
    database.run(`DELETE FROM calls WHERE ${removableCalls}`, sessionId);
    database.run(
      "UPDATE sessions SET event_floor = max(event_floor, coalesce((SELECT max(seq) FROM events WHERE session_id = ?1), 0)) WHERE id = ?1",
      sessionId,
    );
    database.run("DELETE FROM events WHERE session_id = ?", sessionId);
    database.run("DELETE FROM approvals WHERE session_id = ?", sessionId);
    database.run("DELETE FROM tasks WHERE session_id = ?", sessionId);
    database.run("DELETE FROM artifacts WHERE session_id = ?", sessionId);
    for (const table of ["run_steps", "run_signals"])
      database.run(`DELETE FROM ${table} WHERE run IN (SELECT n FROM runs WHERE session_id = ?)`, sessionId);
    database.run("DELETE FROM runs WHERE session_id = ?", sessionId);
    database.run("DELETE FROM outputs WHERE session_id = ?", sessionId);
    return { size, refs };
  });
  await removeOutputFiles(context.directory, refs);
  return size;
}

/** Calls removed in one transaction: others get their turn in between, and a full disk has room for it. */
const callsAtOnce = 200;

/** Sessions that are in use: their calls, events and approvals from before the limit. */
async function trimCalls(context: StoreContext, request: GcRequest, forgotten: ReadonlySet<string>): Promise<GcReport> {
  const { database } = context;
  const sessions = await database.query(() =>
    database.all<{ id: string }>(`SELECT DISTINCT session_id AS id FROM calls WHERE started_at < ?`, request.olderThan),
  );
  let report = nothing;
  for (const { id } of sessions) {
    if (forgotten.has(id)) continue;
    for (let left = request.maxCalls ?? Number.POSITIVE_INFINITY; left > 0; ) {
      const found = await database.query(() => oldCalls(context, id, request.olderThan, Math.min(callsAtOnce, left)));
      if (found.length === 0) break;
      report = sum(report, found.reduce(sumCalls, nothing));
      if (request.dryRun) {
        report = sum(report, await database.query(() => restOf(context, id, request.olderThan, found.length)));
        break;
      }
      await database.write(false, () => {
        for (const { n } of found)
          for (const table of ["outcomes", "journal", "calls"]) database.run(`DELETE FROM ${table} WHERE n = ?`, n);
      });
      left -= found.length;
      await new Promise(setImmediate);
    }
    if (!request.dryRun) report = sum(report, await trimStream(context, id, request.olderThan));
  }
  return report;
}

interface OldCall {
  readonly n: number;
  readonly bytes: number;
}

function oldCalls({ database, now }: StoreContext, sessionId: string, olderThan: number, limit: number): OldCall[] {
  return database.all<OldCall>(
    `SELECT n, length(detail) + length(result) + coalesce(output_bytes, 0) AS bytes FROM calls JOIN outcomes USING (n)
     WHERE session_id = ?1 AND started_at < ?2 AND settled_at < ?2 AND n < (SELECT max(n) FROM calls)
       AND id NOT IN (SELECT call_id FROM approvals WHERE session_id = ?1 AND status IN ('pending', 'granted') AND expires_at > ?3)
     ORDER BY n LIMIT ?4`,
    sessionId,
    olderThan,
    now(),
    limit,
  );
}

/** What a dry run would still find after the first calls. */
function restOf(context: StoreContext, sessionId: string, olderThan: number, seen: number): GcReport {
  return oldCalls(context, sessionId, olderThan, -1).slice(seen).reduce(sumCalls, nothing);
}

function sumCalls(report: GcReport, { bytes }: OldCall): GcReport {
  return sum(report, { ...nothing, calls: 1, bytesFreed: bytes });
}

/** The old beginning of the stream (where no agent has its conversation in it), answered approvals and closed outputs. */
async function trimStream(context: StoreContext, sessionId: string, olderThan: number): Promise<GcReport> {
  const { database } = context;
  const refs = await database.query(() =>
    database.all<{ ref: string }>("SELECT ref FROM outputs WHERE session_id = ? AND created_at < ? AND closed = 1", sessionId, olderThan),
  );
  await removeOutputFiles(
    context.directory,
    refs.map(({ ref }) => ref),
  );
  return database.write(false, () => {
    const last = database.one<{ seq: number | null }>(
      `SELECT max(seq) AS seq FROM events WHERE session_id = ?1 AND time < ?2 AND NOT EXISTS (SELECT 1 FROM runs WHERE session_id = ?1)`,
      sessionId,
      olderThan,
    );
    const seq = last?.seq ?? 0;
    const events = count(
      database,
      `SELECT count(*) AS rows, total(length(body)) AS bytes FROM events WHERE session_id = ? AND seq <= ${seq}`,
      sessionId,
    );
    database.run("UPDATE sessions SET event_floor = max(event_floor, ?) WHERE id = ?", seq, sessionId);
    database.run("DELETE FROM events WHERE session_id = ? AND seq <= ?", sessionId, seq);
    database.run(
      "DELETE FROM approvals WHERE session_id = ? AND created_at < ? AND status NOT IN ('pending', 'granted')",
      sessionId,
      olderThan,
    );
    const outputs = database.run("DELETE FROM outputs WHERE session_id = ? AND created_at < ? AND closed = 1", sessionId, olderThan);
    return { ...nothing, events: events.rows, outputs, bytesFreed: events.bytes };
  });
}

function usedFiles(database: Database): ReadonlySet<string> {
  const rows = database.all<{ name: string }>("SELECT DISTINCT output_file AS name FROM outcomes WHERE output_file IS NOT NULL");
  return new Set(rows.map(({ name }) => name));
}

/** The newest call of all stays: owners remember by its number where their own calls begin. */
const removableCalls = "session_id = ?1 AND n < (SELECT max(n) FROM calls)";

function sizeOfSession(database: Database, sessionId: string): GcReport {
  const calls = count(
    database,
    `SELECT count(*) AS rows, total(length(detail) + coalesce(length(result), 0) + coalesce(output_bytes, 0)) AS bytes
     FROM calls LEFT JOIN outcomes USING (n) WHERE ${removableCalls}`,
    sessionId,
  );
  const events = count(database, "SELECT count(*) AS rows, total(length(body)) AS bytes FROM events WHERE session_id = ?", sessionId);
  const approvals = count(database, "SELECT count(*) AS rows, total(length(card)) AS bytes FROM approvals WHERE session_id = ?", sessionId);
  const outputs = count(database, "SELECT count(*) AS rows, total(kept) AS bytes FROM outputs WHERE session_id = ?", sessionId);
  return {
    sessions: calls.rows + events.rows + approvals.rows + outputs.rows > 0 ? 1 : 0,
    calls: calls.rows,
    events: events.rows,
    outputs: outputs.rows,
    bytesFreed: calls.bytes + events.bytes + approvals.bytes + outputs.bytes,
  };
}

/** Oldest first, until what is left fits; what a living process still writes is left alone. */
async function trimOutputs(context: StoreContext, request: GcRequest, forgotten: ReadonlySet<string>): Promise<GcReport> {
  const { database } = context;
  const outputs = await database.query(() =>
    database
      .all<{ ref: string; session_id: string; kept: number; closed: number; owner_id: string }>(
        "SELECT ref, session_id, kept, closed, owner_id FROM outputs ORDER BY n",
      )
      .filter((output) => !(request.dryRun && forgotten.has(output.session_id))),
  );
  let excess = outputs.reduce((bytes, output) => bytes + output.kept, 0) - request.maxOutputBytes;
  let report = nothing;
  for (const output of outputs) {
    if (excess <= 0) break;
    const removed = await removeOutput(context, output, request.dryRun);
    if (!removed) continue;
    excess -= output.kept;
    report = sum(report, { ...nothing, outputs: 1, bytesFreed: output.kept });
  }
  return report;
}

async function removeOutput(
  context: StoreContext,
  output: { readonly ref: string; readonly closed: number; readonly owner_id: string },
  dryRun: boolean,
): Promise<boolean> {
  const { database } = context;
  if (output.closed === 0 && (await database.query(() => ownerHolds(context, output.owner_id)))) return false;
  if (dryRun) return true;
  const removed = await database.write(false, () => database.run("DELETE FROM outputs WHERE ref = ?", output.ref) === 1);
  await removeOutputFiles(context.directory, [output.ref]);
  return removed;
}

function count(database: Database, sql: string, sessionId: string): { readonly rows: number; readonly bytes: number } {
  return database.one<{ rows: number; bytes: number }>(sql, sessionId) ?? { rows: 0, bytes: 0 };
}

function sum(a: GcReport, b: GcReport): GcReport {
  return {
    sessions: a.sessions + b.sessions,
    calls: a.calls + b.calls,
    events: a.events + b.events,
    outputs: a.outputs + b.outputs,
    bytesFreed: a.bytesFreed + b.bytesFreed,
  };
}
