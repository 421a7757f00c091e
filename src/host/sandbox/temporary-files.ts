/**
 * The temporary directories of a rehearsal: its own, empty at first, gone with it. What a command leaves there is not shown as a
 * change, for a real run leaves it among the machine's temporary files; but it is counted.
 */
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ChangeSet } from "../../contract/index.ts";
import type { Emptied } from "./confinement.ts";
import { look, namesIn } from "./exact-names.ts";
import { removeRun } from "./state-directory.ts";

export type OwnTemporary = Required<Omit<Emptied, "closed">>;

/** Of many files only the first few are named. */
const maxNamed = 5;

/** One for each directory of the machine. */
export function newTemporaries(run: string, directories: readonly string[]): readonly OwnTemporary[] {
  return directories.map((path, index) => {
    const at = join(run, `temporary${index}`);
    mkdirSync(at);
    chmodSync(at, 0o1777);
    return { path, at };
  });
}

/** What is left in them, by the names the command knew; they are removed. Nothing where there is nothing to say. */
export function endTemporaries(temporaries: readonly OwnTemporary[]): Pick<ChangeSet, "temporary"> {
  const files = temporaries.flatMap(({ path, at }) => filesBelow(at, path));
  for (const { at } of temporaries) removeRun(at);
  return files.length === 0 ? {} : { temporary: { count: files.length, first: files.slice(0, maxNamed) } };
}

/** Everything that is no directory: those that lie there empty may be places where the workspace was shown. */
function filesBelow(directory: string, shown: string): readonly string[] {
  const isOpen = ((look(directory)?.mode ?? 0) & 0o500) === 0o500 || process.getuid?.() === 0;
  if (!isOpen) return [];
  return namesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    return look(path)?.isDirectory() ? filesBelow(path, join(shown, name)) : [join(shown, name)];
  });
}
