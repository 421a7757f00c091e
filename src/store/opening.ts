/**
 * Opens the database file of a home: creates it privately, brings its schema up to date, and sets a
 * damaged one aside instead of writing over it.
 *
 * Every process that has the database open holds a shared lock on `state.lock`; setting aside needs
 * it exclusively and looks again under it. So a file that anybody works with is never moved, and two
 * processes that meet the same damage move it once. The locks are the system's own and end with the process.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { ask } from "./asking.ts";
import { Database } from "./database.ts";
import { failureOf, isBusy, isDamage, storeFailure } from "./failures.ts";
import { endLingering } from "./lingering.ts";
import { migrate } from "./migrations.ts";
import { connectReadOnly, isReadOnly } from "./read-only.ts";

export const fileName = "state.db";
const lockName = "state.lock";
const suspectName = "state.db.suspect";
/** Where the host keeps before-images: by their hash, or many short ones in a pack. */
const imagesName = "blobs";
const imageName = /^([0-9a-f]{64}|pack-[0-9a-f]{32})$/;

/** Blocks this process, so it is short; longer waits are asynchronous. */
const busyTimeoutMs = 20;
const patienceMs = 10_000;
const damagedPatienceMs = 1_500;

export interface Opening {
  readonly directory: string;
  now(): number;
  onDamage(message: string): void;
}

class Damage extends Error {}

export async function openDatabase(opening: Opening): Promise<Database> {
  const started = Date.now();
  let lock: DatabaseSyncInstance | undefined;
  try {
    if (isReadOnly(opening.directory, fileName)) return openReadOnly(opening);
    prepareDirectory(opening);
    lock = new DatabaseSync(join(opening.directory, lockName), { timeout: 0 });
    for (;;) {
      const elapsedMs = Date.now() - started;
      try {
        if (isLost(opening.directory)) setImagesAside(opening, lock);
        // Reading anything takes the shared lock and keeps it until the connection ends.
        lock.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
        return adopt(opening, lock, connect(opening.directory, false));
      } catch (error) {
        if (lock.isTransaction) lock.exec("ROLLBACK");
        if (isBusy(error)) {
          if (elapsedMs > patienceMs) throw error;
        } else if (error instanceof Damage || isDamage(error)) {
          if (setAside(opening, lock)) continue;
          // It may be this process itself that had it open before.
          await endLingering();
          if (elapsedMs > damagedPatienceMs) throw inUse(opening.directory);
        } else throw error;
      }
      await delay(2 + Math.random() * 20);
    }
  } catch (error) {
    lock?.close();
    throw failureOf(error, opening.directory);
  }
}

function openReadOnly({ directory }: Opening): Database {
  const { connection, onClose } = connectReadOnly(directory, fileName) ?? {};
  if (connection === undefined || onClose === undefined) {
    throw storeFailure(
      "store_readonly",
      `Karyi's home ${directory} is read-only, and there is nothing in it yet.`,
      "Give this user write permission on the directory, or use another --home.",
    );
  }
  return new Database({ connection, directory, readOnly: true, onDamage: () => {}, onClose });
}

function adopt(opening: Opening, lock: DatabaseSyncInstance, connection: DatabaseSyncInstance): Database {
  return new Database({
    connection,
    directory: opening.directory,
    onDamage(reason) {
      // The next start checks the whole file before it trusts it.
      writeFileSync(join(opening.directory, suspectName), `${reason}\n`, { mode: 0o600 });
      opening.onDamage(`The state database in ${opening.directory} is damaged (${reason}). It is checked and set aside at the next start.`);
    },
    onClose: () => lock.close(),
  });
}

function prepareDirectory({ directory, onDamage }: Opening): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  tighten(directory, 0o700);
  const lock = join(directory, lockName);
  createPrivately(lock);
  if (statSync(lock).size > 0) {
    // It is only ever locked, never written; truncating keeps the file that others hold their locks on.
    truncateSync(lock, 0);
    onDamage(`${lock} had content that does not belong there; it was emptied.`);
  }
}

function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    tighten(file, 0o600);
  }
}

