/**
 * Plans the world of a command: which tier builds it, what of the roots is a layer, what is private, shown or hidden. Refuses where
 * no tier holds. The world itself is built by the tier (`keeper-world.ts`, `mount-world.ts`, `bubblewrap-world.ts`, `landlock-world.ts`).
 */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type NetworkAccess, type Purpose, type SandboxTier, ToolFailure, type Touched } from "../../contract/index.ts";
import { gitDirectoriesOf } from "../git-directories.ts";
import { bareOf, isShown, touchedBeside } from "./bare-world.ts";
import type { ConfinedRoot, Confinement } from "./confinement.ts";
import { type EtcView, etcView } from "./etc-view.ts";
import { HiddenIndex, type Hides } from "./hidden-index.ts";
import { makeCaches } from "./home-caches.ts";
import type { KeptWorld } from "./keeper-order.ts";
import { keptWorld } from "./keeper-world.ts";
import { canHide, landlockWorld } from "./landlock-world.ts";
import { isBelow, isWithin, mountsBelow, readMounts } from "./mount-table.ts";
import { type SessionCaches, sessionCaches } from "./session-caches.ts";
import { makeTemporary, type OwnDirectory, temporaryNames } from "./session-place.ts";
import { newLayer, newRunDirectory, privateBase, type RunDirectory, removeRun, stateBase, stateBases } from "./state-directory.ts";
import { surroundings } from "./surroundings.ts";
import { newTemporaries, type OwnTemporary } from "./temporary-files.ts";
import { buildWorld, type CapturingTier, type Tiers, type Way } from "./tiers.ts";

export interface RunPlan {
  readonly purpose: Purpose;
  readonly network: NetworkAccess;
  /** The workspace and further roots; absolute. */
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly hides?: Hides;
  /** Paths that were judged: they are there, whatever hides others of their kind. */
  readonly shown?: readonly string[];
  /** Whose temporary directories, caches and loopback it has; without one it has the machine's, or its own. */
  readonly session?: string;
  /** Nobody was asked about the command: nothing of the machine is there but what it needs. */
  readonly unasked?: boolean;
  /** Nothing of the machine is there though it is not for want of somebody to ask. */
  readonly bare?: boolean;
  /** All that it touches, if that is known: nothing else of the machine is there if these can be shown alone. */
  readonly touches?: readonly Touched[];
  /** Where its programs are looked for. */
  readonly path?: string;
  /** It is talked to by streams of its starter's, so no keeper can start it. */
  readonly isPiped?: boolean;
  /** Shown beside the rest though nobody is asked. */
  readonly visible?: readonly string[];
}

/** A world that waits for its command. */
export interface ConfinedRun {
  readonly tier: SandboxTier;
  /** What stands before `bash -c COMMAND`. */
  readonly prefix: readonly string[];
  /** Where a keeper makes it, and nothing stands before the command. */
  readonly world?: KeptWorld;
  readonly directory: RunDirectory;
  readonly layers: readonly { readonly root: string; readonly upper: string }[];
  readonly temporaries: readonly OwnTemporary[];
  /** Where the session keeps its temporary files, if the command can write there. */
  readonly sessionPlaces?: readonly string[];
  /** Files and directories of the roots that it cannot read. */
  readonly concealed: readonly string[];
  /** Nothing was touched before this moment. */
  readonly since: number;
  /** Nobody is reached from it. */
  readonly isOffline: boolean;
  /** What the command needs to know of its world. */
  readonly environment?: Readonly<Record<string, string>>;
  /** To be called when the command ended. */
  ended?(): void;
  /** True for a path of the machine that is not there in this world; absent where everything is. */
  readonly lacks?: (path: string) => boolean;
}

export interface WorldPlaces {
  /** Karyi's home: layers are kept there, and no command sees it. */
  readonly home: string;
  readonly userHome: string;
  /** Another bubblewrap than the system's. */
  readonly bubblewrap?: string;
}

export class Worlds {
  readonly #places: WorldPlaces;
  readonly #tiers: Tiers;
  readonly #index = new HiddenIndex();
  readonly #caches = new Map<string, SessionCaches>();
  readonly #etc = new Map<string, EtcView>();

