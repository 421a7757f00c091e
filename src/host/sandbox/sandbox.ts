/**
 * Captured and confined runs of commands (B6, B7): builds the world of a run, reads what it changed, keeps it by id, commits or
 * drops it, and takes back at the next start what a killed commit began. Starting the command itself is the process room's.
 */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type FileChange,
  hasLayer,
  type Images,
  type JournalEntry,
  type Json,
  type SandboxTier,
  ToolFailure,
  type UndoGuarantee,
} from "../../contract/index.ts";
import type { OwnPlaces } from "../files/resolve.ts";
import { loadChangeSet, loadHeld, type StoredChangeSet, saveChangeSet, saveHeld, setVersion } from "./change-set.ts";
import { commitChanges } from "./commit.ts";
import { readRecord, readRecordHead } from "./commit-record.ts";
import { whyNotBuilt } from "./confinement.ts";
import { describeChanges, type MakeDiff } from "./describe-changes.ts";
import { pathIn } from "./exact-names.ts";
import { endLeftRun } from "./left-runs.ts";
import { isBelow, isWithin } from "./mount-table.ts";
import { readUpper } from "./read-upper.ts";
import { leadsToRoot, makeTemporary, removeSessionPlace, sweepSessionPlaces, temporaryOf } from "./session-place.ts";
import { Shadow, type ShadowLimits, watchesIn } from "./shadow.ts";
import {
  isOwned,
  newRunDirectory,
  own,
  type RunDirectory,
  removeLater,
  removeRun,
  runDirectories,
  runDirectory,
  stateBases,
  sweepUnnamed,
} from "./state-directory.ts";
import { type TakenBack, takeBack } from "./take-back.ts";
import { endTemporaries } from "./temporary-files.ts";
import { type TierOptions, type TierReport, Tiers } from "./tiers.ts";
import { type ConfinedRun, demandPrivateBase, outermost, type RunPlan, real, Worlds } from "./worlds.ts";

export interface SandboxOptions extends TierOptions {
  /** Karyi's home: layers are kept there, and no command sees it. */
  readonly home: string;
  readonly userHome: string;
  readonly images: Images;
  /** Writes before-images to the journal of a call; durable when it resolves. */
  readonly journal?: (callId: string, entries: readonly JournalEntry[]) => Promise<void>;
  /** Keeps other writers out of paths; without it nobody else writes there. */
  readonly locks?: WriteLocks;
  /** Force committed files to disk before a commit counts as done. True unless said otherwise. */
  readonly durable?: boolean;
  readonly makeDiff?: MakeDiff;
  /** How much of a workspace is kept where there is no overlay. */
  readonly shadowLimits?: ShadowLimits;
}

/** Locks by path that every writer of this home respects. */
interface WriteLocks {
  /** For a call under way, until it is settled. */
  extend(callId: string, paths: readonly string[], signal: AbortSignal): Promise<void>;
  /** Until the answer is called. */
  hold(id: string, paths: readonly string[], signal: AbortSignal): Promise<() => Promise<void>>;
}

/** Whether the call of a command was settled before the command ended. */
export type IsLate = () => boolean;
const notLate: IsLate = () => false;
const never = new AbortController().signal;

/** A command that runs unconfined, with what was there before kept aside. */
export interface Watch {
  /** What it changed, journaled under its call. */
  finish(): Promise<{ readonly changes: readonly FileChange[]; readonly undo: UndoGuarantee }>;
  /** The record on disk is needed no more. */
  close(): void;
}

/** A commit that a killed process began. */
export interface RecoveredCommit extends TakenBack {
  /** Of the change set. */
  readonly id: string;
  readonly callId?: string;
}

