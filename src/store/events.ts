/** The event stream of each session: gapless numbers given inside the transaction, read from anywhere (C10). */
import { type EventDraft, type EventType, eventSchemaVersion, type JsonObject, type KaryiEvent } from "../contract/index.ts";
import type { Database } from "./database.ts";
import { optional } from "./json-text.ts";
import { unknownSession } from "./sessions.ts";

interface EventRow {
  readonly seq: number;
  readonly time: number;
  readonly schema_version: number;
  readonly type: EventType;
  readonly call_id: string | null;
  readonly agent: string | null;
  readonly subagent_id: string | null;
  readonly parent_seq: number | null;
  readonly body: string;
}

/** Inside a write transaction. */
export function insertEvents(database: Database, sessionId: string, drafts: readonly EventDraft[], time: number): KaryiEvent[] {
  if (drafts.length === 0) return [];
  const key = `events ${sessionId}`;
  let seq = database.remembered(key, () => lastSeq(database, sessionId));
  const events = drafts.map((draft) => {
    seq += 1;
    database.run(
      `INSERT INTO events (session_id, seq, time, schema_version, type, call_id, agent, subagent_id, parent_seq, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      sessionId,
      seq,
      time,
      eventSchemaVersion,
      draft.type,
      draft.callId ?? null,
      draft.agent ?? null,
      draft.subagentId ?? null,
      draft.parentSeq ?? null,
      JSON.stringify(draft.body),
    );
    return { ...draft, seq, time, sessionId, schemaVersion: eventSchemaVersion };
  });
  database.remember(key, seq);
  return events;
}

export function readEvents(database: Database, sessionId: string, after: number, limit: number): KaryiEvent[] {
  return database
    .all<EventRow>("SELECT * FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?", sessionId, after, limit)
    .map((row) => ({
      type: row.type,
      ...optional("agent", row.agent),
      ...optional("callId", row.call_id),
      ...optional("subagentId", row.subagent_id),
      ...optional("parentSeq", row.parent_seq),
      body: JSON.parse(row.body) as JsonObject,
      seq: row.seq,
      time: row.time,
      sessionId,
      schemaVersion: row.schema_version,
    }));
}

function lastSeq(database: Database, sessionId: string): number {
  const [last] = database.columns<[number | null]>("SELECT max(seq) FROM events WHERE session_id = ?", sessionId) ?? [null];
  if (last !== null) return last;
  // Numbers go on after retention removed the events that had them.
  const session = database.one<{ event_floor: number }>("SELECT event_floor FROM sessions WHERE id = ?", sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  return session.event_floor;
}
