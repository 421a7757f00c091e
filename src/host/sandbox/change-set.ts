/**
 * A change set on disk: what a captured command would change, beside the layers that hold the bytes. It can be loaded, committed
 * or dropped by another process.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeSet, FileChange, Json, SandboxTier } from "../../contract/index.ts";
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
  readonly touched?: readonly string[];
  /** Absolute. */
  readonly leftOut?: readonly string[];
  /** Absolute. */
  readonly uncovered?: readonly string[];
  readonly temporary?: NonNullable<ChangeSet["temporary"]>;
}

const setFile = "change-set.json";
const heldFile = "held.json";

export function saveChangeSet(run: string, set: StoredChangeSet): void {
  writeWhole(join(run, setFile), JSON.stringify(set));
}

/** What somebody else wants to find with the set. */
export function saveHeld(run: string, what: Json): void {
  writeWhole(join(run, heldFile), JSON.stringify({ what }));
}

export function loadHeld(run: string): Json | undefined {
  return readJson<{ readonly what: Json }>(join(run, heldFile), ({ what }) => what !== undefined)?.what;
}

function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** `undefined` where the run was not kept. */
export function loadChangeSet(run: string): StoredChangeSet | undefined {
  return readJson<StoredChangeSet>(join(run, setFile), ({ version }) => version === setVersion);
}

function readJson<T>(path: string, fits: (value: T) => boolean): T | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as T;
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
