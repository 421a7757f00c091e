import { execFileSync } from "node:child_process";
import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { Database } from "./database.ts";
import { migrate } from "./migrations.ts";
import { aCall, anEvent, aSession, aSettlement, aStart, aStore, temporaryHome } from "./store.fixture.ts";

async function bareDatabase(prepare: (connection: InstanceType<typeof DatabaseSync>) => void): Promise<Database> {
  const directory = await temporaryHome();
  const connection = new DatabaseSync(join(directory, "state.db"));
  connection.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
  prepare(connection);
  const database = new Database({ connection, directory, onDamage: () => {}, onClose: () => {} });
  onTestFinished(() => database.close());
  return database;
}

test("a durable transaction syncs and a relaxed one does not", async () => {
  const database = await bareDatabase((connection) => connection.exec("CREATE TABLE t (a INTEGER)"));
  // Not by the cached statement: each look compiles anew.
  const mode = (): unknown => database.one(`PRAGMA synchronous -- ${Math.random()}`);
  const seen = [];
  for (const durable of [true, false, false, true]) seen.push(await database.write(durable, mode));
  expect(seen.map((row) => ({ ...(row as object) }))).toEqual([2, 1, 1, 2].map((synchronous) => ({ synchronous })));
});

test("a failing step is rolled back whole, and the next one works", async () => {
  const database = await bareDatabase((connection) => connection.exec("CREATE TABLE t (a INTEGER UNIQUE)"));
  const failing = database.write(false, () => {
    database.run("INSERT INTO t VALUES (1)");
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await database.write(true, () => database.run("INSERT INTO t VALUES (1)"));
  await expect(database.write(false, () => database.run("INSERT INTO t VALUES (1)"))).rejects.toThrow("UNIQUE");
  expect(await database.query(() => database.all("SELECT * FROM t"))).toHaveLength(1);
});

test("work that may wait is committed in the order it came, before whatever is asked later", async () => {
  const database = await bareDatabase((connection) => connection.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, what TEXT)"));
  const insert = (what: string) => () => database.run("INSERT INTO t (what) VALUES (?)", what);
  const all = () => database.all<{ what: string }>("SELECT what FROM t ORDER BY a").map(({ what }) => what);
  const order: string[] = [];
  void database.writeSoon(insert("first"), 0).then(() => order.push("first"));
  void database.writeSoon(insert("second"), 0).then(() => order.push("second"));
  expect(await database.query(all)).toEqual(["first", "second"]);
  void database.writeSoon(insert("third"), 0).then(() => order.push("third"));
  await database.write(true, insert("fourth")).then(() => order.push("fourth"));
  expect(await database.read(all)).toEqual(["first", "second", "third", "fourth"]);
  expect(order).toEqual(["first", "second", "third", "fourth"]);
  await database.writeSoon(insert("by itself"), 0);
  expect(await database.query(all)).toHaveLength(5);
});

test("work that waited and fails takes no other down", async () => {
  const database = await bareDatabase((connection) => connection.exec("CREATE TABLE t (a INTEGER UNIQUE)"));
  const insert = (a: number) => () => database.run("INSERT INTO t VALUES (?)", a);
  const waiting = [1, 1, 2].map((a) => database.writeSoon(insert(a), 0));
  const written = database.write(false, insert(3));
  const outcomes = await Promise.allSettled([...waiting, written]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
  const late = database.writeSoon(insert(4), 0);
  database.close();
  await expect(late).rejects.toMatchObject({ details: { reason: "store_closed" } });
});

test("a database that may not grow any more is a full disk: said clearly, nothing lost", async () => {
  const database = await bareDatabase((connection) => {
    migrate(connection);
    connection.exec("PRAGMA max_page_count=80");
  });
  let kept = 0;
  const fill = async (): Promise<void> => {
    for (;;) {
      await database.write(true, () => database.run("INSERT INTO audit VALUES (?, 0, '', '', ?, '')", kept + 1, "x".repeat(3000)));
      kept += 1;
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: "tool_error", details: { reason: "disk_full" } });
  expect(kept).toBeGreaterThan(5);
  const [row] = await database.query(() => database.all<{ rows: number }>("SELECT count(*) AS rows FROM audit"));
  expect(row?.rows).toBe(kept);
});

/** A real small disk, where this machine lets us have one. */
function smallDisk(directory: string, bytes: number): boolean {
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", directory], { stdio: "ignore" });
    onTestFinished(() => void execFileSync("/bin/umount", ["-l", directory]));
    return true;
  } catch {
    return false;
  }
}

test("on a disk that is really full every step is a clear failure or whole, and work goes on when there is room (needs the right to mount)", async (context) => {
  const directory = join(await temporaryHome(), "disk");
  mkdirSync(directory);
  if (!smallDisk(directory, 2 * 1024 * 1024)) return context.skip();
  const store = await aStore(join(directory, "home"));
  const { id: sessionId } = await aSession(store);
  const ballast = join(directory, "ballast");
  const { bavail, bsize } = statfsSync(directory);
  writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 300_000)));
  const done: string[] = [];
  const work = async (): Promise<void> => {
    for (let n = 0; ; n += 1) {
      await store.startCall(aStart(aCall(sessionId, `c${n}`), { durable: true }));
      await store.settleCall(aSettlement(sessionId, `c${n}`, { durable: n % 2 === 0 }));
      done.push(`c${n}`);
    }
  };
  await expect(work()).rejects.toMatchObject({ code: "tool_error", details: { reason: "disk_full" } });
  expect(done.length).toBeGreaterThan(3);
  for (const id of done) expect(await store.call(id)).toMatchObject({ phase: "settled" });
  expect(await store.verifyAudit()).toMatchObject({ rows: expect.any(Number) });
  expect(await store.verifyAudit()).not.toHaveProperty("brokenAt");

  writeFileSync(ballast, "");
  await store.startCall(aStart(aCall(sessionId, "later"), { durable: true }));
  await store.settleCall(aSettlement(sessionId, "later", { durable: true }));
  const events = await store.readEvents(sessionId, 0, 100_000);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  await store.close();
});

test("a change by this process wakes every waiter at once", async () => {
  const store = await aStore(await temporaryHome());
  const { id } = await aSession(store);
  const woken = [store.changed(new AbortController().signal), store.changed(new AbortController().signal)];
  await store.appendEvents(id, [anEvent(1)]);
  await Promise.all(woken);
});

test("waiting ends with its signal and with the store", async () => {
  const store = await aStore(await temporaryHome());
  const stop = new AbortController();
  const stopped = store.changed(stop.signal);
  stop.abort();
  await stopped;
  await store.changed(stop.signal);
  const left = store.changed(new AbortController().signal);
  await store.close();
  await left;
  await store.close();
});
