/**
 * Takes calls back (C11): one call, the last n, or a whole message, in reverse order. Shows what it
 * will change, refuses to clobber later edits unless forced, and is itself a journaled operation
 * that can be undone. Independent of git.
 */
import {
  type CallRecord,
  type FileImage,
  type Images,
  type JournalEntry,
  type Json,
  type OperationStatus,
  type Result,
  type Store,
  shownName,
  ToolFailure,
} from "../contract/index.ts";
import { captureAfter, isSameMoment, isTouched, sameImage, timeOf } from "./before-images.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { EventFeed } from "./event-feed.ts";
import type { PathLocks } from "./path-locks.ts";
import { failureResult, type ResultContext, resultOf } from "./result.ts";
import type { Session } from "./session.ts";

export type UndoTarget = { readonly callId: string } | { readonly last: number } | { readonly messageId: string };

export interface UndoOptions {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  /** Ends an undo that waits or looks. One that has begun to restore is finished: half an undo helps nobody. */
  readonly signal?: AbortSignal;
}

const toolName = "Undo";

/** One path and the image it gets back. */
interface Restoration {
  readonly path: string;
  readonly current: FileImage;
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
   * An undo that a dead process left half done is done to its end. Answers false, and touches nothing, where somebody
   * has changed a file since: then its outcome is for a person to look at.
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
    if (calls.length === 0 || !left.every(untouched)) return false;
    for (const { path, target } of [...inOrder(left), ...times]) await images.restore(path, target);
    const { text, data } = describe(calls, { contents: restorations, times }, []);
    const context = this.#context(call.id, call.sessionId);
    const result = await resultOf({ output: `Finished after a restart.\n${text}`, data }, journal.length > 0, context);
    this.#feed.publish(
      await store.settleCall({
        callId: call.id,
        sessionId: call.sessionId,
        status: "success",
        result,
        events: [
          { type: "tool_result", callId: call.id, body: { tool: toolName, status: result.status, output: result.output.slice(0, 4096) } },
        ],
        patch: { seen: Object.fromEntries(restorations.map(({ path }) => [path, null])) },
        after: await captureAfter(journal, images),
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
      throw new ToolFailure(
        "tool_conflict",
        `${conflicts.length} file(s) changed after the call: ${conflicts.map(({ path }) => shownName(path)).join(", ")}.`,
        {
          hint: "Look at them first; undo with force overwrites them (and can be undone).",
          details: { reason: "changed_since", paths: conflicts.map(({ path }) => path) },
          data: report.data,
        },
      );
    }
    if (options.signal?.aborted) throw new ToolFailure("cancelled", "The undo was cancelled before it changed anything.");
    if (options.dryRun) return resultOf({ output: `Would do:\n${report.text}`, data: report.data }, false, context, "planned");
    return this.#apply(session, calls, changes, report, context);
  }

