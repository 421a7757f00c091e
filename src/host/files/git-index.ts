/**
 * What a git index says, apart from what it remembers of the files' times: `git status`, which every prompt and editor
 * runs, rewrites the latter and nothing else. Of an index that cannot be read it says nothing.
 */
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { readGitIndex } from "../../contract/index.ts";

export function isGitIndex(path: string): boolean {
  return basename(path) === "index" && /(?:^|\/)\.git(?:\/(?:worktrees|modules)\/.+)?$/.test(dirname(path));
}

/** Equal for equal content of the index; `undefined` if it cannot be read. */
export function meaningOfIndex(bytes: Buffer): string | undefined {
  const index = readGitIndex(bytes);
  if (index === undefined) return undefined;
  const hash = createHash("sha256").update(`${index.isWhole}\n`);
  for (const entry of index.entries) {
    hash.update(`${entry.mode} ${entry.flags} ${entry.moreFlags} ${entry.name.length} `).update(entry.hash).update(entry.name);
  }
  return hash.digest("hex");
}
