/**
 * A private folder of small JSON files, one an entry (tokens). Adding and removing are single file operations, so that
 * several processes never lose each other's; whoever reads looks at the folder's time first.
 */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { chmod, link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Longer than any tick of a file system that keeps more than whole seconds. */
const settledMs = 100;

export class PrivateEntries<T> {
  readonly #directory: string;
  #known: { readonly stamp: string; readonly entries: readonly T[] } | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** In the order of their names. */
  async list(): Promise<readonly T[]> {
    const changed = this.#lastChange();
    if (changed === undefined) return [];
    const { stamp, isSettled } = changed;
    if (this.#known?.stamp === stamp) return this.#known.entries;
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(".json")).sort();
    const entries = (await Promise.all(names.map((name) => this.#read(name)))).filter((entry) => entry !== undefined);
    this.#known = isSettled ? { stamp, entries } : undefined;
    return entries;
  }

  /** False if the name is taken. */
  async add(name: string, entry: T): Promise<boolean> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await chmod(this.#directory, 0o700);
    const draft = join(this.#directory, `.${randomBytes(8).toString("hex")}`);
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(JSON.stringify(entry));
      await file.sync();
    } finally {
      await file.close();
    }
    try {
      await link(draft, this.#path(name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** False if there was none. */
  async remove(name: string): Promise<boolean> {
    try {
      await rm(this.#path(name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#directory, `${encodeURIComponent(name)}.json`);
  }

  /** Not settled: the clock of files may tick so slowly that a further change would have the same time. */
  #lastChange(): { readonly stamp: string; readonly isSettled: boolean } | undefined {
    // Every request asks, so it must cost a system call and no more.
    const found = statSync(this.#directory, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const { mtimeNs, mtimeMs, ino } = found;
    return { stamp: `${ino} ${mtimeNs}`, isSettled: Date.now() - Number(mtimeMs) > settledMs };
  }

  async #read(name: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(join(this.#directory, name), "utf8")) as T;
    } catch (error) {
      // Removed meanwhile, or not ours: either way it opens nothing.
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}
