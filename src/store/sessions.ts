/** Sessions and what they remember: state as one value, files read as rows. */
import { randomUUID } from "node:crypto";
import {
  changedEnv,
  type Fingerprint,
  type SessionKey,
  type SessionPatch,
  type SessionRecord,
  type SessionState,
  ToolFailure,
} from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { optional } from "./json-text.ts";

interface SessionRow {
  readonly id: string;
  readonly owner: string;
  readonly channel: string;
  readonly external_id: string;
  readonly workspace: string;
  readonly created_at: number;
  readonly state: string;
}

export async function openSession(
  context: StoreContext,
  key: SessionKey,
  workspace: string,
  initial: SessionState,
): Promise<SessionRecord> {
  const { database } = context;
  const known = await database.query(() => findSessionByKey(database, key));
  if (known !== undefined) return known;
  return database.write(true, () => {
    const created = database.run(
      `INSERT INTO sessions (id, owner, channel, external_id, workspace, created_at, event_floor, state) VALUES (?, ?, ?, ?, ?, ?, 0, ?)
       ON CONFLICT (owner, channel, external_id) DO NOTHING`,
      randomUUID(),
      key.owner,
      key.channel,
      key.externalId,
      workspace,
      context.now(),
      JSON.stringify(initial),
    );
    const session = findSessionByKey(database, key);
    if (session === undefined) throw new Error(`session was not kept (${created} rows written)`);
    return session;
  });
}

export function findSession(database: Database, id: string): SessionRecord | undefined {
  const row = database.one<SessionRow>("SELECT * FROM sessions WHERE id = ?", id);
  return row === undefined ? undefined : recordOf(row);
}

export function listSessions(database: Database): SessionRecord[] {
  return sessionsWhere(database, "true");
}

/** Newest first. */
export function sessionsWhere(database: Database, condition: string, ...parameters: string[]): SessionRecord[] {
  return database
    .all<SessionRow>(`SELECT * FROM sessions WHERE ${condition} ORDER BY created_at DESC, rowid DESC`, ...parameters)
    .map(recordOf);
}

/** Inside a write transaction: two processes that patch different names both keep theirs. */
export function applyPatch(database: Database, sessionId: string, patch: SessionPatch): void {
  if (patch.state !== undefined || patch.env !== undefined) {
    const session = findSession(database, sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    const state = { ...session.state, ...patch.state };
    const env = changedEnv(state.env, patch.env ?? {});
    database.run("UPDATE sessions SET state = ? WHERE id = ?", JSON.stringify({ ...state, env }), sessionId);
  }
  for (const [path, fingerprint] of Object.entries(patch.seen ?? {})) {
    if (fingerprint === null) database.run("DELETE FROM seen_files WHERE session_id = ? AND path = ?", sessionId, path);
    else
      database.run(
        "INSERT OR REPLACE INTO seen_files (session_id, path, size, mtime_ms, hash) VALUES (?, ?, ?, ?, ?)",
        sessionId,
        path,
        fingerprint.size,
        fingerprint.mtimeMs,
        fingerprint.hash ?? null,
      );
  }
}

export function seenFiles(database: Database, sessionId: string): ReadonlyMap<string, Fingerprint> {
  const rows = database.all<{ path: string; size: number; mtime_ms: number; hash: string | null }>(
    "SELECT path, size, mtime_ms, hash FROM seen_files WHERE session_id = ?",
    sessionId,
  );
  return new Map(rows.map((row) => [row.path, { size: row.size, mtimeMs: row.mtime_ms, ...optional("hash", row.hash) }]));
}

export function unknownSession(id: string): ToolFailure {
  return new ToolFailure("tool_not_found", `There is no session ${id}.`, {
    hint: "Open the session again by its key.",
    details: { reason: "session_unknown" },
  });
}

export function findSessionByKey(database: Database, key: SessionKey): SessionRecord | undefined {
  const row = database.one<SessionRow>(
    "SELECT * FROM sessions WHERE owner = ? AND channel = ? AND external_id = ?",
    key.owner,
    key.channel,
    key.externalId,
  );
  return row === undefined ? undefined : recordOf(row);
}

function recordOf(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    key: { owner: row.owner, channel: row.channel, externalId: row.external_id },
    workspace: row.workspace,
    createdAt: row.created_at,
    state: JSON.parse(row.state) as SessionState,
  };
}
