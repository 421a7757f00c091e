/** The event stream of each session: gapless numbers given inside the transaction, read from anywhere (C10). */
import { type EventDraft, type EventType, eventSchemaVersion, type KaryiEvent } from "../contract/index.ts";
import type { Database } from "./database.ts";
import { optional } from "./json-text.ts";
import { pressed, unpressed } from "./pressed-text.ts";
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
      pressed(JSON.stringify(draft.body)),
    );
    return { ...draft, seq, time, sessionId, schemaVersion: eventSchemaVersion };
  });
  database.remember(key, seq);
  return events;
}

export function readEvents(database: Database, sessionId: string, after: number, limit: number): KaryiEvent[] {
  return database
    .all<EventRow>("SELECT * FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?", sessionId, after, limit)
    .map((row) => eventOf(sessionId, row));
}

/** The last `limit` events before `before`, oldest first. */
export function readLastEvents(database: Database, sessionId: string, before: number, limit: number): KaryiEvent[] {
  return database
    .all<EventRow>("SELECT * FROM events WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?", sessionId, before, limit)
    .reverse()
    .map((row) => eventOf(sessionId, row));
}

/** The body was written by `insertEvents` as the body of this type. */
function eventOf(sessionId: string, row: EventRow): KaryiEvent {
  const event = {
    type: row.type,
    ...optional("agent", row.agent),
    ...optional("callId", row.call_id),
    ...optional("subagentId", row.subagent_id),
    ...optional("parentSeq", row.parent_seq),
    body: JSON.parse(unpressed(row.body)),
    seq: row.seq,
    time: row.time,
    sessionId,
    schemaVersion: row.schema_version,
  };
  return event as KaryiEvent;
}

function lastSeq(database: Database, sessionId: string): number {
  const [last] = database.columns<[number | null]>("SELECT max(seq) FROM events WHERE session_id = ?", sessionId) ?? [null];
  if (last !== null) return last;
  // Numbers go on after retention removed the events that had them.
  const session = database.one<{ event_floor: number }>("SELECT event_floor FROM sessions WHERE id = ?", sessionId);
  if (session === undefined) throw unknownSession(sessionId);
  return session.event_floor;
}
