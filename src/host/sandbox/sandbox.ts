/**
 * Captured and confined runs of commands (B6, B7): builds the world of a run, reads what it changed, keeps it by id, commits or
 * drops it, and takes back at the next start what a killed commit began. Starting the command itself is the process room's.
 */
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type FileChange,
  type Images,
  type JournalEntry,
  type NetworkAccess,
  type SandboxTier,
  ToolFailure,
  type UndoGuarantee,
} from "../../contract/index.ts";
import { loadChangeSet, type StoredChangeSet, saveChangeSet, setVersion, unfinishedCommit } from "./change-set.ts";
import { commitChanges, rollBack } from "./commit.ts";
import { whyNotBuilt } from "./confinement.ts";
import { describeChanges, type MakeDiff } from "./describe-changes.ts";
import { type Hides, hiddenWithin } from "./hidden-within.ts";
import { canHide, landlockWorld } from "./landlock-world.ts";
import { endLeftRun } from "./left-runs.ts";
import { isBelow } from "./mount-table.ts";
import { readUpper } from "./read-upper.ts";
import { Shadow, type ShadowLimits, watchesIn } from "./shadow.ts";
import {
  isOwned,
  newLayer,
  newRunDirectory,
  own,
  privateBase,
  type RunDirectory,
  removeRun,
  runDirectories,
  runDirectory,
  stateBase,
  stateBases,
} from "./state-directory.ts";
import { type Purpose, surroundings } from "./surroundings.ts";
import { endTemporaries, newTemporaries, type OwnTemporary } from "./temporary-files.ts";
import { buildWorld, type TierOptions, type TierReport, Tiers } from "./tiers.ts";

export interface SandboxOptions extends TierOptions {
  /** Karyi's home: layers are kept there, and no command sees it. */
  readonly home: string;
  readonly userHome: string;
  readonly images: Images;
  /** Writes before-images to the journal of a call; durable when it resolves. */
  readonly journal?: (callId: string, entries: readonly JournalEntry[]) => Promise<void>;
  readonly makeDiff?: MakeDiff;
  /** How much of a workspace is kept where there is no overlay. */
  readonly shadowLimits?: ShadowLimits;
}

export interface RunPlan {
  readonly purpose: Purpose;
  readonly network: NetworkAccess;
  /** The workspace and further roots; absolute. */
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly hides?: Hides;
}

/** Whether the call of a command was settled before the command ended. */
export type IsLate = () => boolean;
const notLate: IsLate = () => false;

/** A world that waits for its command. */
export interface ConfinedRun {
  readonly tier: SandboxTier;
  /** What stands before `bash -c COMMAND`. */
  readonly prefix: readonly string[];
  readonly directory: RunDirectory;
  readonly layers: readonly { readonly root: string; readonly upper: string }[];
  readonly temporaries: readonly OwnTemporary[];
  /** Files and directories of the roots that it cannot read. */
  readonly concealed: readonly string[];
  /** Nothing was touched before this moment. */
  readonly since: number;
}

/** A command that runs unconfined, with what was there before kept aside. */
export interface Watch {
  /** What it changed, journaled under its call. */
  finish(): Promise<{ readonly changes: readonly FileChange[]; readonly undo: UndoGuarantee }>;
  /** The record on disk is needed no more. */
  close(): void;
}

export interface Recovery {
  /** Calls whose unconfined command a killed process left: what it did until then can be undone. */
  readonly journaled: readonly string[];
  /** Commits that a killed process began, by change set; `failed` paths could not be given back. */
  readonly rolledBack: readonly { readonly id: string; readonly failed: readonly string[] }[];
  readonly discarded: number;
}

