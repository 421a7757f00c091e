import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { endLingering } from "./lingering.ts";
import { type Migration, migrate, migrations } from "./migrations.ts";
import { openDatabase } from "./opening.ts";
import { anEvent, aSession, aStore, temporaryHome, usedHome } from "./store.fixture.ts";

const mode = (path: string): number => statSync(path).mode & 0o777;

test("the state is private to its user, also where it was not before", async () => {
  const directory = join(await temporaryHome(), "deep", "home");
  const store = await aStore(directory);
  await aSession(store);
  expect(mode(directory)).toBe(0o700);
  for (const name of readdirSync(directory)) expect([name, mode(join(directory, name))]).toEqual([name, 0o600]);
  expect(readdirSync(directory).sort()).toEqual(["state.db", "state.db-shm", "state.db-wal", "state.lock"]);
  await store.close();
  chmodSync(directory, 0o755);
  chmodSync(join(directory, "state.db"), 0o644);
  await aStore(directory);
  expect([mode(directory), mode(join(directory, "state.db"))]).toEqual([0o700, 0o600]);
});

test("an older database is brought up to date step by step; a failing step leaves the version before it", async () => {
  const file = join(await temporaryHome(), "state.db");
  const database = new DatabaseSync(file);
  const steps: readonly Migration[] = [
    { version: 1, sql: "CREATE TABLE one (a TEXT) STRICT" },
    { version: 2, sql: "ALTER TABLE one ADD COLUMN b INTEGER; UPDATE one SET b = length(a)" },
    { version: 3, sql: "CREATE TABLE three (a TEXT) STRICT; INSERT INTO nowhere VALUES (1)" },
  ];
  expect(migrate(database, steps.slice(0, 1))).toBe(1);
  database.exec("INSERT INTO one VALUES ('text')");
  expect(() => migrate(database, steps)).toThrow("nowhere");
  expect(database.prepare("SELECT * FROM one").all()).toEqual([expect.objectContaining({ a: "text", b: 4 })]);
  expect({ ...database.prepare("PRAGMA user_version").get() }).toEqual({ user_version: 2 });
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'three'").all()).toEqual([]);
  expect(migrate(database, steps.slice(0, 2))).toBe(2);
  database.close();
});

test("migrations are numbered from 1 without a gap", () => {
  expect(migrations.map((step) => step.version)).toEqual(migrations.map((_, index) => index + 1));
});

test.each([
  ["a database of a newer Karyi", "PRAGMA user_version=99", "store_too_new"],
  ["somebody else's database", "CREATE TABLE other (a TEXT)", "store_foreign"],
])("%s is refused and left as it is", async (_what, sql, reason) => {
  const directory = await temporaryHome();
  const file = join(directory, "state.db");
  const other = new DatabaseSync(file);
  other.exec(sql);
  other.close();
  await expect(aStore(directory)).rejects.toMatchObject({ code: "tool_error", details: { reason } });
  expect(readdirSync(directory).filter((name) => name.includes("damaged"))).toEqual([]);
});

const damages: readonly (readonly [what: string, (file: string) => void])[] = [
  ["garbage", (file) => writeFileSync(file, "this is no database ".repeat(500))],
  ["a few bytes of garbage", (file) => writeFileSync(file, "x")],
  ["a truncated file", (file) => truncateSync(file, 3 * 4096)],
  ["a file cut inside its header", (file) => truncateSync(file, 50)],
  [
    "an overwritten first page",
    (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0xa5, 100, 4096);
      writeFileSync(file, bytes);
    },
  ],
  [
    "an empty file beside a full log",
    (file) => {
      truncateSync(file, 0);
      writeFileSync(`${file}-wal`, "something");
    },
  ],
];

test.each(damages)("%s is set aside with its bytes, said, and a new one begun", async (_what, damage) => {
  const { directory, file } = await usedHome();
  damage(file);
  const bytes = readFileSync(file);
  const said: string[] = [];
  const store = await aStore(directory, { onDamage: (message) => said.push(message), now: () => 1234 });
  const aside = `${file}.damaged-1234`;
  expect(said).toEqual([expect.stringContaining(`set aside as ${aside}`)]);
  expect(readFileSync(aside).equals(bytes)).toBe(true);
  await store.appendEvents((await aSession(store)).id, [anEvent(1)]);
  await store.close();
  // Said once: the new one is good.
  await aStore(directory, { onDamage: (message) => said.push(message) });
  expect(said).toHaveLength(1);
});

