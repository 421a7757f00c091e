/**
 * Files and directories of the roots that a command must not read, by what is said of their paths. Looked for from the top down
 * and within bounds, so that starting a command does not take longer the larger its workspace is: what lies deeper in a very
 * large one is not found. What others put there (installed packages, git's own objects) is not looked through.
 */
import { type Dirent, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Whether nothing of this path may be read. */
export type Hides = (path: string, isDirectory: boolean) => boolean;

const maxEntries = 20_000;
const passedOver = new Set(["node_modules", ".git"]);

export function hiddenWithin(roots: readonly string[], hides: Hides): readonly string[] {
  const hidden = new Set<string>();
  const directories = [...roots];
  let left = maxEntries;
  for (const directory of directories) {
    const entries = entriesOf(directory);
    left -= entries.length;
    if (left < 0) break;
    for (const entry of entries) {
      const path = join(directory, entry.name);
      const isDirectory = entry.isDirectory();
      if (hides(path, isDirectory)) addReal(path, hidden);
      else if (isDirectory && !passedOver.has(entry.name)) directories.push(path);
    }
  }
  return [...hidden];
}

/** A link is hidden where it leads. */
function addReal(path: string, hidden: Set<string>): void {
  try {
    hidden.add(realpathSync.native(path));
  } catch {
    // It leads nowhere.
  }
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
