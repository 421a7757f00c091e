/**
 * The audit chain: every row's hash covers the row and the hash before it, and a head row kept apart
 * says how many there are. Finds rows that were edited, removed, reordered or added. It is not keyed:
 * whoever can rewrite the whole database can also rewrite the whole chain.
 */
import type { AuditRow, Json } from "../contract/index.ts";
import type { Database } from "./database.ts";
import { canonical, sha256 } from "./json-text.ts";

const pageRows = 1000;

interface Head {
  readonly seq: number;
  readonly hash: string;
}

const start: Head = { seq: 0, hash: "" };
const headKey = "audit_head";

interface Row extends Head {
  readonly time: number;
  readonly session_id: string;
  readonly kind: string;
  readonly body: string;
}

/** Inside a write transaction. */
export function appendAudit(database: Database, time: number, sessionId: string, kind: string, body: Json): void {
  const { seq: last, hash: previous } = database.remembered(headKey, () => readHead(database) ?? lastRow(database) ?? start);
  const seq = last + 1;
  const text = canonical(body);
  const hash = hashOf(seq, time, sessionId, kind, text, previous);
  database.run(
    "INSERT INTO audit (seq, time, session_id, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?)",
    seq,
    time,
    sessionId,
    kind,
    text,
    hash,
  );
  database.remember(headKey, { seq, hash } satisfies Head);
  database.atEnd(headKey, () => database.run("UPDATE audit_head SET seq = ?, hash = ?", seq, hash));
}

export function readAudit(database: Database, after: number, limit: number): AuditRow[] {
  let previousHash = database.one<Head>("SELECT seq, hash FROM audit WHERE seq = ?", after)?.hash ?? "";
  return page(database, after, limit).map((row) => {
    const found: AuditRow = {
      seq: row.seq,
      time: row.time,
      sessionId: row.session_id,
      kind: row.kind,
      body: JSON.parse(row.body) as Json,
      previousHash,
      hash: row.hash,
    };
    previousHash = row.hash;
    return found;
  });
}

export function auditRows(database: Database): number {
  return lastRow(database)?.seq ?? 0;
}

/** Page by page, so that a long chain does not stop the process; others may append meanwhile. */
export async function verifyAudit(database: Database): Promise<{ readonly rows: number; readonly brokenAt?: number }> {
  let last: Head = { seq: 0, hash: "" };
  for (;;) {
    const { rows, head } = await database.read(() => ({ rows: page(database, last.seq, pageRows), head: readHead(database) }));
    for (const row of rows) {
      const expected = last.seq + 1;
      if (row.seq !== expected) return { rows: last.seq, brokenAt: expected };
      if (row.hash !== hashOf(row.seq, row.time, row.session_id, row.kind, row.body, last.hash))
        return { rows: last.seq, brokenAt: row.seq };
      if (row.seq === head?.seq && row.hash !== head.hash) return { rows: last.seq, brokenAt: row.seq };
      last = row;
    }
    if (rows.length === pageRows) continue;
    // The last page and the head come from one snapshot.
    if (head?.seq === last.seq && head.hash === last.hash) return { rows: last.seq };
    return { rows: last.seq, brokenAt: Math.min(last.seq, head?.seq ?? 0) + 1 };
  }
}

function page(database: Database, after: number, limit: number): Row[] {
  return database.all<Row>("SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?", after, limit);
}

function readHead(database: Database): Head | undefined {
  const row = database.columns<[number, string]>("SELECT seq, hash FROM audit_head");
  return row === undefined ? undefined : { seq: row[0], hash: row[1] };
}

/** Somebody removed the head row: the chain goes on, and `verifyAudit` says that it is broken. */
function lastRow(database: Database): Head | undefined {
  return database.one<Head>("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1");
}

function hashOf(seq: number, time: number, sessionId: string, kind: string, body: string, previous: string): string {
  // A JSON array has no line break of its own, so no two rows give the same text.
  const head = JSON.stringify([seq, time, sessionId, kind, previous]);
  return sha256(`${head}\n${body}`);
}
