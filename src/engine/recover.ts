/**
 * After a crash: a call with an intent and no result was under way when its process died. It is not run again. What is known of
 * it is said: that its changes were taken back, that they are all there, or that its outcome is unknown; and which files
 * somebody changed since, for those are left alone. An undo is finished, for it is known what it had to do.
 */
import type { CallRecord, FileImage, Fingerprint, Images, JournalEntry, JsonObject, Result, ToolError } from "../contract/index.ts";
import { ToolFailure } from "../contract/index.ts";
import { type AfterImage, captureAfter, changedSince, sameImage } from "./before-images.ts";
import { callOf } from "./call-life.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { isRehearsing, toolResult } from "./records.ts";
import type { Undo } from "./undo.ts";

/** A change of many files that a dead process had begun, and what became of it. */
interface TakenBackCall {
  readonly callId?: string;
  readonly restored: readonly string[];
  /** Somebody changed them since; left as they are. */
  readonly kept: readonly string[];
  readonly failed: readonly string[];
}

/** What was found and done in the workspace before the calls are settled. */
export interface FoundAtStart {
  /** Only calls of this workspace are settled; absent: all. */
  readonly workspace?: string;
  readonly takenBack: readonly TakenBackCall[];
  /** Calls whose unconfined command was ended by the crash; what it did is in their journal. */
  readonly journaled: readonly string[];
}

/** One call that a dead process had left. */
export interface RecoveredCall {
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
  readonly outcome: "taken_back" | "finished" | "unchanged" | "unknown";
  readonly kept: readonly string[];
  readonly failed: readonly string[];
}

interface Findings {
  readonly outcome: RecoveredCall["outcome"];
  readonly restored: readonly string[];
  readonly kept: readonly string[];
  readonly failed: readonly string[];
  readonly after: readonly AfterImage[];
  readonly undoable: boolean;
  /** What the session wrote itself it knows, as if its result had not been lost. */
  readonly seen?: Readonly<Record<string, Fingerprint>>;
}

export async function recover(
  dependencies: EngineDependencies,
  undo: Pick<Undo, "finish">,
  found: FoundAtStart,
): Promise<readonly RecoveredCall[]> {
  const { store, now, registry } = dependencies;
  const recovered: RecoveredCall[] = [];
  for (const call of await store.adoptOrphans(found.workspace)) {
    if (call.undoOf !== undefined && (await finished(call, undo, dependencies))) {
      recovered.push({ ...named(call), outcome: "finished", kept: [], failed: [] });
      continue;
    }
    if (registry.get(call.tool)?.resumable === true && (await waitsForRun(call, store)) && (await store.leaveWaiting(call.id))) continue;
    const findings = await find(call, found, dependencies);
    const result = resultOf(call, findings, now());
    const session = await store.session(call.sessionId);
    const notices = [...(session?.state.notices ?? []), ...noticesOf(call, findings)];
    await store.settleCall({
      callId: call.id,
      sessionId: call.sessionId,
      status: "failed",
      result,
      events: [toolResult(callOf(call), result)],
      after: findings.after,
      patch: { state: { notices }, ...(findings.seen && { seen: findings.seen }) },
      durable: true,
    });
    const { outcome, kept, failed } = findings;
    recovered.push({ ...named(call), outcome, kept, failed });
  }
  return recovered;
}

/** Whoever resumes the run makes the call again; without a run nobody would. */
async function waitsForRun({ sessionId }: CallRecord, { runs }: EngineDependencies["store"]): Promise<boolean> {
  return (await runs.runs({ sessionId, open: true })).length > 0;
}

function named({ id, tool, summary }: CallRecord): Pick<RecoveredCall, "callId" | "tool" | "summary"> {
  return { callId: id, tool, summary };
}

