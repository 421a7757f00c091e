/**
 * Takes calls back (C11): one call, the last n, or a whole message, in reverse order. Shows what it
 * will change, refuses to clobber later edits unless forced, and is itself a journaled operation
 * that can be undone. Independent of git.
 */
import { dirname } from "node:path";
import {
  type CallRecord,
  type FileImage,
  type Images,
  type JournalEntry,
  type Json,
  type OperationStatus,
  parseArtifactPath,
  type Result,
  type Store,
  shownName,
  ToolFailure,
  type UndoOptions,
  type UndoTarget,
} from "../contract/index.ts";
import { attributesOf, captureAfter, isSameMoment, isTouched, sameImage, timeOf } from "./before-images.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import { giveBack } from "./give-back.ts";
import type { PathLocks } from "./path-locks.ts";
import { toolResult } from "./records.ts";
import { failureResult, type ResultContext, resultOf } from "./result.ts";
import type { Session } from "./session.ts";

const toolName = "Undo";

/** One path and the image it gets back. */
interface Restoration {
  readonly path: string;
  /** Looked at again when its bytes are kept: only one image of each path is held. */
  current: FileImage;
  readonly target: FileImage;
  /** Somebody changed it after the call. */
  readonly conflict: boolean;
}

/** What an undo is going to do. */
interface Restorations {
  readonly contents: readonly Restoration[];
  /** Of paths that stay or come back otherwise: only the time. Given back last, where nobody has touched them since the call. */
  readonly times: readonly Restoration[];
}

/** What an undo does or did, for people and for programs. */
interface Report {
  readonly text: string;
  readonly data: { [key: string]: Json };
}

export class Undo {
  readonly #dependencies: EngineDependencies;
  readonly #locks: PathLocks;
  readonly #feed: EventFeed;

  constructor(dependencies: EngineDependencies, locks: PathLocks, feed: EventFeed) {
    this.#dependencies = dependencies;
    this.#locks = locks;
    this.#feed = feed;
  }

  async undo(session: Session, target: UndoTarget, options: UndoOptions): Promise<Result> {
    const { store, newId } = this.#dependencies;
    const callId = newId();
    const context = this.#context(callId, session.record.id);
    try {
      if (options.signal?.aborted) throw new ToolFailure("cancelled", "The undo was cancelled before it began.");
      const calls = await this.#select(session, target);
      const paths = await this.#pathsOf(calls);
      const release = await this.#locks.acquire(callId, paths, options.signal ?? new AbortController().signal);
      try {
        return await this.#takeBack(session, calls, options, context);
      } finally {
        await store.releaseLocks(callId);
        release();
      }
    } catch (error) {
      return failureResult(error, false, context);
    }
  }