test("an earlier file that was set aside is never overwritten", async () => {
  const { directory, file } = await usedHome();
  for (const content of ["first", "second"]) {
    writeFileSync(file, content);
    await (await aStore(directory, { now: () => 1 })).close();
    await endLingering();
  }
  expect(readFileSync(`${file}.damaged-1`, "utf8")).toBe("first");
  expect(readFileSync(`${file}.damaged-1-2`, "utf8")).toBe("second");
});

test("damage met by an operation stops all writing, and the next start sets the file aside", async () => {
  const { directory, file, sessionId } = await usedHome();
  const bytes = readFileSync(file);
  // Pages behind the schema: opening does not read them.
  for (let at = bytes.length - 20 * 4096; at < bytes.length; at += 4096) bytes.fill(0xee, at, at + 4096);
  writeFileSync(file, bytes);
  const said: string[] = [];
  const store = await aStore(directory, { onDamage: (message) => said.push(message), now: () => 1 });
  const damaged = { code: "tool_error", details: { reason: "store_damaged" } };
  await expect(store.readEvents(sessionId, 0, 1000)).rejects.toMatchObject(damaged);
  await expect(store.listSessions()).rejects.toMatchObject(damaged);
  await expect(store.audit([{ sessionId, kind: "k", body: 1 }])).rejects.toMatchObject(damaged);
  expect(said).toEqual([expect.stringContaining("set aside at the next start")]);
  await store.close();

  // In one process too, though it had the file open itself.
  const next = await aStore(directory, { onDamage: (message) => said.push(message), now: () => 2 });
  expect(said[1]).toContain("damaged-2");
  expect(existsSync(`${file}.damaged-2`)).toBe(true);
  expect(existsSync(`${file}.suspect`)).toBe(false);
  expect(await next.listSessions()).toEqual([]);
  // What remained of the old connection did not take the new one's log with it.
  const { id } = await aSession(next);
  await endLingering();
  expect(existsSync(`${file}-wal`)).toBe(true);
  const beside = await aStore(directory);
  expect((await beside.session(id))?.id).toBe(id);
});

test("a suspicion that turns out wrong moves nothing", async () => {
  const { directory, file, sessionId } = await usedHome();
  writeFileSync(`${file}.suspect`, "");
  const said: string[] = [];
  const store = await aStore(directory, { onDamage: (message) => said.push(message) });
  expect((await store.session(sessionId))?.id).toBe(sessionId);
  expect([said, existsSync(`${file}.suspect`)]).toEqual([[], false]);
});

test("content in the lock file is no obstacle", async () => {
  const { directory, sessionId } = await usedHome();
  writeFileSync(join(directory, "state.lock"), "garbage".repeat(100));
  const said: string[] = [];
  const store = await aStore(directory, { onDamage: (message) => said.push(message) });
  expect((await store.session(sessionId))?.id).toBe(sessionId);
  expect(said).toHaveLength(1);
});

test.each([
  ["emptied", "a".repeat(64)],
  ["missing", "a".repeat(64)],
  ["missing", `pack-${"a".repeat(32)}`],
])("a database that is %s beside kept images is said, once (%s)", async (how, image) => {
  const directory = await temporaryHome();
  mkdirSync(join(directory, "blobs"));
  writeFileSync(join(directory, "blobs", image), "kept");
  if (how === "emptied") writeFileSync(join(directory, "state.db"), "");
  const said: string[] = [];
  const options = { directory, now: Date.now, onDamage: (message: string) => void said.push(message) };
  (await openDatabase(options)).close();
  (await openDatabase(options)).close();
  expect(said).toEqual([
    expect.stringContaining(`state.db is ${how === "emptied" ? "empty" : "gone"}, though ${join(directory, "blobs")}`),
  ]);
});
