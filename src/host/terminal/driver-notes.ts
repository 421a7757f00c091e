/**
 * Who drives the terminals of a home, as small files that every process of the home can look at. A note ends with the
 * process that wrote it. Written and removed at once: whoever is told that a person drives finds the note there.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Owner } from "../../contract/index.ts";
import { isAlive, thisOwner } from "../process-identity.ts";

interface Note {
  readonly person: string;
  readonly owner: Owner;
}

export class DriverNotes {
  readonly #directory: string;
  readonly #owner = thisOwner();

  constructor(home: string) {
    this.#directory = join(home, "run", "drivers");
  }

  write(sessionId: string, person: string): void {
    const note: Note = { person, owner: this.#owner };
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const draft = `${this.#path(sessionId)}.${this.#owner.id}`;
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    renameSync(draft, this.#path(sessionId));
  }

  /** Only its own: another process may have written the next one already. */
  remove(sessionId: string): void {
    if (this.#read(sessionId)?.owner.id === this.#owner.id) rmSync(this.#path(sessionId), { force: true });
  }

  /** The person who drives through a process that lives. */
  driverOf(sessionId: string): string | undefined {
    const note = this.#read(sessionId);
    return note !== undefined && isAlive(note.owner) ? note.person : undefined;
  }

  #read(sessionId: string): Note | undefined {
    try {
      return JSON.parse(readFileSync(this.#path(sessionId), "utf8")) as Note;
    } catch (error) {
      // Not ours, or gone: either way nobody drives.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  #path(sessionId: string): string {
    return join(this.#directory, `${encodeURIComponent(sessionId)}.json`);
  }
}
