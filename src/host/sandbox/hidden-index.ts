/**
 * Files and directories of the roots that a command must not read, by what is said of their paths, however large the tree is. What
 * was found is kept by directory, so that a command waits only for what changed since. What others put there (installed
 * packages, git's own objects) is not looked through.
 */
import { type Dirent, realpathSync } from "node:fs";
import { join } from "node:path";
import { DirectoryMemory } from "./directory-memory.ts";

/** Whether nothing of this path may be read. Two with the same `key` answer alike. */
export interface Hides {
  (path: string, isDirectory: boolean): boolean;
  readonly key?: string;
}

const passedOver = new Set(["node_modules", ".git"]);
/** Of different rules only so many are remembered at once. */
const maxMemories = 4;

interface Found {
  readonly hidden: readonly string[];
  readonly sockets: readonly string[];
  readonly directories: readonly string[];
}

/** Real paths. */
export interface Hidden {
  readonly hidden: readonly string[];
  /** Of programs outside: a world without their network must not reach them by these. */
  readonly sockets: readonly string[];
}

export class HiddenIndex {
  readonly #memories = new Map<string, DirectoryMemory<Found>>();

  within(roots: readonly string[], hides: Hides): Hidden {
    const memory = this.#memory(hides);
    const hidden = new Set<string>();
    const sockets: string[] = [];
    const directories = [...roots];
    for (const directory of directories) {
      const found = memory.look(directory);
      if (found === undefined) continue;
      for (const path of found.hidden) addReal(path, hidden);
      sockets.push(...found.sockets);
      directories.push(...found.directories);
    }
    return { hidden: [...hidden], sockets };
  }

  #memory(hides: Hides): DirectoryMemory<Found> {
    const { key } = hides;
    const known = key === undefined ? undefined : this.#memories.get(key);
    if (known !== undefined) return known;
    const memory = new DirectoryMemory((directory, entries) => find(directory, entries, hides));
    if (key === undefined) return memory;
    const [oldest] = this.#memories.keys();
    if (this.#memories.size >= maxMemories && oldest !== undefined) this.#memories.delete(oldest);
    this.#memories.set(key, memory);
    return memory;
  }
}

function find(directory: string, entries: readonly Dirent[], hides: Hides): Found {
  const hidden: string[] = [];
  const sockets: string[] = [];
  const directories: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const isDirectory = entry.isDirectory();
    if (hides(path, isDirectory)) hidden.push(path);
    else if (entry.isSocket()) sockets.push(path);
    else if (isDirectory && !passedOver.has(entry.name)) directories.push(path);
  }
  return { hidden, sockets, directories };
}

/** A link is hidden where it leads. */
function addReal(path: string, hidden: Set<string>): void {
  try {
    hidden.add(realpathSync.native(path));
  } catch {
    // It leads nowhere.
  }
}