async function find(call: CallRecord, found: FoundAtStart, { store, images, locks }: EngineDependencies): Promise<Findings> {
  const journal = await store.journal(call.id);
  const commit = found.takenBack.find(({ callId }) => callId === call.id);
  if (commit !== undefined) return afterCommit(journal, commit, images);
  const paths = journal.map(({ path }) => path);
  const unlock = await locks.hold(`recover:${call.id}`, paths, never).catch(lockedOnly);
  // Somebody keeps them: nothing is touched there, and undo asks first.
  if (unlock === undefined) return { outcome: "unknown", restored: [], kept: [], failed: paths, after: [], undoable: paths.length > 0 };
  try {
    if (journal.some(({ intended }) => intended !== undefined)) return await allOrNothing(journal, images);
    if (journal.length > 0 && journal.every(({ after }) => after !== undefined)) return finishedOnly(journal);
    const now = await captureAfter(journal, images);
    // What a watched command did is in the journal. Of any other path nobody knows who changed it: undo asks first.
    const after = found.journaled.includes(call.id) ? now : now.filter(({ path, after }) => isAsBefore(journal, path, after));
    const undoable = changedSince(journal, after);
    const outcome = isRehearsing(call) ? "unchanged" : "unknown";
    return { outcome, restored: [], kept: [], failed: [], after, undoable };
  } finally {
    await unlock();
  }
}

const never = new AbortController().signal;

/** A start does not fail because somebody keeps a file locked. */
function lockedOnly(error: unknown): undefined {
  if (error instanceof ToolFailure && error.details?.reason === "locked") return undefined;
  throw error;
}

/** Of paths that somebody changed since, the image before counts as what the call left: undo then notices their change. */
async function afterCommit(journal: readonly JournalEntry[], commit: TakenBackCall, images: Images): Promise<Findings> {
  const failed = new Set(commit.failed);
  const unsure = journal.filter(({ path }) => failed.has(path));
  const after = [
    ...journal.filter(({ path }) => !failed.has(path)).map(({ path, before }) => ({ path, after: before })),
    ...(await captureAfter(unsure, images)),
  ];
  return { ...commit, outcome: "taken_back", after, undoable: failed.size > 0 };
}

/** The plan says what every file was going to hold: where some have it and others do not, those that do are taken back. */
async function allOrNothing(journal: readonly JournalEntry[], images: Images): Promise<Findings> {
  const looked = await captureAfter(journal, images);
  const now = new Map(looked.map(({ path, after }) => [path, after]));
  const files = journal.filter(({ intended }) => intended !== undefined);
  const written = files.filter((entry) => isIntended(entry, now.get(entry.path)) && !isBefore(entry, now.get(entry.path)));
  const kept = files.filter((entry) => !isIntended(entry, now.get(entry.path)) && !isBefore(entry, now.get(entry.path)));
  const keptPaths = kept.map(({ path }) => path);
  if (written.length === files.length) return { ...finishedOnly(journal), after: looked, seen: fingerprintsOf(written, now) };
  const restored: string[] = [];
  const failed: string[] = [];
  // Directories that the call made come before the files in them.
  const made = journal.filter(({ before, intended }) => intended === undefined && before.kind === "absent");
  for (const { path, before } of [...written, ...made.toReversed()]) {
    try {
      await images.restore(path, before);
      if (!made.some((entry) => entry.path === path)) restored.push(path);
    } catch {
      failed.push(path);
    }
  }
  for (const { path, before } of journal) if (before.kind === "time") await images.restore(path, before).catch(() => failed.push(path));
  const unsure = journal.filter(({ path }) => failed.includes(path));
  const after = [
    ...journal.filter(({ path }) => !failed.includes(path)).map(({ path, before }) => ({ path, after: before })),
    ...(await captureAfter(unsure, images)),
  ];
  const outcome = restored.length + kept.length + failed.length === 0 ? "unchanged" : "taken_back";
  return { outcome, restored, kept: keptPaths, failed, after, undoable: failed.length > 0 };
}

function fingerprintsOf(written: readonly JournalEntry[], now: ReadonlyMap<string, FileImage>): Record<string, Fingerprint> {
  const seen: Record<string, Fingerprint> = {};
  for (const { path } of written) {
    const image = now.get(path);
    if (image?.kind === "file") seen[path] = { size: image.size, mtimeMs: image.mtimeMs, hash: image.hash };
  }
  return seen;
}

