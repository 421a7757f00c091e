/**
 * Walks a tree and hands out its files in batches: ignore files honoured, directory links not followed, git's data left out.
 * Synchronous inside a slice of a few milliseconds (several times faster than promises), then everybody else runs.
 * Unreadable directories are noted and passed over; a directory that vanishes meanwhile is simply gone.
 */
import { type Dirent, readdirSync } from "node:fs";
import { baseName, joinBytes, toDisplay, toSystemPath } from "./byte-path.ts";
import { IgnoreLevels, isIgnored, type Level } from "./ignore/ignore-levels.ts";
import { isLeftOut } from "./ignore/left-out.ts";
import type { SkipList } from "./ignore/skip-list.ts";
import type { Limits } from "./limits.ts";

export interface WalkedDirectory {
  /** Byte string, with a `/` at the end. */
  readonly path: string;
  /** The way from the root as people read it: empty, or with a `/` at the end. */
  readonly shown: string;
}

/** Paths are put together only where they are needed: most of a walk is about names. */
export interface WalkedFile {
  readonly directory: WalkedDirectory;
  /** Byte string. */
  readonly name: string;
  readonly isLink: boolean;
}

/** Byte string. */
export function pathOf({ directory, name }: WalkedFile): string {
  return directory.path + name;
}

/** Relative to the root, as people read it. */
export function shownOf({ directory, name }: WalkedFile): string {
  return directory.shown + toDisplay(name);
}

export interface WalkOptions {
  /** Byte string of an absolute directory. */
  readonly root: string;
  readonly includeIgnored: boolean;
  readonly limits: Limits;
  readonly skipped: SkipList;
  /** Directories to enter, relative to the root. */
  mayEnter(shown: string): boolean;
  /** Directories that may be read at all, by their absolute path as people read it; asked last. */
  mayLookInto?(path: string): boolean;
  /** Asked before any ignore file, about everything but directories: the way to it and its name, as people read them. */
  mayTake?(way: string, name: string): boolean;
}

interface PendingDirectory extends WalkedDirectory {
  /** Of what is above it. */
  readonly level: Level | undefined;
}

const batchSize = 512;
const ignoreNames: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

/** Ends early, with what it has, when the deadline comes. */
export async function* walk(options: WalkOptions): AsyncGenerator<readonly WalkedFile[]> {
  const { root, includeIgnored, limits, skipped } = options;
  const levels = includeIgnored ? undefined : new IgnoreLevels(root);
  const pending: PendingDirectory[] = [{ path: joinBytes(root, ""), shown: "", level: levels?.above() }];
  let batch: WalkedFile[] = [];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    if (limits.passed) return;
    const entries = readEntries(directory, skipped);
    const level = levels === undefined ? undefined : levels.enter(withoutSlash(directory.path), namesIn(entries), directory.level);
    for (const entry of entries) {
      const file = consider(entry, directory, level, options, pending);
      if (file === undefined || batch.push(file) < batchSize) continue;
      yield batch;
      batch = [];
      if (limits.sliceOver) await limits.rest();
      if (limits.passed) return;
    }
    if (limits.sliceOver) {
      yield batch;
      batch = [];
      await limits.rest();
    }
  }
  yield batch;
}

function consider(
  entry: Dirent,
  directory: PendingDirectory,
  level: Level | undefined,
  { includeIgnored, mayEnter, mayLookInto, mayTake }: WalkOptions,
  pending: PendingDirectory[],
): WalkedFile | undefined {
  const { name } = entry;
  const isDirectory = entry.isDirectory();
  const isLink = !isDirectory && entry.isSymbolicLink();
  if (!isDirectory && !isLink && !entry.isFile()) return undefined;
  if (isLeftOut(name, isDirectory, includeIgnored)) return undefined;
  const shownName = toDisplay(name);
  if (isDirectory ? !mayEnter(directory.shown + shownName) : mayTake !== undefined && !mayTake(directory.shown, shownName))
    return undefined;
  if (level !== undefined && isIgnored(level, directory.path + name, name, isDirectory)) return undefined;
  if (!isDirectory) return { directory, name, isLink };
  if (mayLookInto?.(toDisplay(directory.path) + shownName) === false) return undefined;
  pending.push({ path: `${directory.path}${name}/`, shown: `${directory.shown}${shownName}/`, level });
  return undefined;
}

function readEntries({ path, shown }: PendingDirectory, skipped: SkipList): readonly Dirent[] {
  try {
    // The type of `encoding` knows only what it documents; a byte string is what every Buffer encoding gives here.
    return readdirSync(toSystemPath(path), { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") {
      skipped.add(
        shown === "" ? toDisplay(baseName(withoutSlash(path))) : withoutSlash(shown),
        code === "EACCES" || code === "EPERM" ? "no_permission" : "unreadable",
      );
    }
    return [];
  }
}

function withoutSlash(path: string): string {
  return path === "/" ? path : path.slice(0, -1);
}

function namesIn(entries: readonly Dirent[]): ReadonlySet<string> {
  let names: Set<string> | undefined;
  for (const { name } of entries) {
    if (name.startsWith(".") && ignoreNames.has(name)) {
      names ??= new Set();
      names.add(name);
    }
  }
  return names ?? none;
}

const none: ReadonlySet<string> = new Set();
