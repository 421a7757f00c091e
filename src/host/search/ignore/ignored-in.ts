/** Which entries of one directory ignore files leave out: what a walk of the directory would pass over for the same reason. */
import { joinBytes, toBytePath } from "../byte-path.ts";
import { IgnoreLevels, isIgnored } from "./ignore-levels.ts";

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
}

export function ignoredIn(directory: string, entries: readonly Entry[]): ReadonlySet<string> {
  const root = toBytePath(directory);
  const levels = new IgnoreLevels(root);
  const names = new Set(entries.map(({ name }) => name));
  const level = levels.enter(root, { has: (name) => names.has(name) }, levels.above());
  const ignored = new Set<string>();
  for (const { name, isDirectory } of entries) {
    const bytes = toBytePath(name);
    if (name === ".git" || (level !== undefined && isIgnored(level, joinBytes(root, bytes), bytes, isDirectory))) ignored.add(name);
  }
  return ignored;
}
