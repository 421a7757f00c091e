/**
 * Remembers what was made of a directory's entries, as long as the directory did not change. Looking at its times costs a hundredth
 * of listing it. Refuses to remember one that changed just before it was listed: a change right after would have the same time.
 */
import { type Dirent, lstatSync, readdirSync } from "node:fs";

/** Longer than the clock of any file system takes from one time to the next. */
const settledMs = 20;

interface Remembered<T> {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly made: T;
}

export class DirectoryMemory<T> {
  readonly #known = new Map<string, Remembered<T>>();
  readonly #make: (directory: string, entries: readonly Dirent[]) => T;

  constructor(make: (directory: string, entries: readonly Dirent[]) => T) {
    this.#make = make;
  }

  /** `undefined` where it is no directory that can be listed. */
  look(directory: string): T | undefined {
    try {
      const { mtimeMs, ctimeMs, ino } = lstatSync(directory);
      const known = this.#known.get(directory);
      if (known !== undefined && known.mtimeMs === mtimeMs && known.ctimeMs === ctimeMs && known.ino === ino) return known.made;
      const made = this.#make(directory, readdirSync(directory, { withFileTypes: true }));
      if (Date.now() - Math.max(mtimeMs, ctimeMs) > settledMs) this.#known.set(directory, { mtimeMs, ctimeMs, ino, made });
      else this.#known.delete(directory);
      return made;
    } catch {
      this.#known.delete(directory);
      return undefined;
    }
  }
}