export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #tiers: Tiers;
  #shadow: Promise<Shadow> | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#tiers = new Tiers(options.home, options);
  }

  tierReport(): Promise<readonly TierReport[]> {
    return this.#tiers.report();
  }

  /** What holds for commands with these roots. */
  async tier(roots: readonly string[] = []): Promise<SandboxTier> {
    const tier = await this.#tiers.best();
    if (tier !== "E4") return tier;
    return canHide(this.#surroundings("run", "on", roots).hidden, roots.map(real)) ? tier : "E5";
  }

  /** Fails closed: where the tier does not hold, nothing can be started. */
  async begin(plan: RunPlan): Promise<ConfinedRun> {
    const { home, bubblewrap } = this.#options;
    const way = await this.#tiers.way();
    const roots = outermost(plan.roots.map((path) => realpathSync.native(path)));
    if (way === undefined && plan.purpose !== "rehearse" && (await this.#tiers.landlock())) return this.#confine(plan, roots);
    const base = stateBase(home, roots);
    if (way === undefined || base === undefined) throw noOverlay();
    const directory = newRunDirectory(base);
    try {
      const layered = plan.purpose !== "serve";
      const captured = roots.map((path, index) => (layered ? { path, layer: newLayer(directory.path, index, path) } : { path }));
      const since = lstatSync(directory.path).ctimeMs;
      const { temporary, emptied, hidden, ...around } = this.#surroundings(plan.purpose, plan.network, roots);
      const temporaries = newTemporaries(directory.path, temporary);
      const concealed = plan.hides === undefined ? [] : hiddenWithin(roots, plan.hides);
      const prefix = buildWorld(way.tier)({
        standing: way.standing,
        stage: directory.path,
        roots: captured,
        network: plan.network,
        cwd: plan.cwd,
        ...(bubblewrap === undefined ? {} : { bubblewrap }),
        ...around,
        emptied: [...emptied, ...temporaries],
        hidden: [...hidden, ...concealed],
      });
      const layers = captured.flatMap(({ path, layer }) => (layer === undefined ? [] : [{ root: path, upper: layer.upper }]));
      return { tier: layered ? way.tier : "E3", prefix, directory, layers, temporaries, concealed, since };
    } catch (error) {
      removeRun(directory.path);
      throw error;
    }
  }

  #surroundings(purpose: Purpose, network: NetworkAccess, roots: readonly string[]): ReturnType<typeof surroundings> {
    const { home, userHome } = this.#options;
    return surroundings({ home, userHome, purpose, network, roots });
  }

  /** Without namespaces: confined, but nothing is captured. */
  #confine({ purpose, network, cwd }: RunPlan, roots: readonly string[]): ConfinedRun {
    const directory = newRunDirectory(this.#privateBase());
    try {
      const prefix = landlockWorld({
        standing: "user",
        stage: directory.path,
        roots: roots.map((path) => ({ path })),
        network,
        cwd,
        ...this.#surroundings(purpose, network, roots),
      });
      return { tier: "E4", prefix, directory, layers: [], temporaries: [], concealed: [], since: lstatSync(directory.path).ctimeMs };
    } catch (error) {
      removeRun(directory.path);
      throw new ToolFailure("tool_disabled", `The command cannot be confined here: ${(error as Error).message}.`, {
        hint: "`karyi doctor` shows what holds on this machine and what to install for more.",
        details: { reason: "sandbox_failed" },
        cause: error,
      });
    }
  }

  #privateBase(): string {
    const base = privateBase(this.#options.home);
    if (base !== undefined) return base;
    throw new ToolFailure("tool_error", "There is no private directory for the sandbox of a command.", { details: { reason: "no_place" } });
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
    const shadow = this.#shadowIn(newRunDirectory(this.#privateBase()).path);
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
        ...leftOutOf(roots),
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
    const { images, journal } = this.#options;
    if (isEmpty(set)) return removeRun(run.path);
    own(run.path);
    let journaled: readonly JournalEntry[] = [];
    try {
      await commitChanges(run.path, set.roots, {
        images,
        journal: async (entries) => {
          journaled = entries;
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
    }
    removeRun(run.path);
    if (callId !== undefined && isLate()) await this.#journalAfter(callId, journaled);
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

  /** Kept sets from before this moment; answers how many. */
  forget(before: number, dryRun: boolean): number {
    const old = this.kept().filter(({ createdAt }) => createdAt < before);
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

  /** At start: commits that were killed are taken back, layers of dead processes removed; kept sets stay. */
  async recoverChangeSets(): Promise<Recovery> {
    const rolledBack: { id: string; failed: readonly string[] }[] = [];
    const journaled: string[] = [];
    let discarded = 0;
    for (const run of runDirectories(this.#options.home)) {
      if (isOwned(run)) continue;
      endLeftRun(run.path);
      journaled.push(...(await this.#takeUp(run.path)));
      const journal = unfinishedCommit(run.path);
      if (journal !== undefined) {
        const failed = await rollBack(journal, this.#options.images);
        rolledBack.push({ id: run.id, failed });
      } else if (loadChangeSet(run.path) !== undefined) continue;
      removeRun(run.path);
      discarded += 1;
    }
    return { rolledBack, journaled, discarded };
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

function leftOutOf(roots: StoredChangeSet["roots"]): Pick<StoredChangeSet, "leftOut"> {
  const leftOut = roots.flatMap(({ root, leftOut }) => leftOut.map((path) => join(root, path)));
  return leftOut.length === 0 ? {} : { leftOut };
}

/** Nothing was changed, by the command or under its hands. */
function isEmpty({ roots }: StoredChangeSet): boolean {
  return roots.every(({ operations, conflicts }) => operations.length === 0 && conflicts.length === 0);
}

/** A root within another is part of it. */
function outermost(roots: readonly string[]): readonly string[] {
  return [...new Set(roots)].filter((path) => !roots.some((other) => isBelow(path, other)));
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function noOverlay(): ToolFailure {
  return new ToolFailure("tool_disabled", "A dry run of a command needs an overlay, which this machine does not offer.", {
    hint: "It needs Linux with user namespaces and the programs unshare, mount, setpriv (util-linux) and tar; `karyi doctor` shows what is missing.",
    details: { reason: "no_overlay" },
  });
}

function notFound(id: string): ToolFailure {
  return new ToolFailure("tool_not_found", `There is no kept dry run '${id}'; it was applied or dropped, or never was.`, {
    hint: "A dry run of a command with --keep prints its id: karyi call Bash JSON --dry-run --keep",
    details: { reason: "no_change_set", id },
  });
}
