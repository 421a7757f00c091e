/**
 * Opens the database of a home that may not be written: whoever made it read-only finds it as it was, and can still read what is
 * in it. SQLite needs a file beside a database with a log; where that cannot be made, a private copy is read instead.
 */
import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { ask } from "./asking.ts";
import { migrate, migrations } from "./migrations.ts";

const ownerWrites = 0o200;

/** Also for a user whom no mode stops: a directory that was closed to writing stays closed. */
export function isReadOnly(directory: string, file: string): boolean {
  return [directory, join(directory, file)].some((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if ((stats.mode & ownerWrites) === 0) return true;
    try {
      accessSync(path, constants.W_OK);
      return false;
    } catch {
      return true;
    }
  });
}

export interface ReadOnlyConnection {
  readonly connection: DatabaseSyncInstance;
  onClose(): void;
}

/** Every write fails as read-only. `undefined` where there is nothing to read. */
export function connectReadOnly(directory: string, file: string): ReadOnlyConnection | undefined {
  if (!existsSync(join(directory, file))) return undefined;
  const inPlace = connectInPlace(join(directory, file));
  if (inPlace !== undefined) return { connection: inPlace, onClose: () => {} };
  const copy = mkdtempSync(join(tmpdir(), "karyi-read-"));
  const remove = (): void => rmSync(copy, { recursive: true, force: true });
  try {
    for (const suffix of ["", "-wal"])
      if (existsSync(join(directory, file + suffix))) copyFileSync(join(directory, file + suffix), join(copy, file + suffix));
    const connection = new DatabaseSync(join(copy, file), { enableForeignKeyConstraints: false, defensive: true });
    migrate(connection);
    connection.exec("PRAGMA journal_mode=DELETE; PRAGMA query_only=ON");
    removeOpened(remove);
    return { connection, onClose: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What is open is still read; a process that ends before it closes its store leaves nothing of it behind. */
function removeOpened(remove: () => void): void {
  try {
    remove();
  } catch {
    // Windows keeps what is open.
    process.once("exit", remove);
  }
}

/** With somebody else at work there, this is the only way that sees a consistent state. */
function connectInPlace(path: string): DatabaseSyncInstance | undefined {
  if (!existsSync(`${path}-shm`)) return undefined;
  let connection: DatabaseSyncInstance | undefined;
  try {
    connection = new DatabaseSync(path, { readOnly: true, enableForeignKeyConstraints: false, defensive: true });
    if (ask(connection, "SELECT answer(user_version) FROM pragma_user_version") === migrations.length) return connection;
  } catch {
    // The copy will do.
  }
  connection?.close();
  return undefined;
}
