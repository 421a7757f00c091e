/**
 * Owns what is asked of or done to whole sessions: lists for one user, where a stream begins and ends, forks, removal.
 * Refuses to remove a session while one of its calls is under way.
 */
import { randomUUID } from "node:crypto";
import {
  type EventHead,
  type KaryiEvent,
  type SessionGlance,
  type SessionKey,
  type SessionRecord,
  ToolFailure,
} from "../contract/index.ts";
import { appendAudit } from "./audit.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { readLastEvents } from "./events.ts";
import { removeOutputFiles } from "./outputs.ts";
import { unpressed } from "./pressed-text.ts";
import { findSession, findSessionByKey, sessionsWhere, unknownSession } from "./sessions.ts";

/** A title is looked for among this many events; most sessions begin with it. */
const titleEvents = 20;
const titleLength = 120;
/** A call that is under way is among the latest. */
const recentCalls = 50;

export function sessionsOf(database: Database, owner: string): SessionRecord[] {
  return sessionsWhere(database, "owner = ?", owner);
}

export function eventHeads(database: Database, sessionIds: readonly string[]): ReadonlyMap<string, EventHead> {
  const heads = new Map<string, EventHead>();
  for (const id of sessionIds) {
    const row = database.columns<[number | null, number | null, number]>(
      `SELECT (SELECT min(seq) FROM events WHERE session_id = ?1), (SELECT max(seq) FROM events WHERE session_id = ?1), event_floor
       FROM sessions WHERE id = ?1`,
      id,
    );
    if (row === undefined) continue;
    const [first, last, floor] = row;
    heads.set(id, { first: first ?? floor + 1, last: last ?? floor });
  }
  return heads;
}

export function glanceAt(database: Database, sessionIds: readonly string[]): ReadonlyMap<string, SessionGlance> {
  return new Map(sessionIds.flatMap((id) => glanceAtOne(database, id)));
}

function glanceAtOne(database: Database, id: string): [string, SessionGlance][] {
  const session = database.columns<[number]>("SELECT created_at FROM sessions WHERE id = ?", id);
  if (session === undefined) return [];
  const beginnings = database.all<{ type: string; body: string }>(
    `SELECT type, body FROM (SELECT seq, type, body FROM events WHERE session_id = ? ORDER BY seq LIMIT ${titleEvents})
     WHERE type IN ('run_start', 'text', 'tool_call')`,
    id,
  );
  const [last] = database.columns<[number]>("SELECT time FROM events WHERE session_id = ? ORDER BY seq DESC LIMIT 1", id) ?? [session[0]];
  const busy = database.columns(
    `SELECT 1 FROM (SELECT n, phase FROM calls WHERE session_id = ? ORDER BY n DESC LIMIT ${recentCalls}) LEFT JOIN outcomes USING (n)
     WHERE phase = 'running' AND settled_at IS NULL LIMIT 1`,
    id,
  );
  return [[id, { title: titleOf(beginnings), isBusy: busy !== undefined, updatedAt: last }]];
}

function titleOf(events: readonly { readonly type: string; readonly body: string }[]): string {
  const bodies = events.map(({ type, body }) => ({ type, body: JSON.parse(unpressed(body)) as Record<string, unknown> }));
  const said = bodies.find(
    ({ type, body }) => (type === "text" && body.role === "user") || (type === "run_start" && body.prompt !== undefined),
  );
  const done = bodies.find(({ type }) => type === "tool_call");
  const text = said?.body.text ?? said?.body.prompt ?? done?.body.summary ?? "";
  const line = String(text).trim().split("\n")[0] ?? "";
  return [...line].slice(0, titleLength).join("");
}

export function readEventsBefore(database: Database, sessionId: string, before: number, limit: number): KaryiEvent[] {
  return readLastEvents(database, sessionId, before, limit);
}

/** Calls stay with the session that made them: what they changed can be undone once, not twice. */
export function forkSession({ database, now }: StoreContext, sessionId: string, key: SessionKey): SessionRecord {
  const source = findSession(database, sessionId);
  if (source === undefined) throw unknownSession(sessionId);
  const id = randomUUID();
  database.run(
    `INSERT INTO sessions (id, owner, channel, external_id, workspace, created_at, event_floor, state)
     SELECT ?, ?, ?, ?, workspace, ?, event_floor, state FROM sessions WHERE id = ?`,
    id,
    key.owner,
    key.channel,
    key.externalId,
    now(),
    sessionId,
  );
  for (const table of ["seen_files", "events", "artifacts"]) copyRows(database, table, sessionId, id);
  appendAudit(database, now(), id, "session_forked", { from: sessionId });
  const made = findSessionByKey(database, key);
  if (made === undefined) throw new Error("a forked session was not kept");
  return made;
}

function copyRows(database: Database, table: string, from: string, to: string): void {
  const columns = columnsOf(database, table).filter((name) => name !== "session_id");
  const list = columns.join(", ");
  database.run(`INSERT INTO ${table} (session_id, ${list}) SELECT ?, ${list} FROM ${table} WHERE session_id = ?`, to, from);
}

export async function deleteSession(context: StoreContext, sessionId: string): Promise<void> {
  const { database } = context;
  const refs = await database.write(true, () => {
    if (findSession(database, sessionId) === undefined) throw unknownSession(sessionId);
    if (glanceAt(database, [sessionId]).get(sessionId)?.isBusy) {
      throw new ToolFailure("tool_conflict", "A call of this session is under way.", {
        hint: "Wait for it, or cancel it first.",
        details: { reason: "session_busy" },
      });
    }
    const found = database.all<{ ref: string }>("SELECT ref FROM outputs WHERE session_id = ?", sessionId).map(({ ref }) => ref);
    database.run("DELETE FROM outcomes WHERE n IN (SELECT n FROM calls WHERE session_id = ?)", sessionId);
    database.run("DELETE FROM journal WHERE n IN (SELECT n FROM calls WHERE session_id = ?)", sessionId);
    keepNumberOfNewestCall(database, sessionId);
    for (const table of tablesOfSessions(database)) database.run(`DELETE FROM ${table} WHERE session_id = ?`, sessionId);
    database.run("DELETE FROM sessions WHERE id = ?", sessionId);
    appendAudit(database, context.now(), sessionId, "session_deleted", {});
    return found;
  });
  await removeOutputFiles(context.directory, refs);
}

/** Owners remember by the number of the newest call where their own calls begin, so an empty row keeps it. */
function keepNumberOfNewestCall(database: Database, sessionId: string): void {
  database.run(
    `UPDATE calls SET session_id = '', phase = 'settled', summary = '', detail = '{"input":null,"effects":[],"request":null}', message_id = NULL
     WHERE session_id = ? AND n = (SELECT max(n) FROM calls)`,
    sessionId,
  );
}

/** Whatever table a later version adds, a deleted session leaves nothing in it. */
function tablesOfSessions(database: Database): string[] {
  const rows = database.all<{ name: string }>(
    "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'session_id' WHERE m.type = 'table' AND m.name <> 'audit'",
  );
  return rows.map(({ name }) => name);
}

function columnsOf(database: Database, table: string): string[] {
  return database.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name);
}