  constructor(places: WorldPlaces, tiers: Tiers) {
    this.#places = places;
    this.#tiers = tiers;
  }

  async tier(roots: readonly string[]): Promise<SandboxTier> {
    const tier = await this.#tiers.best(fitFor(roots.map(real)));
    if (tier !== "E4") return tier;
    return canHide(this.#surroundings("capture", "on", roots).hidden, roots.map(real)) ? tier : "E5";
  }

  async begin(plan: RunPlan): Promise<ConfinedRun> {
    const { purpose, unasked = false, path = "" } = plan;
    // Whoever approved a command approved what it fetches.
    const writesCaches = (purpose === "capture" || purpose === "serve") && !unasked;
    if (!writesCaches) return this.#begin(plan);
    const ended = makeCaches(this.#places.userHome, path);
    try {
      return { ...(await this.#begin(plan)), ended };
    } catch (error) {
      ended();
      throw error;
    }
  }

  async #begin(plan: RunPlan): Promise<ConfinedRun> {
    const { home } = this.#places;
    const roots = outermost(plan.roots.map((path) => realpathSync.native(path)));
    const fits = fitFor(roots);
    const way = await this.#tiers.way((tier) => fits(tier) && !(plan.isPiped === true && tier === "E0"));
    if (way === undefined && plan.purpose !== "rehearse" && (await this.#tiers.landlock())) return this.#confine(plan, roots);
    const git = gitDirectoriesOf(roots, this.#places.userHome);
    const base = stateBase(home, [...roots, ...git]);
    if (way === undefined || base === undefined) throw noOverlay();
    const directory = newRunDirectory(base);
    try {
      return this.#build(plan, roots, git, way, directory);
    } catch (error) {
      removeRun(directory.path);
      throw error;
    }
  }

  #build(plan: RunPlan, given: readonly string[], git: readonly string[], way: Way, directory: RunDirectory): ConfinedRun {
    const { bubblewrap, userHome, home } = this.#places;
    const { purpose, network, cwd, session } = plan;
    // What git writes on a command's account is captured with it.
    const roots = outermost([...given, ...git]);
    const tops = git.filter((path) => basename(path) === ".git").map((path) => dirname(path));
    const holding = tops.filter((top) => given.some((root) => isBelow(root, top)));
    const named = this.#named(plan, [...given, ...holding]);
    const isPoor = purpose === "rehearse" || plan.unasked === true || plan.bare === true;
    const touches = isPoor || way.tier !== "E0" ? undefined : plan.touches;
    const isBare = way.tier === "E0" && (isPoor || touches !== undefined);
    const caches = session === undefined || way.tier !== "E0" ? undefined : this.#cachesOf(session, directory);
    const etc = way.tier === "E0" ? this.#etcIn(dirname(directory.path)) : undefined;
    const path = plan.path ?? "";
    // A home, and the tools in it, may lie below a temporary directory too: what they need is there all the same.
    const inTemporary = (place: string) => session !== undefined && temporaryNames.some((name) => isBelow(place, name));
    // What is understood names the files it works with, so it keeps none in a cache.
    const views = touches === undefined ? (caches?.views ?? []) : [];
    const barePlan = etc && { userHome, roots, path, caches: views, etc, visible: [...(plan.visible ?? []), ...holding] };
    const needed = barePlan && (isBare || [userHome, ...path.split(":")].some(inTemporary)) ? bareOf(barePlan) : undefined;
    const beside =
      needed &&
      touches &&
      touchedBeside(
        touches.filter(({ real }) => !isWithin(real, home)),
        needed,
        roots,
      );
    const isEnough = touches === undefined || beside !== undefined;
    const showing = barePlan && beside?.length ? bareOf({ ...barePlan, visible: [...barePlan.visible, ...beside] }) : needed;
    const bare = isBare && isEnough ? showing : undefined;
    const tools = needed?.shown.filter(inTemporary) ?? [];
    const shownCaches = bare?.caches.map((cache) => cache.path) ?? [];
    const own = session === undefined ? [] : makeTemporary(home, session, [...roots, ...tools, ...shownCaches]);
    const { temporary, emptied, hidden, kept, ...around } = this.#surroundings(purpose, network, roots, own);
    const { closed, opened, shown } = this.#judged(plan, [...hidden, ...named], way);
    const concealed = named.filter((path) => closed.includes(path) || opened.includes(path));
    const confinedRoots = roots.map((path, index) =>
      confinedRoot({ path, index, run: directory.path, purpose, tier: way.tier, concealed }),
    );
    const since = lstatSync(directory.path).ctimeMs;
    const temporaries = newTemporaries(directory.path, temporary);
    const confinement: Confinement = {
      standing: way.standing,
      stage: directory.path,
      roots: confinedRoots,
      purpose,
      network,
      cwd,
      ...(bubblewrap === undefined ? {} : { bubblewrap }),
      ...around,
      emptied: [...emptied, ...temporaries, ...opened.map((path) => ({ path }))],
      ...(bare === undefined ? {} : { bare, writable: [] }),
      prepared: [...(etc?.steps ?? []), ...(caches?.steps ?? [])],
      ...(plan.unasked === true && purpose !== "rehearse" && session !== undefined ? { shareNetwork: true } : {}),
      hidden: closed,
      kept: [...kept, ...tools, ...shown],
      veiled: userHome,
    };
    const built = way.tier === "E0" ? { prefix: [], world: keptWorld(confinement) } : { prefix: buildWorld(way.tier)(confinement) };
    const layers = confinedRoots.flatMap(({ path, layer }) => (layer === undefined ? [] : [{ root: path, upper: layer.upper }]));
    return {
      tier: purpose === "serve" ? "E3" : way.tier,
      ...built,
      directory,
      layers,
      temporaries,
      ...(purpose === "read" ? {} : { sessionPlaces: own.map(({ at }) => at) }),
      concealed,
      since,
      isOffline: network !== "on" && purpose !== "read",
      // Its repository lies beyond the mount that the root is.
      ...(holding.length === 0 ? {} : { environment: { GIT_DISCOVERY_ACROSS_FILESYSTEM: "1" } }),
      ...(bare === undefined || !isPoor ? {} : { lacks: (path) => !isShown(path, bare, roots) }),
    };
  }

  /** The keeper of a session mounts its caches once, so they are the same for all of its worlds. */
  #cachesOf(session: string, directory: RunDirectory): SessionCaches {
    const caches = this.#caches.get(session) ?? sessionCaches(dirname(directory.path), session, this.#places.userHome);
    this.#caches.set(session, caches);
    return caches;
  }

  /** What of the roots is hidden by its name, and the sockets of programs outside where they must not be reached. */
  #named({ hides, network, purpose }: RunPlan, roots: readonly string[]): readonly string[] {
    if (hides === undefined) return [];
    const { hidden, sockets } = this.#index.within(roots, hides);
    if (network === "on" || purpose === "read") return hidden;
    // The home is hidden whole, wherever it lies: its own sockets are nothing that a command was refused.
    return [...hidden, ...sockets.filter((path) => !isWithin(path, this.#places.home))];
  }

  #etcIn(base: string): EtcView {
    const view = this.#etc.get(base) ?? etcView(base);
    this.#etc.set(base, view);
    return view;
  }

  /** What was judged stays in sight: by itself, or in a hidden directory that shows nothing else. */
  #judged({ purpose, shown = [] }: RunPlan, hidden: readonly string[], { tier }: Way): Judged {
    const { home } = this.#places;
    const own = [home, ...stateBases(home)];
    const judged = shown.filter((path) => !own.some((place) => isWithin(path, place)) && isThere(path));
    const still = hidden.filter((path) => !judged.includes(path));
    // What is written into such a directory is lost, so only what reads gets one.
    const opened = tier === "E0" && purpose === "read" ? still.filter((path) => judged.some((inner) => isBelow(inner, path))) : [];
    return {
      closed: still.filter((path) => !opened.includes(path)),
      opened,
      shown: judged.filter((path) => opened.some((outer) => isBelow(path, outer))),
    };
  }

  #surroundings(
    purpose: Purpose,
    network: NetworkAccess,
    roots: readonly string[],
    own: readonly OwnDirectory[] = [],
  ): ReturnType<typeof surroundings> {
    const { home, userHome } = this.#places;
    return surroundings({ home, userHome, purpose, network, roots, own });
  }

  /** Without namespaces: confined, but nothing is captured. What only reads is given nothing to write to. */
  #confine({ purpose, network, cwd, hides, session, shown = [] }: RunPlan, roots: readonly string[]): ConfinedRun {
    const directory = newRunDirectory(demandPrivateBase(this.#places.home));
    try {
      const around = this.#surroundings(purpose, network, roots);
      const own = session === undefined ? [] : makeTemporary(this.#places.home, session).map(({ at }) => at);
      const named = purpose === "read" && hides !== undefined ? this.#index.within(roots, hides).hidden : [];
      const concealed = named.filter((path) => !shown.includes(path));
      const prefix = landlockWorld({
        standing: "user",
        stage: directory.path,
        purpose,
        roots: purpose === "read" ? [] : roots.map((path) => ({ path })),
        network,
        cwd,
        ...around,
        writable: [...around.writable, ...own],
        hidden: [...around.hidden.filter((path) => !shown.includes(path)), ...concealed],
      });
      const since = lstatSync(directory.path).ctimeMs;
      const isOffline = network !== "on" && purpose !== "read";
      return { tier: "E4", prefix, directory, layers: [], temporaries: [], concealed, since, isOffline };
    } catch (error) {
      removeRun(directory.path);
      throw new ToolFailure("tool_disabled", `The command cannot be confined here: ${(error as Error).message}.`, {
        hint: "`karyi doctor` shows what holds on this machine and what to install for more.",
        details: { reason: "sandbox_failed" },
        cause: error,
      });
    }
  }
}

interface Judged {
  readonly closed: readonly string[];
  readonly opened: readonly string[];
  readonly shown: readonly string[];
}

interface RootPlan {
  readonly path: string;
  readonly index: number;
  readonly run: string;
  readonly purpose: Purpose;
  readonly tier: CapturingTier;
  readonly concealed: readonly string[];
}

/** Other tiers than a keeper's cannot close a root: what a reading command writes goes to a layer that is dropped. */
function confinedRoot({ path, index, run, purpose, tier, concealed }: RootPlan): ConfinedRoot {
  if (purpose === "serve") return { path };
  if (purpose !== "read" || tier !== "E0") return { path, layer: newLayer(run, index, path) };
  const hides = concealed.some((hidden) => isWithin(hidden, path));
  return { path, readOnly: true, ...(hides ? { layer: newLayer(run, index, path) } : {}) };
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** In a user namespace nobody may look below what another file system within a workspace covers. */
function fitFor(roots: readonly string[]): (tier: CapturingTier) => boolean {
  return (tier) => tier !== "E0" || !hasMountsBelow(roots);
}

function hasMountsBelow(roots: readonly string[]): boolean {
  if (roots.length === 0) return false;
  const mounts = readMounts();
  return roots.some((root) => mountsBelow(root, mounts).length > 0);
}

/** A root within another is part of it. */
export function outermost(roots: readonly string[]): readonly string[] {
  return [...new Set(roots)].filter((path) => !roots.some((other) => isBelow(path, other)));
}

export function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export function demandPrivateBase(home: string): string {
  const base = privateBase(home);
  if (base !== undefined) return base;
  throw new ToolFailure("tool_error", "There is no private directory for the sandbox of a command.", { details: { reason: "no_place" } });
}

function noOverlay(): ToolFailure {
  return new ToolFailure("tool_disabled", "A dry run of a command needs an overlay, which this machine does not offer.", {
    hint: "It needs Linux with user namespaces and the programs unshare, mount, setpriv (util-linux) and tar; `karyi doctor` shows what is missing.",
    details: { reason: "no_overlay" },
  });
}