function finishedOnly(journal: readonly JournalEntry[]): Findings {
  const after = journal.flatMap(({ path, after }) => (after === undefined ? [] : [{ path, after }]));
  return { outcome: "finished", restored: [], kept: [], failed: [], after, undoable: true };
}

function isIntended({ intended }: JournalEntry, now: FileImage | undefined): boolean {
  if (now === undefined) return false;
  return intended === null ? now.kind === "absent" : now.kind === "file" && now.hash === intended;
}

function isBefore({ before }: JournalEntry, now: FileImage | undefined): boolean {
  return now !== undefined && sameImage(before, now);
}

function isAsBefore(journal: readonly JournalEntry[], path: string, now: FileImage): boolean {
  const before = journal.find((entry) => entry.path === path)?.before;
  return before !== undefined && (before.kind === "time" || sameImage(before, now));
}

const shownPaths = 10;

function list(paths: readonly string[]): string {
  const more = paths.length > shownPaths ? ` and ${paths.length - shownPaths} more` : "";
  return `${paths.slice(0, shownPaths).join(", ")}${more}`;
}

/** What became of the call, in one text for people and models. */
function story(call: CallRecord, { outcome, restored, kept, failed, undoable }: Findings): string {
  const { tool } = call;
  if (isRehearsing(call)) return `The process ended while ${tool} was rehearsed. Nothing was changed: it can be done again.`;
  const parts: string[] = [];
  if (outcome === "taken_back") {
    parts.push(`The process ended while ${tool} was making its changes. They were taken back (${restored.length} path(s)).`);
    if (kept.length > 0) parts.push(`Somebody changed ${kept.length} path(s) since; they were left as they are: ${list(kept)}.`);
    if (failed.length > 0) parts.push(`${failed.length} path(s) could not be given back: ${list(failed)}.`);
  } else if (outcome === "finished") {
    parts.push(`The process ended after ${tool} had made its changes; they are all there, but its result was lost.`);
  } else if (outcome === "unchanged") {
    parts.push(`The process ended while ${tool} was running. None of the files it was to change is changed.`);
  } else parts.push(`The process ended while ${tool} was running. Whether it finished is not known: check before doing it again.`);
  if (undoable) parts.push("What it changed can be taken back with undo.");
  return parts.join(" ");
}

/** For the next call of the session. A call that only read is no news. */
function noticesOf(call: CallRecord, findings: Findings): readonly string[] {
  if (call.effects.every(({ kind }) => kind === "read")) return [];
  return [`Note on an earlier call (${call.id}, ${call.summary}): ${story(call, findings)}`];
}

function resultOf(call: CallRecord, findings: Findings, now: number): Result {
  const { outcome, restored, kept, failed, undoable } = findings;
  const message = story(call, findings);
  const details: JsonObject = {
    reason: outcome === "taken_back" ? "taken_back_after_crash" : isRehearsing(call) ? "rehearsal_cut_off" : "outcome_unknown",
    outcome,
    ...(outcome === "taken_back" ? { restored: restored.length, kept: kept.slice(0, 100), failed: failed.slice(0, 100) } : {}),
  };
  const hint = undoable ? `What it changed can be taken back with undo ${call.id}.` : "Check the state of things before doing it again.";
  const error: ToolError = { code: "tool_error", message, hint, details };
  return {
    callId: call.id,
    tool: call.tool,
    status: "error",
    output: message,
    content: [],
    error,
    undoable,
    durationMs: Math.max(0, now - call.startedAt),
  };
}

async function finished(call: CallRecord, undo: Pick<Undo, "finish">, { store, locks, log }: EngineDependencies): Promise<boolean> {
  const paths = (await store.journal(call.id)).map(({ path }) => path);
  const unlock = await locks.hold(`recover:${call.id}`, paths, never).catch(lockedOnly);
  try {
    return unlock !== undefined && (await undo.finish(call));
  } catch (error) {
    log(`The undo ${call.id} could not be finished`, error);
    return false;
  } finally {
    await unlock?.();
  }
}
