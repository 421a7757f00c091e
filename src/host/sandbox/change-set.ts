/**
 * A change set on disk: what a captured command would change, beside the layers that hold the bytes. It can be loaded, committed
 * or dropped by another process. A commit that began says so in its own file, with every before-image, until it has ended.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ChangeSet, FileChange, JournalEntry, SandboxTier } from "../../contract/index.ts";
import type { RootChanges } from "./operations.ts";

/** Grows when operations are written down in another way: what an earlier version kept is not applied. */
export const setVersion = 2;

export interface StoredChangeSet {
  readonly version: typeof setVersion;
  readonly id: string;
  readonly tier: SandboxTier;
  readonly command: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly roots: readonly RootChanges[];
  readonly changes: readonly FileChange[];
  /** Absolute. */
  readonly leftOut?: readonly string[];
  readonly temporary?: NonNullable<ChangeSet["temporary"]>;
}

const setFile = "change-set.json";
const commitFile = "commit.json";

export function saveChangeSet(run: string, set: StoredChangeSet): void {
  writeFileSync(join(run, `${setFile}.new`), JSON.stringify(set), { mode: 0o600 });
  renameSync(join(run, `${setFile}.new`), join(run, setFile));
}

/** `undefined` where the run was not kept. */
export function loadChangeSet(run: string): StoredChangeSet | undefined {
  return readJson<StoredChangeSet>(join(run, setFile), ({ version }) => version === setVersion);
}

/** On disk before the first change to the workspace. */
export function markCommitting(run: string, journal: readonly JournalEntry[]): void {
  const path = join(run, commitFile);
  const fd = openSync(`${path}.new`, "w", 0o600);
  try {
    writeSync(fd, JSON.stringify({ journal }));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
  const directory = openSync(run, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** The before-images of a commit that began and did not end. */
export function unfinishedCommit(run: string): readonly JournalEntry[] | undefined {
  return readJson<{ readonly journal: readonly JournalEntry[] }>(join(run, commitFile), ({ journal }) => Array.isArray(journal))?.journal;
}

export function markCommitted(run: string): void {
  rmSync(join(run, commitFile), { force: true });
}

function readJson<T>(path: string, fits: (value: T) => boolean): T | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as T;
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
