/**
 * Applies a change set to the real workspace: exactly what was captured, each path in one step, journaled before the first one.
 * Refuses where the workspace changed since. A failure takes everything back; a kill is taken back by `rollBack` at the next start.
 */
import type { Stats } from "node:fs";
import { dirname, join } from "node:path";
import { type FileImage, type Images, type JournalEntry, shownName, ToolFailure } from "../../contract/index.ts";
import { fileFailure } from "../files/failures.ts";
import { holdDirectory } from "../files/handles.ts";
import { sweepLeftovers } from "../files/temporary.ts";
import { Applier } from "./apply.ts";
import { markCommitted, markCommitting } from "./change-set.ts";
import { look, namesIn } from "./exact-names.ts";
import { type Operation, type RootChanges, stillSeen } from "./operations.ts";

export interface CommitPorts {
  readonly images: Images;
  /** Durable when it resolves. */
  journal(entries: readonly JournalEntry[]): Promise<void>;
}

/** How many files are read at once for their before-images. */
const lanes = 8;

export async function commitChanges(run: string, roots: readonly RootChanges[], ports: CommitPorts): Promise<void> {
  const conflicts = roots.flatMap((changes) => {
    const removed = removedPaths(changes);
    return [
      ...changes.conflicts,
      ...changes.operations.filter((operation) => isStale(changes.root, operation, removed)).map(({ path }) => path),
    ].map((path) => join(changes.root, path));
  });
  if (conflicts.length > 0) throw conflict([...new Set(conflicts)]);
  if (roots.every(({ operations }) => operations.length === 0)) return;
  const journal = await beforeImages(roots, ports.images);
  if (journal.length > 0) await ports.journal(journal);
  markCommitting(run, journal);
  const applier = new Applier();
  try {
    for (const changes of roots) await applier.apply(changes);
    await applier.finish();
  } catch (error) {
    await applier.abandon();
    const failed = await rollBack(journal, ports.images);
    // What could not be given back is tried again at the next start.
    if (failed.length === 0) markCommitted(run);
    throw stopped(error, failed);
  }
  markCommitted(run);
}

function removedPaths({ operations }: RootChanges): ReadonlySet<string> {
  return new Set(operations.filter(({ kind }) => kind === "remove" || kind === "rmdir").map(({ path }) => path));
}

function isStale(root: string, operation: Operation, removed: ReadonlySet<string>): boolean {
  const path = join(root, operation.path);
  // A new path whose place this same set clears is judged by that removal, and so is all below it.
  if (operation.seen === undefined) return !isCleared(operation.path, removed) && look(path) !== undefined;
  const now = look(path);
  if (!stillSeen(operation.seen, now)) return true;
  return operation.kind === "rmdir" && !sameNames(operation.names, path, now);
}

function isCleared(path: string, removed: ReadonlySet<string>): boolean {
  for (let place = path; place !== "."; place = dirname(place)) if (removed.has(place)) return true;
  return false;
}

function sameNames(names: readonly string[], path: string, now: Stats | undefined): boolean {
  if (!now?.isDirectory()) return false;
  const present = namesIn(path);
  const known = new Set(names);
  return present.length === names.length && present.every((name) => known.has(name));
}

/** What is kept of a path before the first change: all of it, its time alone, or that it was not there. */
type Keeping = "whole" | "time" | "absent";

/** In the order of application, each path once: walking it backwards restores everything. Of the directories around, the time. */
async function beforeImages(roots: readonly RootChanges[], images: Images): Promise<readonly JournalEntry[]> {
  const keeping = new Map<string, Keeping>();
  for (const { root, operations } of roots) {
    for (const { kind, path, seen } of operations) {
      const absolute = join(root, path);
      if (!keeping.has(absolute)) keeping.set(absolute, seen === undefined ? "absent" : kind === "times" ? "time" : "whole");
    }
  }
  for (const { root, operations } of roots) {
    for (const { path } of operations) {
      const around = dirname(join(root, path));
      if (path !== "" && !keeping.has(around)) keeping.set(around, "time");
    }
  }
  const paths = [...keeping];
  const entries: JournalEntry[] = new Array(paths.length);
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < paths.length; index = next++) {
      const [path, how] = paths[index] ?? ["", "absent"];
      // A new path is not looked at: its parent may still be a link that leads elsewhere.
      if (how === "absent") entries[index] = { path, before: { kind: "absent" } };
      else entries[index] = { path, before: how === "time" ? await images.time(path) : await captured(path, images) };
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return entries;
}

/** A socket or device holds nothing that could be brought back. */
async function captured(path: string, images: Images): Promise<FileImage> {
  const stats = look(path);
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink() && !stats.isFIFO())
    return { kind: "absent" };
  return images.capture(path);
}

/** Gives every path its before-image back; a path that fails does not keep the others from it. */
export async function rollBack(journal: readonly JournalEntry[], images: Images): Promise<readonly string[]> {
  const failed: string[] = [];
  // A killed commit leaves the file it was writing: a directory it had made would not be empty.
  for (const directory of new Set(journal.map(({ path }) => dirname(path)))) await sweep(directory);
  // What is put into a directory changes its time again: those come last.
  const times = journal.flatMap(({ path, before }): JournalEntry[] =>
    before.kind === "directory" && before.mtimeNs !== undefined
      ? [{ path, before: { kind: "time", mtimeNs: before.mtimeNs, directory: true } }]
      : before.kind === "time"
        ? [{ path, before }]
        : [],
  );
  const contents = journal.filter(({ before }) => before.kind !== "time").reverse();
  for (const { path, before } of [...contents, ...times]) {
    try {
      await images.restore(path, before);
    } catch {
      failed.push(path);
    }
  }
  return failed;
}

async function sweep(directory: string): Promise<void> {
  try {
    const held = await holdDirectory(directory, directory);
    await sweepLeftovers(held, true).finally(() => held.close());
  } catch {
    // It was never made, or is gone already.
  }
}

/** A step that failed: what it was, and what became of those before it. */
function stopped(error: unknown, failed: readonly string[]): ToolFailure {
  const { code, message, details } = fileFailure(error, "the workspace");
  const left =
    failed.length === 0 ? "" : ` ${failed.length} path(s) are not yet as before (${failed.slice(0, 10).map(shownName).join(", ")}).`;
  return new ToolFailure(code, `${failed.length === 0 ? "Nothing was changed" : "The changes could not be made"}: ${message}.${left}`, {
    hint: failed.length === 0 ? "Remove what is in the way, then run the command again." : "They are given back at the next start.",
    ...(details === undefined ? {} : { details }),
    unchanged: failed.length === 0,
    cause: error,
  });
}

function conflict(paths: readonly string[]): ToolFailure {
  const shown = paths.slice(0, 10).map(shownName).join(", ");
  return new ToolFailure("tool_conflict", `Nothing was changed: the workspace changed meanwhile (${paths.length} path(s): ${shown}).`, {
    hint: "Look at what changed there, then run the command again.",
    details: { reason: "workspace_changed", paths: paths.slice(0, 100) },
    unchanged: true,
  });
}
