/**
 * The schema, as numbered steps from the first version on. A step that was released never changes:
 * what comes later is a further step. Refuses a database that a newer Karyi has written and one
 * that belongs to somebody else.
 */
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { ask } from "./asking.ts";
import { storeFailure } from "./failures.ts";
import { runTables } from "./runs.ts";

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/*
 * A read-only call writes two transactions, and each page touched costs two system calls; so the
 * outcome is a row of its own instead of a rewrite of the intent (which may hold a whole file),
 * and running calls have no index (an owner knows where its calls begin).
 */
const first = `
  CREATE TABLE owners (
    id TEXT PRIMARY KEY, pid INTEGER NOT NULL, start_token TEXT NOT NULL,
    first_call INTEGER NOT NULL, closed INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, channel TEXT NOT NULL, external_id TEXT NOT NULL,
    workspace TEXT NOT NULL, created_at INTEGER NOT NULL, event_floor INTEGER NOT NULL, state TEXT NOT NULL,
    UNIQUE (owner, channel, external_id)
  ) STRICT;

  CREATE TABLE seen_files (
    session_id TEXT NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, mtime_ms REAL NOT NULL, hash TEXT,
    PRIMARY KEY (session_id, path)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE calls (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, phase TEXT NOT NULL, owner_id TEXT NOT NULL,
    started_at INTEGER NOT NULL, tool TEXT NOT NULL, message_id TEXT, agent TEXT, undo_of TEXT, writing INTEGER NOT NULL,
    cwd TEXT NOT NULL, summary TEXT NOT NULL, detail TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_session ON calls (session_id);
  CREATE INDEX calls_by_message ON calls (message_id) WHERE message_id IS NOT NULL;
  CREATE INDEX calls_asked ON calls (n) WHERE phase = 'asked';

  CREATE TABLE outcomes (
    n INTEGER PRIMARY KEY, settled_at INTEGER NOT NULL, status TEXT NOT NULL, result TEXT NOT NULL
  ) STRICT;

  CREATE TABLE journal (
    n INTEGER NOT NULL, path TEXT NOT NULL, position INTEGER NOT NULL, before TEXT NOT NULL, after TEXT,
    PRIMARY KEY (n, path)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL, schema_version INTEGER NOT NULL, type TEXT NOT NULL,
    call_id TEXT, agent TEXT, subagent_id TEXT, parent_seq INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approvals (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, call_id TEXT NOT NULL, status TEXT NOT NULL,
    plan_hash TEXT NOT NULL, nonce TEXT NOT NULL, policy_version TEXT NOT NULL, expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, card TEXT NOT NULL,
    answer TEXT, answered_by TEXT, answered_at INTEGER, words TEXT
  ) STRICT;
  CREATE INDEX approvals_by_session ON approvals (session_id);
  CREATE INDEX approvals_by_call ON approvals (call_id);
  CREATE INDEX approvals_pending ON approvals (n) WHERE status = 'pending';

  CREATE TABLE locks (
    path TEXT PRIMARY KEY, call_id TEXT NOT NULL, owner_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE outputs (
    n INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, owner_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    total INTEGER NOT NULL, kept INTEGER NOT NULL, closed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outputs_by_session ON outputs (session_id);

  CREATE TABLE output_chunks (
    n INTEGER NOT NULL, start INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (n, start)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, session_id TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
  INSERT INTO audit_head VALUES (1, 0, '');
`;

const tasks = `
  CREATE TABLE tasks (
    n INTEGER PRIMARY KEY, session_id TEXT NOT NULL, id TEXT NOT NULL, owner_id TEXT NOT NULL, record TEXT NOT NULL,
    UNIQUE (session_id, id)
  ) STRICT;
`;

/** Long texts move out of the rows; outputs of before are not carried over, for they are kept for a while only. */
const textsInFiles = `
  DROP TABLE output_chunks;
  DELETE FROM outputs;
  ALTER TABLE outputs ADD COLUMN head INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outputs ADD COLUMN tail INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outputs ADD COLUMN base INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outputs ADD COLUMN ring INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE outcomes ADD COLUMN output_file TEXT;
  ALTER TABLE outcomes ADD COLUMN output_at INTEGER;
  ALTER TABLE outcomes ADD COLUMN output_bytes INTEGER;
`;

/** A version without content is one from which on the artifact is gone. */
const artifacts = `
  CREATE TABLE artifacts (
    session_id TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL, time INTEGER NOT NULL,
    call_id TEXT NOT NULL, agent TEXT, title TEXT NOT NULL, content_type TEXT NOT NULL, content TEXT,
    PRIMARY KEY (session_id, id, version)
  ) STRICT;
`;

/** Whoever waits for a lock is told since when it is held. */
const lockTimes = `
  ALTER TABLE locks ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
`;

/** Rows above a kilobyte took a page of their own each where the table was its own index. */
const looseEvents = `
  CREATE TABLE events_loose (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL, schema_version INTEGER NOT NULL, type TEXT NOT NULL,
    call_id TEXT, agent TEXT, subagent_id TEXT, parent_seq INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT;
  INSERT INTO events_loose SELECT * FROM events;
  DROP TABLE events;
  ALTER TABLE events_loose RENAME TO events;
`;

/** Until when an owner that nobody can look at holds what it has; absent for one that is known by its pid. */
const ownerLeases = "ALTER TABLE owners ADD COLUMN lease_until INTEGER;";

/** A person whose question became void is told what made it so. */
const voidCauses = "ALTER TABLE approvals ADD COLUMN void_cause TEXT;";

export const migrations: readonly Migration[] = [
  { version: 1, sql: first },
  { version: 2, sql: tasks },
  { version: 3, sql: textsInFiles },
  { version: 4, sql: artifacts },
  { version: 5, sql: runTables },
  { version: 6, sql: lockTimes },
  { version: 7, sql: looseEvents },
  { version: 8, sql: ownerLeases },
  { version: 9, sql: voidCauses },
];

/** Brings the schema up to date; safe when several processes do it at once. Answers the version reached. */
export function migrate(connection: DatabaseSyncInstance, steps: readonly Migration[] = migrations): number {
  const newest = steps.at(-1)?.version ?? 0;
  let version = userVersion(connection);
  refuseNewer(version, newest);
  for (const step of steps) {
    if (step.version <= version) continue;
    connection.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have done this step while we waited for the lock.
      version = userVersion(connection);
      refuseNewer(version, newest);
      if (step.version > version) {
        if (version === 0) refuseForeign(connection);
        connection.exec(step.sql);
        connection.exec(`PRAGMA user_version=${step.version}`);
        version = step.version;
      }
      connection.exec("COMMIT");
    } catch (error) {
      if (connection.isTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  }
  return version;
}

function userVersion(connection: DatabaseSyncInstance): number {
  return Number(ask(connection, "SELECT answer(user_version) FROM pragma_user_version"));
}

function refuseNewer(version: number, newest: number): void {
  if (version <= newest) return;
  throw storeFailure(
    "store_too_new",
    `This home was written by a newer Karyi (state version ${version}; this one knows ${newest}). Nothing was changed.`,
    "Update Karyi, or use another --home.",
  );
}

function refuseForeign(connection: DatabaseSyncInstance): void {
  if (ask(connection, "SELECT answer(count(*)) FROM sqlite_schema") === 0) return;
  throw storeFailure("store_foreign", "state.db in this home is somebody else's database. Nothing was changed.", "Use another --home.");
}