/** Takes rights away, and gives none. */
function tighten(path: string, mode: number): void {
  const now = statSync(path).mode & 0o777;
  if ((now & ~mode) !== 0) chmodSync(path, now & mode);
}

/** Opens, checks what is cheap to check, and migrates. The journal files take the mode of the database file. */
function connect(directory: string, thorough: boolean): DatabaseSyncInstance {
  const file = join(directory, fileName);
  createPrivately(file);
  const size = sizeOf(file);
  // SQLite takes a file of one byte for an empty one and writes over it; no database is this small.
  if (size > 0 && size < 512) throw new Damage("the file is too short to be a database");
  // SQLite would delete the log beside an empty database, and with it what was committed.
  if (size === 0 && sizeOf(`${file}-wal`) > 0) throw new Damage("the database is empty but its log is not");
  if (!thorough && existsSync(join(directory, suspectName))) throw new Damage("an earlier process met damaged pages");
  const connection = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false, defensive: true });
  try {
    connection.exec(`
      PRAGMA auto_vacuum=INCREMENTAL;
      PRAGMA journal_mode=WAL;
      PRAGMA synchronous=NORMAL;
      PRAGMA wal_autocheckpoint=4000;
      PRAGMA journal_size_limit=33554432;
      PRAGMA cache_size=-16000;
      PRAGMA trusted_schema=OFF;
      PRAGMA temp_store=MEMORY;
    `);
    migrate(connection);
    if (thorough) {
      const found = ask(connection, "SELECT answer(quick_check) FROM pragma_quick_check");
      if (found !== "ok") throw new Damage(String(found));
    }
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** True when the caller should try again: it was moved, or is good after all. False while others have it open. */
function setAside(opening: Opening, lock: DatabaseSyncInstance): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
  try {
    const reason = damageOf(opening.directory);
    if (reason !== undefined) {
      const file = join(opening.directory, fileName);
      const aside = freeName(`${file}.damaged-${opening.now()}`);
      // The log first: beside a fresh, empty database SQLite would delete it.
      for (const suffix of ["-wal", "-shm", ""]) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
      opening.onDamage(`The state database ${file} is damaged (${reason}). It was set aside as ${aside} and a new one was begun.`);
    }
    rmSync(join(opening.directory, suspectName), { force: true });
    return true;
  } finally {
    lock.exec("ROLLBACK");
  }
}

/** Images without a database that knows what they are of. */
function isLost(directory: string): boolean {
  const file = join(directory, fileName);
  return sizeOf(file) === 0 && sizeOf(`${file}-wal`) === 0 && holdsImages(directory);
}

/** Beside a new database nothing would refer to the images, and the next `gc` would remove what is left of somebody's files. */
function setImagesAside({ directory, now, onDamage }: Opening, lock: DatabaseSyncInstance): void {
  lock.exec("BEGIN EXCLUSIVE");
  try {
    // Another process may have been here.
    if (!isLost(directory)) return;
    const [file, images] = [join(directory, fileName), join(directory, imagesName)];
    const aside = freeName(`${images}.lost-${now()}`);
    const what = existsSync(file) ? "empty" : "gone";
    renameSync(images, aside);
    onDamage(
      `${file} is ${what}, though ${images} holds images of files: what was done is not known any more, and cannot be undone. ` +
        `The images were set aside as ${aside}, and a new database is begun.`,
    );
  } finally {
    lock.exec("ROLLBACK");
  }
}

function damageOf(directory: string): string | undefined {
  const suspect = existsSync(join(directory, suspectName));
  try {
    connect(directory, suspect).close();
    return undefined;
  } catch (error) {
    if (error instanceof Damage || isDamage(error)) return (error as Error).message;
    throw error;
  }
}

function inUse(directory: string): Error {
  return storeFailure(
    "store_damaged",
    `The state database in ${directory} is damaged, and another process still has it open; nothing was changed.`,
    "End every Karyi process that uses this home and start again: the damaged file is set aside and a new one begun.",
  );
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n += 1) name = `${wanted}-${n}`;
  return name;
}

function holdsImages(directory: string): boolean {
  try {
    return readdirSync(join(directory, imagesName)).some((name) => imageName.test(name));
  } catch {
    return false;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
