/**
 * Applies a change set to the real workspace: exactly what was captured, each path in one step, recorded before the first one and
 * on disk before it counts as done. Every path is locked from the last look to the last file, and compared again when its turn
 * comes. Refuses where the workspace changed since. A failure takes everything back; a kill is taken back at the next start.
 */
import { createHash } from "node:crypto";
import { readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import {
  type Attributes,
  type FileImage,
  type Fingerprint,
  type Images,
  type JournalEntry,
  shownName,
  ToolFailure,
} from "../../contract/index.ts";
import { giveAttributes, withoutMarks } from "../files/attributes.ts";
import { systemPath } from "../files/byte-name.ts";
import { fileFailure } from "../files/failures.ts";
import { MovedMeanwhile } from "../files/still.ts";
import { syncWritten } from "../files/sync-written.ts";
import { Applier, type Source, type Sources } from "./apply.ts";
import { type CommitStep, endRecord, type Left, RecordWriter, readRecord, recordedSteps } from "./commit-record.ts";
import { look, namesIn, pathIn } from "./exact-names.ts";
import { type Operation, type RootChanges, stillSeen } from "./operations.ts";
import { makeReadable } from "./read-upper.ts";
import { takeBack } from "./take-back.ts";

export interface CommitPorts {
  readonly images: Images;
  /** The call that the commit belongs to. */
  readonly callId?: string;
  /** Force the written files to disk before the commit counts as done. */
  readonly durable: boolean;
  /** Keeps other writers of these paths out until the call is settled. */
  lock(paths: readonly string[]): Promise<void>;
  /** Durable when it resolves. Called with the images before, then again with those after. */
  journal(entries: readonly JournalEntry[]): Promise<void>;
}

/** How many files are read at once for their images. */
const lanes = 8;
/** Longer files are hashed in pieces. */
const shortBytes = 1 << 20;
/** From so many files on, their images go to the disk together instead of one by one. */
const batchFrom = 64;
/** So many paths are under way at a time, from their images to the journal: what is held does not grow with the change set. */
const pathsAtOnce = 2000;

export async function commitChanges(run: string, roots: readonly RootChanges[], ports: CommitPorts): Promise<void> {
  const { images } = ports;
  if (roots.every(({ operations, conflicts }) => operations.length === 0 && conflicts.length === 0)) return;
  await ports.lock(roots.flatMap(({ root, operations }) => operations.map(({ path }) => pathIn(root, path))));
  refuseStale(roots);
  const sources = await sourcesOf(roots, images);
  await recordSteps(run, roots, ports, sources);
  const applier = new Applier(sources);
  try {
    for (const changes of roots) await applier.apply(changes);
    await applier.finish();
    await dress(roots);
    if (ports.durable) for (const { root } of roots) await syncWritten(root, applier.writtenBelow(root));
    const attributes = attributesAfter(roots);
    for (const steps of recordedSteps(run)) await ports.journal(await afterImages(steps, attributes, images, applier));
  } catch (error) {
    await applier.abandon();
    const { kept, failed } = await takeBack(readRecord(run)?.steps ?? [], images);
    // What could not be given back is tried again at the next start.
    if (failed.length === 0) endRecord(run);
    throw stopped(error, kept, failed);
  }
  endRecord(run);
  await applier.letGo();
}

function refuseStale(roots: readonly RootChanges[]): void {
  const conflicts = roots.flatMap((changes) => {
    const removed = removedPaths(changes);
    return [
      ...changes.conflicts,
      ...changes.operations.filter((operation) => isStale(changes.root, operation, removed)).map(({ path }) => path),
    ].map((path) => pathIn(changes.root, path));
  });
  if (conflicts.length > 0) throw conflict([...new Set(conflicts)]);
}

function removedPaths({ operations }: RootChanges): ReadonlySet<string> {
  return new Set(operations.filter(({ kind }) => kind === "remove" || kind === "rmdir").map(({ path }) => path));
}

function isStale(root: string, operation: Operation, removed: ReadonlySet<string>): boolean {
  const path = pathIn(root, operation.path);
  // A new path whose place this same set clears is judged by that removal, and so is all below it.
  if (operation.seen === undefined) return !isCleared(operation.path, removed) && look(path) !== undefined;
  const now = look(path);
  if (!stillSeen(operation.seen, now)) return true;
  return operation.kind === "rmdir" && !sameNames(operation.names, path, now);
}

function isCleared(path: string, removed: ReadonlySet<string>): boolean {
  if (removed.size === 0) return false;
  for (let place = path; place !== "."; place = dirname(place)) if (removed.has(place)) return true;
  return false;
}

function sameNames(names: readonly string[], path: string, now: Stats | undefined): boolean {
  if (!now?.isDirectory()) return false;
  const present = namesIn(path);
  const known = new Set(names);
  return present.length === names.length && present.every((name) => known.has(name));
}

/** What is kept of a path before the first change: all of it, all but the bytes, its time alone, or that it was not there. */
type Keeping = "whole" | "dress" | "time" | "absent";

/** What happens to a path, in the order in which it does; nothing to a directory of which only the time is kept. */
interface Planned {
  readonly how: Keeping;
  readonly operations: readonly Operation[];
}

/**
 * Images before, the journal and the record, a part after the other; on disk when it returns. In the order of application, each
 * path once: walking it backwards restores everything. Of the directories around, the time.
 */
async function recordSteps(run: string, roots: readonly RootChanges[], ports: CommitPorts, sources: Sources): Promise<void> {
  const { images, callId } = ports;
  const attributes = await attributesBefore(roots, images);
  const record = new RecordWriter(run, { ...(callId === undefined ? {} : { callId }), roots: roots.map(({ root }) => root) });
  try {
    for (const planned of inParts(plannedPaths(roots), pathsAtOnce)) {
      const { steps, onDisk } = await stepsOf(planned, images, sources, attributes);
      // Side by side: neither counts before the record does.
      await bothOf(onDisk(), ports.journal(steps.map(({ path, before }): JournalEntry => ({ path, before }))));
      record.add(steps);
    }
  } catch (error) {
    record.abandon();
    throw error;
  }
  record.end();
}

/** One after the other: of a hundred thousand paths only those under way are held. */
function* plannedPaths(roots: readonly RootChanges[]): Generator<readonly [string, Planned]> {
  const directories = new Set<string>();
  for (const { root, operations } of roots) {
    const again = operationsOfSamePath(operations);
    for (const operation of operations) {
      const path = pathIn(root, operation.path);
      if (isOfDirectory(operation)) directories.add(path);
      const all = again.get(operation.path) ?? [operation];
      if (all[0] === operation) yield [path, { how: howToKeep(operation), operations: all }];
    }
  }
  for (const { root, operations } of roots) {
    for (const { path } of operations) {
      const around = dirname(pathIn(root, path));
      if (path === "" || directories.has(around)) continue;
      directories.add(around);
      yield [around, { how: "time", operations: [] }];
    }
  }
}

function isOfDirectory(operation: Operation): boolean {
  const { kind } = operation;
  return kind === "rmdir" || kind === "mkdir" || ((kind === "mode" || kind === "times") && operation.directory);
}

/** Where a path has several, for it goes and comes again: in their order. */
function operationsOfSamePath(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const met = new Set<string>();
  const again = new Map<string, Operation[]>();
  for (const { path } of operations) {
    if (met.has(path)) again.set(path, []);
    else met.add(path);
  }
  if (again.size > 0) for (const operation of operations) again.get(operation.path)?.push(operation);
  return again;
}

async function stepsOf(
  planned: readonly (readonly [string, Planned])[],
  images: Images,
  sources: Sources,
  attributes: ReadonlyMap<string, Attributes>,
): Promise<{ readonly steps: readonly CommitStep[]; onDisk(): Promise<void> }> {
  const whole = planned.filter(([, { how }]) => how === "whole").length;
  const batch = whole > batchFrom ? images.batch() : undefined;
  const dressed = (path: string, image: FileImage): FileImage => {
    const found = attributes.get(path);
    return found === undefined || (image.kind !== "file" && image.kind !== "directory") ? image : { ...image, attributes: found };
  };
  const steps = await inLanes(planned, async ([path, { how, operations }]): Promise<CommitStep> => {
    const leaves = operations.map((operation) => leftBy(operation, sources.get(operation)?.hash ?? ""));
    // A new path is not looked at: its parent may still be a link that leads elsewhere.
    if (how === "absent") return { path, before: { kind: "absent" }, leaves };
    if (how === "time") return { path, before: await images.time(path), leaves };
    const before = how === "dress" ? await images.inspect(path) : await (batch ?? images).capture(path);
    return { path, before: dressed(path, before), leaves };
  });
  return { steps, onDisk: async () => batch?.onDisk() };
}

/** Of paths that had attributes, or are going to have some. */
async function attributesBefore(roots: readonly RootChanges[], images: Images): Promise<ReadonlyMap<string, Attributes>> {
  const removed = roots.flatMap(({ root, operations }) =>
    operations.flatMap(({ kind, path }) => (kind === "remove" || kind === "rmdir" ? [pathIn(root, path)] : [])),
  );
  const found = new Map(await images.attributes(removed));
  for (const { root, attributes = {} } of roots)
    for (const [path, { before }] of Object.entries(attributes)) found.set(pathIn(root, path), before ?? {});
  return found;
}

/** Files that were moved into place have their attributes; this is for all that was copied, made or only dressed. */
async function dress(roots: readonly RootChanges[]): Promise<void> {
  const wanted = roots.flatMap(({ root, operations, attributes = {} }) =>
    operations.flatMap(({ kind, path }) => {
      const change = kind === "file" || kind === "mkdir" || kind === "mode" ? attributes[path] : undefined;
      return change === undefined ? [] : [{ path: pathIn(root, path), attributes: change.after ?? {} }];
    }),
  );
  const [failed] = await giveAttributes(wanted);
  if (failed === undefined) return;
  throw new ToolFailure("tool_error", `the extended attributes of ${shownName(failed)} cannot be set`, {
    details: { reason: "attributes_lost", path: failed },
  });
}

/** The files of the layers that are going to be put into place. */
async function sourcesOf(roots: readonly RootChanges[], images: Images): Promise<Sources> {
  const sources = new Map<Operation, Source>();
  for (const { upper, operations } of roots) {
    const files = operations.filter((one) => one.kind === "file" && one.linkTo === undefined);
    for (let at = 0; at < files.length; at += pathsAtOnce) {
      const some = files.slice(at, at + pathsAtOnce);
      const paths = some.map(({ path }) => pathIn(upper, path));
      const clean = await withoutMarks(paths);
      const hashes = await inLanes(paths, async (path) => hashOfSource(path, images));
      some.forEach((operation, index) => {
        sources.set(operation, { hash: hashes[index] ?? "", isClean: clean.has(paths[index] ?? "") });
      });
    }
    shareHashes(operations, sources);
  }
  return sources;
}

/** Of several names of one file, the first has its bytes. */
function shareHashes(operations: readonly Operation[], sources: Map<Operation, Source>): void {
  const later = operations.flatMap((one) => (one.kind === "file" && one.linkTo !== undefined ? [{ one, first: one.linkTo }] : []));
  if (later.length === 0) return;
  const byPath = new Map(operations.map((operation) => [operation.path, operation]));
  for (const { one, first } of later) {
    const operation = byPath.get(first);
    const source = operation === undefined ? undefined : sources.get(operation);
    if (source !== undefined) sources.set(one, { ...source, isClean: false });
  }
}

async function hashOfSource(path: string, images: Images): Promise<string> {
  const stats = look(path);
  // Whoever puts it into place says that it is gone.
  if (stats === undefined) return "";
  makeReadable(path, stats.mode);
  if (stats.size <= shortBytes)
    return createHash("sha256")
      .update(readFileSync(systemPath(path)))
      .digest("hex");
  const image = await images.inspect(path);
  return image.kind === "file" ? image.hash : "";
}

/** A path comes once with another mode, or first goes: only in the first case nothing happens to its bytes. */
function howToKeep({ seen, kind }: Operation): Keeping {
  if (seen === undefined) return "absent";
  return kind === "times" ? "time" : kind === "mode" ? "dress" : "whole";
}

function leftBy(operation: Operation, hash: string): Left {
  switch (operation.kind) {
    case "remove":
    case "rmdir":
      return { kind: "absent" };
    case "mkdir":
      return { kind: "directory", mode: operation.mode };
    case "link":
      return { kind: "link", target: operation.target };
    case "pipe":
      return { kind: "pipe", mode: operation.mode };
    case "mode":
      return { kind: operation.directory ? "directory" : "dressed", mode: operation.mode };
    case "times":
      return { kind: "touched", mtimeNs: operation.mtimeNs };
    case "file":
      return { kind: "file", mode: operation.mode, hash };
  }
}

function attributesAfter(roots: readonly RootChanges[]): ReadonlyMap<string, Attributes> {
  return new Map(
    roots.flatMap(({ root, attributes = {} }) =>
      Object.entries(attributes).map(([path, { after }]) => [pathIn(root, path), after ?? {}] as const),
    ),
  );
}

/** Taken while the paths are still locked, so that nobody else's later change counts as the command's. */
function afterImages(
  steps: readonly CommitStep[],
  attributes: ReadonlyMap<string, Attributes>,
  images: Images,
  applier: Applier,
): Promise<readonly JournalEntry[]> {
  return inLanes(steps, async ({ path, before }) => {
    const after = before.kind === "time" ? await images.time(path) : await images.inspect(path, applier.known(path) ?? dressedOnly(before));
    const found = attributes.get(path);
    const isDressed = found !== undefined && (after.kind === "file" || after.kind === "directory");
    return { path, before, after: isDressed ? { ...after, attributes: found } : after };
  });
}

/** A file that was not written has the bytes it had, as long as its size and time say so. */
function dressedOnly(before: FileImage): Fingerprint | undefined {
  return before.kind === "file" ? { size: before.size, mtimeMs: before.mtimeMs, hash: before.hash } : undefined;
}

/** Over when both are: nothing is written any more if one has failed. */
async function bothOf(one: Promise<void>, other: Promise<void>): Promise<void> {
  const ends = await Promise.allSettled([one, other]);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

function* inParts<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** In order, however many there are: only a few are under way at a time, for each needs an open file. */
async function inLanes<Item, Answer>(items: readonly Item[], work: (item: Item) => Promise<Answer>): Promise<readonly Answer[]> {
  const answers: Answer[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < items.length; index = next++) answers[index] = await work(items[index] as Item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answers;
}

/** A step that failed: what it was, and what became of those before it. */
function stopped(error: unknown, kept: readonly string[], failed: readonly string[]): ToolFailure {
  if (error instanceof MovedMeanwhile && failed.length === 0) return conflict([...new Set([error.path, ...kept])]);
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