  /**
   * An undo that a dead process left half done is done to its end. A file that somebody has changed since is left as it
   * is, and named. Answers false if the calls it was to take back are gone.
   */
  async finish(call: CallRecord): Promise<boolean> {
    const { store, images, durable } = this.#dependencies;
    const calls = (await Promise.all(idsOf(call.input).map((id) => store.call(id)))).filter((one) => one !== undefined);
    const journal = await store.journal(call.id);
    const begun = new Map(journal.map(({ path, before }) => [path, before]));
    const { contents: restorations, times } = await planRestorations(calls, store, images);
    const left = restorations.filter(isNotYetBack);
    const untouched = ({ path, current }: Restoration): boolean => {
      const before = begun.get(path);
      return before !== undefined && sameImage(current, before);
    };
    if (calls.length === 0) return false;
    const theirs = new Set(left.filter((restoration) => !untouched(restoration)).map(({ path }) => path));
    const isDue = ({ path }: Restoration): boolean => !theirs.has(path);
    const due = { contents: inOrder(left).filter(isDue), times: times.filter(isDue) };
    const { kept: moved, failed } = await giveBack(due, images, call.id, false);
    if (failed !== undefined) throw failed;
    for (const path of moved) theirs.add(path);
    const { text, data } = describe(calls, { contents: restorations.filter(isDue), times: times.filter(isDue) }, []);
    const context = this.#context(call.id, call.sessionId);
    const kept = theirs.size === 0 ? "" : `Changed since by somebody else, left as they are: ${[...theirs].map(shownName).join(", ")}\n`;
    const output = `Finished after a restart.\n${kept}${text}`;
    const result = await resultOf({ output, data: { ...data, kept: [...theirs] } }, journal.length > 0, context);
    this.#feed.publish(
      await store.settleCall({
        callId: call.id,
        sessionId: call.sessionId,
        status: "success",
        result,
        events: [toolResult(call, result)],
        patch: { seen: Object.fromEntries(restorations.map(({ path }) => [path, null])) },
        // Undoing the undo must notice what somebody changed, so their files have no image after it.
        after: (await captureAfter(journal, images)).filter(({ path }) => !theirs.has(path)),
        mark: marksFor(calls),
        durable,
      }),
    );
    return true;
  }

  #context(callId: string, sessionId: string): ResultContext {
    const { store, masker, limits } = this.#dependencies;
    return { callId, tool: toolName, sessionId, startedAt: performance.now(), masker, maxOutputBytes: limits.maxOutputBytes, store };
  }

  async #takeBack(session: Session, calls: readonly CallRecord[], options: UndoOptions, context: ResultContext): Promise<Result> {
    const { contents, times } = await planRestorations(calls, this.#dependencies.store, this.#dependencies.images);
    const conflicts = contents.filter(({ conflict }) => conflict);
    const changes = { contents: contents.filter(isNotYetBack), times };
    const report = describe(calls, changes, conflicts);
    if (conflicts.length > 0 && !options.force) {
      throw changedSince(conflicts, report.data);
    }
    await this.#checkImages(changes.contents);
    if (options.signal?.aborted) throw new ToolFailure("cancelled", "The undo was cancelled before it changed anything.");
    if (options.dryRun) return resultOf({ output: `Would do:\n${report.text}`, data: report.data }, false, context, "planned");
    return this.#apply(session, calls, changes, { report, context, force: options.force ?? false });
  }

  /** Half an undo helps nobody: an image that cannot be restored is named before the first file changes. */
  async #checkImages(contents: readonly Restoration[]): Promise<void> {
    const damaged: { readonly path: string; readonly why: string }[] = [];
    for (const { path, current, target } of contents) {
      // Bytes that are there need not be given back.
      if (current.kind === "file" && target.kind === "file" && current.hash === target.hash) continue;
      try {
        await this.#dependencies.images.check(target);
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        damaged.push({ path, why: error.message });
      }
    }
    const [first] = damaged;
    if (first === undefined) return;
    const names = damaged.slice(0, 10).map(({ path }) => shownName(path));
    throw new ToolFailure("tool_error", `Nothing was changed: what was kept of ${names.join(", ")} cannot be restored. ${first.why}.`, {
      hint: "The files are as they were; those named cannot be given back from what Karyi kept.",
      details: { reason: "image_damaged", paths: damaged.slice(0, 100).map(({ path }) => path) },
      unchanged: true,
    });
  }

  async #apply(
    session: Session,
    calls: readonly CallRecord[],
    { contents, times }: Restorations,
    { report, context, force }: { readonly report: Report; readonly context: ResultContext; readonly force: boolean },
  ): Promise<Result> {
    const { store, images, now, durable } = this.#dependencies;
    const { callId } = context;
    // Capturing keeps the bytes of now, which is what makes an undo undoable.
    const journal: JournalEntry[] = [];
    const late: Restoration[] = [];
    const batch = contents.length > batchFrom ? images.batch() : undefined;
    const attributes = await images.attributes(contents.map(({ path }) => path));
    for (const restoration of contents) {
      const { path, current, target } = restoration;
      const image = await (batch ?? images).capture(path);
      if (!sameImage(current, image)) late.push(restoration);
      restoration.current = image;
      const found = attributes.get(path) ?? (attributesOf(target) === undefined ? undefined : {});
      const isDressed = found !== undefined && (image.kind === "file" || image.kind === "directory");
      journal.push({ path, before: isDressed ? { ...image, attributes: found } : image });
    }
    await batch?.onDisk();
    if (late.length > 0 && !force) throw changedSince(late, { ...report.data, conflicts: late.map(({ path }) => toldPath(path)) });
    const captured = new Set(journal.map(({ path }) => path));
    for (const { path, current } of times) if (!captured.has(path)) journal.push({ path, before: current });
    const summary = `Undo ${calls.map(({ summary }) => summary).join("; ")}`.slice(0, 500);
    const ids = calls.map(({ id }) => id);
    const started = await store.startCall({
      call: {
        id: callId,
        sessionId: session.record.id,
        tool: toolName,
        input: { call_ids: ids },
        cwd: session.cwd,
        summary,
        effects: [],
        ownerId: store.owner.id,
        startedAt: now(),
        request: null,
        ...(ids[0] === undefined ? {} : { undoOf: ids[0] }),
      },
      events: [{ type: "tool_call", callId, body: { tool: toolName, input: { call_ids: ids }, summary } }],
      journal,
      durable,
    });
    if (started.kind === "started") this.#feed.publish(started.events);
    const given = await giveBack({ contents: inOrder(contents), times }, images, callId, force);
    const kept = contents.filter(({ path }) => given.kept.has(path));
    const back = { contents: contents.filter(({ path }) => !given.kept.has(path)), times };
    const failed = given.failed ?? (kept.length > 0 ? changedMeanwhile(kept, describe(calls, back, kept)) : undefined);
    // Undoing the undo must notice what somebody changed, so their files have no image after it.
    const asked = new Map(contents.map((one) => [one.path, one]));
    const after = (await captureAfter(journal, images)).filter(
      (one) => !given.kept.has(one.path) && !isRewritten(one.after, asked.get(one.path)),
    );
    const result = failed
      ? await failureResult(failed, journal.length > 0, context)
      : await resultOf({ output: report.text, data: report.data }, journal.length > 0, context);
    const patch = { seen: Object.fromEntries(contents.map(({ path }) => [path, null])) };
    const events = await store.settleCall({
      callId,
      sessionId: session.record.id,
      status: failed ? "failed" : "success",
      result,
      events: [toolResult({ id: callId }, result)],
      patch,
      after,
      ...(failed ? {} : { mark: marksFor(calls) }),
      durable,
    });
    session.open.apply(patch);
    this.#feed.publish(events);
    return result;
  }

  /** Newest first, so that undoing goes in reverse order. */
  async #select(session: Session, target: UndoTarget): Promise<readonly CallRecord[]> {
    const { store } = this.#dependencies;
    const sessionId = session.record.id;
    if ("callId" in target) {
      const call = await store.call(target.callId);
      if (!call || call.sessionId !== sessionId) throw notFound(`There is no call '${target.callId}' in this session.`);
      if (call.status === "rolled_back")
        throw new ToolFailure("tool_conflict", `The call ${call.id} was undone already.`, { details: { reason: "already_undone" } });
      return [call];
    }
    if ("callIds" in target) return this.#chosen(sessionId, target.callIds);
    const candidates = await store.listCalls({
      sessionId,
      writing: true,
      ...("messageId" in target ? { messageId: target.messageId } : {}),
    });
    const undoable = candidates.filter(
      ({ tool, status, phase, result }) =>
        phase === "settled" && status !== "rolled_back" && tool !== toolName && result?.undoable !== false,
    );
    const selected = "messageId" in target ? undoable : undoable.slice(0, target.last);
    if (selected.length === 0)
      throw notFound("messageId" in target ? `Nothing of message '${target.messageId}' can be undone.` : "There is nothing to undo.");
    return selected;
  }

  /** Whatever order they were named in, they are taken back newest first. */
  async #chosen(sessionId: string, callIds: readonly string[]): Promise<readonly CallRecord[]> {
    const wanted = new Set(callIds);
    const chosen = (await this.#dependencies.store.listCalls({ sessionId })).filter(({ id }) => wanted.has(id));
    const missing = callIds.filter((id) => !chosen.some((call) => call.id === id));
    if (missing.length > 0) throw notFound(`There is no call '${missing.join("', '")}' in this session.`);
    const undone = chosen.find(({ status }) => status === "rolled_back");
    if (undone !== undefined) {
      throw new ToolFailure("tool_conflict", `The call ${undone.id} was undone already.`, { details: { reason: "already_undone" } });
    }
    return chosen;
  }

  async #pathsOf(calls: readonly CallRecord[]): Promise<string[]> {
    const paths = (await Promise.all(calls.map(({ id }) => this.#dependencies.store.journalPaths(id)))).flat();
    if (paths.length === 0) throw notFound(`Nothing that ${calls.map(({ summary }) => summary).join(", ")} did can be undone.`);
    return paths;
  }
}

/** From so many files on, their images go to the disk together instead of one by one. */
const batchFrom = 64;

/** Walks the journals backwards; a path touched by several calls gets the oldest image, and each step must meet what the later call left. */
async function planRestorations(calls: readonly CallRecord[], store: Pick<Store, "journalParts">, images: Images): Promise<Restorations> {
  const byPath = new Map<string, Restoration>();
  const times = new Map<string, Restoration>();
  const take = async ({ path, before, after }: JournalEntry): Promise<void> => {
    const known = byPath.get(path);
    const mtimeNs = timeOf(before);
    if (mtimeNs !== undefined) {
      const current = times.get(path)?.current ?? (await images.time(path));
      const moment = times.get(path)?.target ?? known?.target ?? current;
      // Somebody else's change since keeps its own time.
      const isLeft = after !== undefined && isSameMoment(moment, after);
      if (isLeft || before.kind === "directory") times.set(path, { path, current, target: timeImage(before, mtimeNs), conflict: false });
    }
    if (before.kind === "time") return;
    const expected = known ? known.target : await images.inspect(path);
    const fits = (after !== undefined && sameImage(expected, after)) || sameImage(expected, before);
    byPath.delete(path);
    byPath.set(path, { path, current: known?.current ?? expected, target: before, conflict: (known?.conflict ?? false) || !fits });
  };
  for (const { id } of calls) for await (const part of store.journalParts(id, "backwards")) for (const entry of part) await take(entry);
  // What is put back into a directory changes its time, whatever that is now.
  const isLater = ({ path, current, target }: Restoration) => isDirectoryTime(target) || byPath.has(path) || !isSameMoment(current, target);
  return { contents: [...byPath.values()], times: [...times.values()].filter(isLater) };
}

/** Bytes that only say the same (git's index) are given back as well. */
function isNotYetBack({ current, target }: Restoration): boolean {
  // Attributes are not looked at beforehand: they are given back wherever they were changed.
  if (attributesOf(target) !== undefined) return true;
  return !sameImage(current, target) || (current.kind === "file" && target.kind === "file" && current.hash !== target.hash);
}

/** Its bytes are neither those that the undo found nor those that it gave back. What had to go may show another file behind a link. */
function isRewritten(now: FileImage, asked: Restoration | undefined): boolean {
  if (asked?.target.kind !== "file" || now.kind !== "file") return false;
  const says = (image: FileImage): boolean =>
    image.kind === "file" && (image.hash === now.hash || (image.meaning !== undefined && image.meaning === now.meaning));
  return !says(asked.current) && !says(asked.target);
}

const isDirectoryTime = (image: FileImage): boolean => image.kind === "time" && image.directory === true;

function timeImage(image: FileImage, mtimeNs: string): FileImage {
  return { kind: "time", mtimeNs, ...(image.kind === "directory" || isDirectoryTime(image) ? { directory: true } : {}) };
}

/**
 * What has to go, innermost first, then what has to be there, outermost first: a file may stand where a directory was, and the
 * other way round. What lies in one directory comes together, because each directory is held open while its files change.
 */
function inOrder(changes: readonly Restoration[]): readonly Restoration[] {
  const placed = changes.map((change) => ({ change, directory: dirname(change.path), depth: change.path.split("/").length }));
  type Placed = (typeof placed)[number];
  const goes = ({ change }: Placed): boolean => change.target.kind === "absent";
  const byDirectory = (a: Placed, b: Placed): number => (a.directory < b.directory ? -1 : a.directory > b.directory ? 1 : 0);
  return [
    ...placed.filter(goes).sort((a, b) => b.depth - a.depth || byDirectory(a, b)),
    ...placed.filter((one) => !goes(one)).sort((a, b) => a.depth - b.depth || byDirectory(a, b)),
  ].map(({ change }) => change);
}

/** Undoing an undo brings the calls it took back to life again. */
function marksFor(calls: readonly CallRecord[]): { callId: string; status: OperationStatus }[] {
  return calls.flatMap((call) => {
    const revived = call.tool === toolName ? idsOf(call.input).map((callId) => ({ callId, status: "success" as const })) : [];
    return [{ callId: call.id, status: "rolled_back" as const }, ...revived];
  });
}

function idsOf(input: Json): string[] {
  const ids = (input as { call_ids?: Json } | null)?.call_ids;
  return Array.isArray(ids) ? ids.map(String) : [];
}

function describe(calls: readonly CallRecord[], { contents: changes, times }: Restorations, conflicts: readonly Restoration[]): Report {
  const restored = new Set(changes.map(({ path }) => path));
  const touched = times.filter(({ path, current, target }) => !restored.has(path) && isTouched(target, current));
  const lines = [
    ...changes.map(({ path, current, target }) => `${verb(current, target)} ${shownName(toldPath(path))}`),
    ...touched.map(({ path }) => `set time of ${shownName(path)}`),
  ];
  return {
    text: [
      `Undo ${calls.length} call(s): ${calls.map(({ summary }) => summary).join("; ")}`,
      ...(lines.length > 0 ? lines : ["Nothing to change: the files are already as before."]),
    ].join("\n"),
    data: {
      undone: calls.map(({ id }) => id),
      changes: changes.map(({ path, current, target }) => ({ path: toldPath(path), change: changeOf(current, target) })),
      conflicts: conflicts.map(({ path }) => toldPath(path)),
    },
  };
}

/** An artifact is told by its id; its session is the one that undoes. */
function toldPath(path: string): string {
  const artifact = parseArtifactPath(path);
  return artifact === undefined ? path : `artifact:${artifact.id}`;
}

function changeOf(current: FileImage, target: FileImage): string {
  if (target.kind === "absent") return "deleted";
  if (current.kind === "absent") return "created";
  if (current.kind === "file" && target.kind === "file" && current.hash === target.hash) return "mode";
  return target.kind === "link" ? "link" : "modified";
}

function verb(current: FileImage, target: FileImage): string {
  return (
    { deleted: "remove ", created: "recreate", mode: "set mode of", link: "restore link", modified: "restore" }[
      changeOf(current, target)
    ] ?? "restore"
  );
}

const forceHint = "Look at them first; undo with force overwrites them (and can be undone).";

/** Noticed before the first change. */
function changedSince(conflicts: readonly Restoration[], data: Report["data"]): ToolFailure {
  const paths = conflicts.map(({ path }) => toldPath(path));
  return new ToolFailure("tool_conflict", `${paths.length} file(s) changed after the call: ${paths.map(shownName).join(", ")}.`, {
    hint: forceHint,
    details: { reason: "changed_since", paths },
    data,
  });
}

/** Noticed when their turn came. The calls stay undoable, so that a second undo can give back what is left. */
function changedMeanwhile(kept: readonly Restoration[], { text, data }: Report): ToolFailure {
  const paths = kept.map(({ path }) => toldPath(path));
  const message = `${paths.length} file(s) changed during the undo and were left as they are: ${paths.map(shownName).join(", ")}. The others are back.`;
  return new ToolFailure("tool_conflict", message, {
    hint: forceHint,
    details: { reason: "changed_meanwhile", paths },
    output: text,
    data: { ...data, kept: paths },
  });
}

function notFound(message: string): ToolFailure {
  return new ToolFailure("tool_not_found", message, {
    hint: "`karyi history` lists what was done.",
    details: { reason: "nothing_to_undo" },
  });
}