  async #apply(
    session: Session,
    calls: readonly CallRecord[],
    { contents, times }: Restorations,
    report: { text: string; data: { [key: string]: Json } },
    context: ResultContext,
  ): Promise<Result> {
    const { store, images, now, durable } = this.#dependencies;
    const { callId } = context;
    // Capturing keeps the bytes of now, which is what makes an undo undoable.
    const journal: JournalEntry[] = [];
    for (const { path } of contents) journal.push({ path, before: await images.capture(path) });
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
    let failed: unknown;
    try {
      for (const { path, target } of [...inOrder(contents), ...times]) await images.restore(path, target);
    } catch (error) {
      failed = error;
    }
    const after = await captureAfter(journal, images);
    const result = failed
      ? await failureResult(failed, journal.length > 0, context)
      : await resultOf({ output: report.text, data: report.data }, journal.length > 0, context);
    const seen = Object.fromEntries(contents.map(({ path }) => [path, null]));
    const events = await store.settleCall({
      callId,
      sessionId: session.record.id,
      status: failed ? "failed" : "success",
      result,
      events: [
        {
          type: "tool_result",
          callId,
          body: { tool: toolName, status: result.status, output: result.output.slice(0, 4096), undoable: result.undoable },
        },
      ],
      patch: { seen },
      after,
      ...(failed ? {} : { mark: marksFor(calls) }),
      durable,
    });
    session.open.apply({ seen });
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

  async #pathsOf(calls: readonly CallRecord[]): Promise<string[]> {
    const journals = await Promise.all(calls.map(({ id }) => this.#dependencies.store.journal(id)));
    const paths = journals.flat().map(({ path }) => path);
    if (paths.length === 0) throw notFound(`Nothing that ${calls.map(({ summary }) => summary).join(", ")} did can be undone.`);
    return paths;
  }
}

/** Walks the journals backwards; a path touched by several calls gets the oldest image, and each step must meet what the later call left. */
async function planRestorations(calls: readonly CallRecord[], store: Pick<Store, "journal">, images: Images): Promise<Restorations> {
  const byPath = new Map<string, Restoration>();
  const times = new Map<string, Restoration>();
  for (const call of calls) {
    for (const { path, before, after } of [...(await store.journal(call.id))].reverse()) {
      const known = byPath.get(path);
      const moment = times.get(path)?.target ?? known?.target ?? (await images.time(path));
      const mtimeNs = timeOf(before);
      // Somebody else's change since keeps its own time.
      const isLeft = after !== undefined && isSameMoment(moment, after);
      if (mtimeNs !== undefined && (isLeft || before.kind === "directory")) {
        const target = timeImage(before, mtimeNs);
        times.set(path, { path, current: times.get(path)?.current ?? (await images.time(path)), target, conflict: false });
      }
      if (before.kind === "time") continue;
      const expected = known ? known.target : await images.inspect(path);
      const fits = (after !== undefined && sameImage(expected, after)) || sameImage(expected, before);
      byPath.delete(path);
      byPath.set(path, { path, current: known?.current ?? expected, target: before, conflict: (known?.conflict ?? false) || !fits });
    }
  }
  // What is put back into a directory changes its time, whatever that is now.
  const isLater = ({ path, current, target }: Restoration) => isDirectoryTime(target) || byPath.has(path) || !isSameMoment(current, target);
  return { contents: [...byPath.values()], times: [...times.values()].filter(isLater) };
}

/** Bytes that only say the same (git's index) are given back as well. */
function isNotYetBack({ current, target }: Restoration): boolean {
  return !sameImage(current, target) || (current.kind === "file" && target.kind === "file" && current.hash !== target.hash);
}

const isDirectoryTime = (image: FileImage): boolean => image.kind === "time" && image.directory === true;

function timeImage(image: FileImage, mtimeNs: string): FileImage {
  return { kind: "time", mtimeNs, ...(image.kind === "directory" || isDirectoryTime(image) ? { directory: true } : {}) };
}

/** What has to go, innermost first, then what has to be there, outermost first: a file may stand where a directory was, and the other way round. */
function inOrder(changes: readonly Restoration[]): readonly Restoration[] {
  const goes = ({ target }: Restoration): boolean => target.kind === "absent";
  const depth = ({ path }: Restoration): number => path.length;
  return [
    ...changes.filter(goes).sort((a, b) => depth(b) - depth(a)),
    ...changes.filter((one) => !goes(one)).sort((a, b) => depth(a) - depth(b)),
  ];
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

function describe(
  calls: readonly CallRecord[],
  { contents: changes, times }: Restorations,
  conflicts: readonly Restoration[],
): { text: string; data: { [key: string]: Json } } {
  const restored = new Set(changes.map(({ path }) => path));
  const touched = times.filter(({ path, current, target }) => !restored.has(path) && isTouched(target, current));
  const lines = [
    ...changes.map(({ path, current, target }) => `${verb(current, target)} ${shownName(path)}`),
    ...touched.map(({ path }) => `set time of ${shownName(path)}`),
  ];
  return {
    text: [
      `Undo ${calls.length} call(s): ${calls.map(({ summary }) => summary).join("; ")}`,
      ...(lines.length > 0 ? lines : ["Nothing to change: the files are already as before."]),
    ].join("\n"),
    data: {
      undone: calls.map(({ id }) => id),
      changes: changes.map(({ path, current, target }) => ({ path, change: changeOf(current, target) })),
      conflicts: conflicts.map(({ path }) => path),
    },
  };
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

function notFound(message: string): ToolFailure {
  return new ToolFailure("tool_not_found", message, {
    hint: "`karyi history` lists what was done.",
    details: { reason: "nothing_to_undo" },
  });
}
