/**
 * The least a safe write costs, by hand: two durable commits around a before-image and an atomic replacement.
 * Files go through `node:fs/promises`, for an engine must not stop the world while a disk syncs.
 */
import { createHash, randomUUID } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll } from "vitest";
import { temporaryDirectory } from "./place.ts";

export interface BareWrite {
  /** Intent row, before-image, new bytes, settlement row. */
  write(path: string, before: Uint8Array, after: Uint8Array): Promise<void>;
  /** The two commits alone, around some work. */
  around(record: string, work: () => Promise<void>): Promise<void>;
}

export function bareWrite(): BareWrite {
  const home = temporaryDirectory();
  const database = new DatabaseSync(join(home, "bare.db"));
  database.exec(`
    PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=4000;
    CREATE TABLE calls (n INTEGER PRIMARY KEY, id TEXT UNIQUE, tool TEXT, detail TEXT);
    CREATE TABLE outcomes (n INTEGER PRIMARY KEY, result TEXT);
    CREATE TABLE journal (n INTEGER, path TEXT, before TEXT, after TEXT, PRIMARY KEY (n, path)) WITHOUT ROWID;
    CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT);
    CREATE TABLE audit (seq INTEGER PRIMARY KEY, body TEXT, hash TEXT);
  `);
  const insertCall = database.prepare("INSERT INTO calls (id, tool, detail) VALUES (?, ?, ?)");
  const insertOutcome = database.prepare("INSERT INTO outcomes (result) VALUES (?)");
  const insertJournal = database.prepare("INSERT INTO journal VALUES (?, ?, ?, NULL)");
  const updateJournal = database.prepare("UPDATE journal SET after = ? WHERE n = ?");
  const insertEvent = database.prepare("INSERT INTO events (body) VALUES (?)");
  const insertAudit = database.prepare("INSERT INTO audit (body, hash) VALUES (?, ?)");
  // A statement does not keep its database alive, so something else has to.
  afterAll(() => database.close());
  let calls = 0;

  async function around(record: string, work: () => Promise<void>, path = ""): Promise<void> {
    calls += 1;
    database.exec("BEGIN IMMEDIATE");
    insertCall.run(randomUUID(), "Write", record);
    insertJournal.run(calls, path, record);
    insertEvent.run(record);
    insertAudit.run(record, createHash("sha256").update(record).digest("hex"));
    database.exec("COMMIT");
    await work();
    database.exec("BEGIN IMMEDIATE");
    insertOutcome.run(record);
    updateJournal.run(record, calls);
    insertEvent.run(record);
    insertAudit.run(record, createHash("sha256").update(record).digest("hex"));
    database.exec("COMMIT");
  }

  async function write(path: string, before: Uint8Array, after: Uint8Array): Promise<void> {
    const hash = createHash("sha256").update(before).digest("hex");
    await written(join(home, hash), before);
    await around(
      JSON.stringify({ path, hash, size: before.length }),
      async () => {
        const temporary = `${path}.bare`;
        await written(temporary, after);
        await rename(temporary, path);
        await synced(dirname(path));
      },
      path,
    );
  }

  return { write, around };
}

async function written(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function synced(directory: string): Promise<void> {
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