export interface Recovery {
  /** Calls whose unconfined command a killed process left: what it did until then can be undone. */
  readonly journaled: readonly string[];
  readonly takenBack: readonly RecoveredCommit[];
  /** Roots outside the asked ones where something still has to be recovered. */
  readonly waiting: readonly string[];
  readonly discarded: number;
}

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #tiers: Tiers;
  readonly #worlds: Worlds;
  #shadow: Promise<Shadow> | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#tiers = new Tiers(options.home, options);
    this.#worlds = new Worlds(options, this.#tiers);
  }

  tierReport(): Promise<readonly TierReport[]> {
    return this.#tiers.report();
  }

  /** What holds for commands with these roots. */
  tier(roots: readonly string[] = []): Promise<SandboxTier> {
    return this.#worlds.tier(roots);
  }

  /** For file tools: names in a temporary directory that the session wrote, or that nobody did, are the session's. */
  temporaryOf(session: string, roots: () => readonly string[]): OwnPlaces {
    const { home } = this.#options;
    const directories = temporaryOf(home, session);
    return {
      concerns: (path) => directories.some((one) => isBelow(path, one.path)) && !roots().some((root) => isWithin(path, root)),
      inPlaceOf: async (directory, name) => {
        const own = directories.find(({ path }) => path === directory);
        if (own === undefined || leadsToRoot(join(directory, name), roots())) return undefined;
        if (!hasLayer(await this.tier())) return undefined;
        makeTemporary(home, session);
        return own.at;
      },
      nameOf: (directory) => directories.find(({ at }) => at === directory)?.path,
    };
  }

  /** Where a session's temporary files lie: without namespaces its commands are told this place. */
  temporaryFolder(session: string): string | undefined {
    return makeTemporary(this.#options.home, session)[0]?.at;
  }

  removeSession(session: string): void {
    removeSessionPlace(this.#options.home, session);
  }

  /** Removes what sessions left that are no more; answers how many. */
  sweepSessions(sessions: readonly string[], dryRun: boolean): number {
    return sweepSessionPlaces(this.#options.home, sessions, dryRun);
  }

  /** Fails closed: where the tier does not hold, nothing can be started. */
  begin(plan: RunPlan): Promise<ConfinedRun> {
    return this.#worlds.begin(plan);
  }

  /** For machines without an overlay: keeps what the roots hold, as far as it fits, before an unconfined command runs. */
  async watch(roots: readonly string[], callId: string, isLate: IsLate = notLate): Promise<Watch> {
    this.#shadow ??= this.#newShadow();
    const shadow = await this.#shadow;
    const snapshot = await shadow.take(outermost(roots.map((path) => realpathSync.native(path))), callId);
    return {
      finish: async () => {
        const { journal, changes, undo } = await shadow.compare(snapshot);
        if (journal.length > 0) await this.#options.journal?.(callId, journal);
        if (isLate()) await this.#journalAfter(callId, journal);
        return { changes, undo };
      },
      close: () => shadow.done(snapshot),
    };
  }

  async #newShadow(): Promise<Shadow> {
    const { home } = this.#options;
    const shadow = this.#shadowIn(newRunDirectory(demandPrivateBase(this.#options.home)).path);
    await shadow.sweep(runDirectories(home).flatMap(({ path }) => watchesIn(path).map(({ snapshot }) => snapshot)));
    return shadow;
  }

  #shadowIn(directory: string): Shadow {
    const { home, images, shadowLimits } = this.#options;
    const places = { records: directory, store: join(dirname(directory), "shadow"), hidden: [home, ...stateBases(home)] };
    return new Shadow(places, images, shadowLimits);
  }

  /** Throws when the world could not be built; the command did not start then. */
  confirm(run: ConfinedRun, report: string): void {
    const why = whyNotBuilt(report);
    if (why === undefined) return;
    removeRun(run.directory.path);
    throw new ToolFailure("tool_error", `The sandbox could not be built, so the command did not run. ${why}`, {
      hint: "`karyi doctor` shows what holds on this machine.",
      details: { reason: "sandbox_failed" },
      unchanged: true,
    });
  }

  /** What the command changed, kept on disk until it is committed or dropped. */
  async collect(run: ConfinedRun, command: string, cwd: string): Promise<StoredChangeSet> {
    try {
      const roots = await Promise.all(run.layers.map(({ root, upper }) => readUpper(root, upper, run.since)));
      const set: StoredChangeSet = {
        version: setVersion,
        id: run.directory.id,
        tier: run.tier,
        command,
        cwd,
        createdAt: Date.now(),
        roots,
        changes: describeChanges(roots, this.#options.makeDiff),
        ...touchedOf(roots),
        ...leftOutOf(roots),
        ...uncoveredOf(roots),
        ...endTemporaries(run.temporaries),
      };
      return set;
    } catch (error) {
      removeRun(run.directory.path);
      throw new ToolFailure(
        "tool_error",
        `What the command changed could not be read, so nothing was changed: ${(error as Error).message}`,
        {
          details: { reason: "capture_unreadable" },
          unchanged: true,
          cause: error,
        },
      );
    }
  }

  /** Applies the set and drops it. A refusal changes nothing and keeps it, so that it can be looked at. */
  async commit(set: StoredChangeSet, callId?: string, isLate: IsLate = notLate): Promise<void> {
    const run = this.#find(set.id);
    const { images, journal, durable = true, locks } = this.#options;
    if (isEmpty(set)) return removeRun(run.path);
    own(run.path);
    let unlock = async (): Promise<void> => {};
    try {
      await commitChanges(run.path, set.roots, {
        images,
        durable,
        ...(callId === undefined ? {} : { callId }),
        lock: async (paths) => {
          // The settlement of a call frees its locks, and this one may be settled already.
          if (callId !== undefined && !isLate()) await locks?.extend(callId, paths, never);
          else unlock = (await locks?.hold(`commit:${set.id}`, paths, never)) ?? unlock;
        },
        journal: async (entries) => {
          if (callId !== undefined) await journal?.(callId, entries);
        },
      });
    } catch (error) {
      saveChangeSet(run.path, set);
      if (!(error instanceof ToolFailure)) throw error;
      throw new ToolFailure(error.code, error.message, {
        ...(error.hint === undefined ? {} : { hint: error.hint }),
        details: { ...error.details, change_set: set.id },
        unchanged: error.unchanged,
        cause: error,
      });
    } finally {
      await unlock();
    }
    removeLater(run.path, set.changes.length);
  }

  /** A call that was settled before its command ended does not know what became of the paths: undo would take it for later edits. */
  async #journalAfter(callId: string, entries: readonly JournalEntry[]): Promise<void> {
    const { images, journal } = this.#options;
    const known: JournalEntry[] = [];
    for (const entry of entries) {
      const { path, before } = entry;
      known.push({ ...entry, after: before.kind === "time" ? await images.time(path) : await images.inspect(path) });
    }
    if (known.length > 0) await journal?.(callId, known);
  }

  /** Keeps a rehearsed set for later, also for other processes. */
  keep(set: StoredChangeSet): void {
    saveChangeSet(this.#find(set.id).path, set);
  }

  kept(): readonly StoredChangeSet[] {
    return runDirectories(this.#options.home)
      .flatMap(({ path }) => loadChangeSet(path) ?? [])
      .sort((a, b) => b.createdAt - a.createdAt);
  }

  load(id: string): StoredChangeSet {
    const set = loadChangeSet(this.#find(id).path);
    if (set === undefined) throw notFound(id);
    return set;
  }

  /** Beside a kept set, and gone with it. */
  hold(id: string, what: Json): void {
    saveHeld(this.#find(id).path, what);
  }

  held(id: string): Json | undefined {
    const run = runDirectory(this.#options.home, id);
    return run === undefined ? undefined : loadHeld(run.path);
  }

  /** Kept sets from before this moment, but for those that somebody still waits for; answers how many. */
  forget(before: number, dryRun: boolean, awaited: ReadonlySet<string> = new Set()): number {
    const old = this.kept().filter(({ id, createdAt }) => createdAt < before && !awaited.has(id));
    if (!dryRun) for (const { id } of old) this.discard(id);
    return old.length;
  }

  discard(id: string): void {
    removeRun(this.#find(id).path);
  }

  /** Ends a run of which nothing is to be kept. */
  drop(run: ConfinedRun): void {
    removeRun(run.directory.path);
  }

  /**
   * At start: commits that were killed are taken back, layers of dead processes removed; kept sets stay. With `roots`, files of
   * other roots are not touched; those that wait for it are named.
   */
  async recoverChangeSets(roots?: readonly string[]): Promise<Recovery> {
    const takenBack: RecoveredCommit[] = [];
    const journaled: string[] = [];
    const waiting = new Set<string>();
    let discarded = 0;
    sweepUnnamed(this.#options.home);
    for (const run of runDirectories(this.#options.home)) {
      if (isOwned(run)) continue;
      const elsewhere = unfinishedRoots(run.path).filter((root) => roots !== undefined && !roots.some((mine) => isRelated(root, mine)));
      if (elsewhere.length > 0) {
        for (const root of elsewhere) waiting.add(root);
        continue;
      }
      const unlock = await this.#hold(`recover:${run.id}`, [run.path]);
      if (unlock === undefined) {
        for (const root of unfinishedRoots(run.path)) waiting.add(root);
        continue;
      }
      try {
        // Another process may have been here while this one waited.
        if (isOwned(run) || runDirectory(this.#options.home, run.id) === undefined) continue;
        endLeftRun(run.path);
        journaled.push(...(await this.#takeUp(run.path)));
        const recovered = await this.#recoverCommit(run);
        if (recovered === "locked") {
          for (const root of unfinishedRoots(run.path)) waiting.add(root);
          continue;
        }
        if (recovered !== undefined) takenBack.push(recovered);
        else if (loadChangeSet(run.path) !== undefined) continue;
        removeRun(run.path);
        discarded += 1;
      } finally {
        await unlock();
      }
    }
    return { takenBack, journaled, waiting: [...waiting], discarded };
  }

  /** `undefined` if somebody keeps one of them locked: a start does not fail for that. */
  async #hold(id: string, paths: readonly string[]): Promise<(() => Promise<void>) | undefined> {
    try {
      return (await this.#options.locks?.hold(id, paths, never)) ?? (async () => {});
    } catch (error) {
      if (error instanceof ToolFailure && error.details?.reason === "locked") return undefined;
      throw error;
    }
  }

  async #recoverCommit(run: RunDirectory): Promise<RecoveredCommit | "locked" | undefined> {
    const record = readRecord(run.path);
    if (record === undefined) return undefined;
    const { steps, callId } = record;
    const paths = steps.filter(({ before }) => before.kind !== "time").map(({ path }) => path);
    const unlock = await this.#hold(`recover:${run.id}:files`, paths);
    if (unlock === undefined) return "locked";
    try {
      const outcome = await takeBack(steps, this.#options.images);
      return { id: run.id, ...(callId === undefined ? {} : { callId }), ...outcome };
    } finally {
      await unlock();
    }
  }

  async #takeUp(directory: string): Promise<readonly string[]> {
    const watches = watchesIn(directory);
    for (const { callId, snapshot } of watches) {
      const { journal } = await this.#shadowIn(directory).compare(snapshot);
      if (journal.length > 0) await this.#options.journal?.(callId, journal);
    }
    return watches.map(({ callId }) => callId);
  }

  #find(id: string): RunDirectory {
    const run = runDirectory(this.#options.home, id);
    if (run === undefined) throw notFound(id);
    return run;
  }
}

export function createSandbox(options: SandboxOptions): Sandbox {
  return new Sandbox({ ...options, home: real(options.home), userHome: real(options.userHome) });
}

/** Roots in which a dead process left a commit half done, or a command that was watched. */
function unfinishedRoots(run: string): readonly string[] {
  return [...(readRecordHead(run)?.roots ?? []), ...watchesIn(run).flatMap(({ snapshot }) => snapshot.roots)];
}

function isRelated(root: string, other: string): boolean {
  return isWithin(root, other) || isWithin(other, root);
}

function leftOutOf(roots: StoredChangeSet["roots"]): Pick<StoredChangeSet, "leftOut"> {
  const leftOut = roots.flatMap(({ root, leftOut }) => leftOut.map((path) => pathIn(root, path)));
  return leftOut.length === 0 ? {} : { leftOut };
}

/** Of a socket or device nothing but the name could be kept. */
function uncoveredOf(roots: StoredChangeSet["roots"]): Pick<StoredChangeSet, "uncovered"> {
  const uncovered = roots.flatMap(({ root, operations }) =>
    operations.flatMap(({ path, seen }) => (seen !== undefined && unkept.has(seen.mode & 0o170000) ? [pathIn(root, path)] : [])),
  );
  return uncovered.length === 0 ? {} : { uncovered };
}

/** Socket, block device, character device. */
const unkept = new Set([0o140000, 0o060000, 0o020000]);

/** Git writes its own files anew without meaning anything by it. */
function touchedOf(roots: StoredChangeSet["roots"]): Pick<StoredChangeSet, "touched"> {
  const touched = roots.flatMap(({ root, operations }) =>
    operations.flatMap((one) => (one.kind === "times" && !one.directory && !isGits(one.path) ? [pathIn(root, one.path)] : [])),
  );
  return touched.length === 0 ? {} : { touched };
}

function isGits(path: string): boolean {
  return path.split("/").includes(".git");
}

/** Nothing was changed, by the command or under its hands. */
function isEmpty({ roots }: StoredChangeSet): boolean {
  return roots.every(({ operations, conflicts }) => operations.length === 0 && conflicts.length === 0);
}

function notFound(id: string): ToolFailure {
  return new ToolFailure("tool_not_found", `There is no kept dry run '${id}'; it was applied or dropped, or never was.`, {
    hint: "A dry run of a command with --keep prints its id: karyi call Bash JSON --dry-run --keep",
    details: { reason: "no_change_set", id },
  });
}
