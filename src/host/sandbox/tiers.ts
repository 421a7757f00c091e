/**
 * Which tiers hold on this machine. Each is tried once by running a canary that writes inside and outside; what it did to the disk
 * counts, not what the programs say. The answer is kept for this boot, this user and these programs.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxTier } from "../../contract/index.ts";
import { program } from "../programs.ts";
import { bubblewrapWorld, overlayingBubblewrapWorld } from "./bubblewrap-world.ts";
import { type BuildWorld, type Confinement, environmentFd, type Standing } from "./confinement.ts";
import { keptWorld } from "./keeper-world.ts";
import { landlockNeeds, probeLandlock } from "./landlock-probe.ts";
import { mountWorld } from "./mount-world.ts";
import { readUpper } from "./read-upper.ts";
import { runCanary, runKeptCanary } from "./run-canary.ts";
import { newLayer, newRunDirectory, removeRun, stateBase } from "./state-directory.ts";

export interface TierReport {
  readonly tier: SandboxTier;
  readonly holds: boolean;
  /** What it guarantees here, or why it does not hold. */
  readonly detail: string;
  /** What to install for it. */
  readonly install?: string;
}

/** What captures commands, the best one first. */
const capturing = ["E0", "E1", "E2", "E2u"] as const;
export type CapturingTier = (typeof capturing)[number];

/** Strongest first. */
const strength: readonly SandboxTier[] = ["E0", "E1", "E2", "E2u", "E3", "E4", "E5"];

export function isAtLeast(tier: SandboxTier, required: SandboxTier): boolean {
  return strength.indexOf(tier) <= strength.indexOf(required);
}

/** How a world is built here. */
export interface Way {
  readonly tier: CapturingTier;
  readonly standing: Standing;
}

interface Trial {
  /** `null` where it does not hold. */
  readonly standing: Standing | null;
  readonly reason: string;
}

interface Probed {
  readonly key: string;
  readonly trials: Readonly<Record<CapturingTier, Trial>>;
  /** Why Landlock does not confine here; `null` where it does. */
  readonly noLandlock: string | null;
}

/** All but E0 are built by programs that stand before the command; that one's worlds are made by a keeper. */
type BuiltTier = Exclude<CapturingTier, "E0">;

const builders: Readonly<Record<BuiltTier, { readonly build: BuildWorld; readonly needs: readonly string[] }>> = {
  E1: { build: overlayingBubblewrapWorld, needs: ["bwrap", "env", "sh", "tar"] },
  E2: { build: bubblewrapWorld, needs: ["unshare", "mount", "bwrap", "sh", "tar"] },
  E2u: { build: mountWorld, needs: ["unshare", "mount", "setpriv", "sh", "tar"] },
};

export const buildWorld = (tier: BuiltTier): BuildWorld => builders[tier].build;

const needsOf = (tier: CapturingTier): readonly string[] => (tier === "E0" ? ["perl", "tar"] : builders[tier].needs);

/** Grows when worlds are built in another way: what was probed before says nothing about it. */
const worldVersion = 8;

export interface TierOptions {
  /** Tiers that may be used; absent: whatever holds. */
  readonly only?: readonly SandboxTier[];
  /** Another bubblewrap than the system's. */
  readonly bubblewrap?: string;
}

export class Tiers {
  readonly #home: string;
  readonly #options: TierOptions;
  #probed: Promise<Probed> | undefined;

  constructor(home: string, options: TierOptions = {}) {
    this.#home = home;
    this.#options = options;
  }

  /** How commands are captured here; `undefined` where they cannot be. `fits`: a tier may hold, but not for every workspace. */
  async way(fits: (tier: CapturingTier) => boolean = () => true): Promise<Way | undefined> {
    const { trials } = await this.#probe();
    for (const tier of capturing) {
      const { standing } = trials[tier];
      if (standing !== null && fits(tier)) return { tier, standing };
    }
    return undefined;
  }

  /** Whether commands can be confined where they cannot be captured. */
  async landlock(): Promise<boolean> {
    return (await this.#probe()).noLandlock === null;
  }

  async best(fits?: (tier: CapturingTier) => boolean): Promise<SandboxTier> {
    return (await this.way(fits))?.tier ?? ((await this.landlock()) ? "E4" : "E5");
  }

  async report(): Promise<readonly TierReport[]> {
    const {
      trials: { E0, E1, E2, E2u },
      noLandlock,
    } = await this.#probe();
    const holding = E0.standing ?? E1.standing ?? E2.standing ?? E2u.standing;
    const captures =
      "dry run, capture and undo of commands; writes land in a layer, the rest but temporary directories is read-only, no survivors";
    const filtered = "a seccomp filter; without a network no Unix sockets of the machine";
    const insteadOfE1 = E2.standing === null ? "" : "; E2 guarantees the same";
    const instead = E2u.standing === null ? "" : "; E2u gives the same but for the filter";
    const bubblewrap = "bubblewrap 0.8 or newer, util-linux, tar (Debian: apt install bubblewrap util-linux mount tar)";
    const utilLinux =
      "util-linux, tar (Debian: apt install util-linux mount tar); user namespaces allowed (sysctl -w user.max_user_namespaces=10000)";
    const insteadOfE0 = [E1, E2, E2u].some(({ standing }) => standing !== null)
      ? "; commands start slower, and hidden files are empty"
      : "";
    return [
      E0.standing === null
        ? {
            tier: "E0",
            holds: false,
            detail: `${E0.reason}${insteadOfE0}`,
            install: "Linux 5.12 or newer with user namespaces, perl, tar (Debian: apt install perl-base tar)",
          }
        : { tier: "E0", holds: true, detail: `in a user namespace, by a keeper: ${captures}; ${filtered}; hidden files are unreadable` },
      E1.standing === null
        ? {
            tier: "E1",
            holds: false,
            detail: `${E1.reason}${insteadOfE1}`,
            install: "bubblewrap 0.11 or newer, coreutils, tar (Debian 13 or newer: apt install bubblewrap coreutils tar)",
          }
        : { tier: "E1", holds: true, detail: `${how(E1.standing)}, in one step: ${captures}; ${filtered}` },
      E2.standing === null
        ? { tier: "E2", holds: false, detail: `${E2.reason}${instead}`, install: bubblewrap }
        : { tier: "E2", holds: true, detail: `${how(E2.standing)}: ${captures}; ${filtered}` },
      E2u.standing === null
        ? { tier: "E2u", holds: false, detail: E2u.reason, install: utilLinux }
        : { tier: "E2u", holds: true, detail: `${how(E2u.standing)}: ${captures}; no seccomp filter` },
      holding === null
        ? { tier: "E3", holds: false, detail: E2u.reason, install: utilLinux }
        : { tier: "E3", holds: true, detail: `${how(holding)}: confinement without capture, for long-running commands` },
      noLandlock === null
        ? {
            tier: "E4",
            holds: true,
            detail:
              "by Landlock and a seccomp filter: confinement without namespaces; undo of commands from a snapshot of the workspace, no dry run",
          }
        : {
            tier: "E4",
            holds: false,
            detail: noLandlock,
            install: "Linux 6.2 or newer with Landlock, perl, as root also util-linux (Debian: apt install perl util-linux)",
          },
      {
        tier: "E5",
        holds: true,
        detail: `a process group: time limits and clean ends, unconfined${holding === null && noLandlock !== null ? "; undo of commands from a snapshot of the workspace, no dry run" : ""}`,
      },
    ];
  }

  #probe(): Promise<Probed> {
    this.#probed ??= this.#remembered().then((probed) => this.#restricted(probed));
    return this.#probed;
  }

  #restricted(probed: Probed): Probed {
    const { only } = this.#options;
    if (only === undefined) return probed;
    const trial = (tier: CapturingTier): Trial => (only.includes(tier) ? probed.trials[tier] : { standing: null, reason: "switched off" });
    const noLandlock = only.includes("E4") ? probed.noLandlock : "switched off";
    return { ...probed, trials: { E0: trial("E0"), E1: trial("E1"), E2: trial("E2"), E2u: trial("E2u") }, noLandlock };
  }

  async #remembered(): Promise<Probed> {
    const { bubblewrap } = this.#options;
    const key = machineKey(bubblewrap);
    const path = join(this.#home, "sandbox", "probe.json");
    try {
      const known = JSON.parse(readFileSync(path, "utf8")) as Probed;
      if (known.key === key && capturing.some((tier) => known.trials[tier].standing !== null)) return known;
    } catch {
      // Never probed, or unreadable: probe.
    }
    const [E0, E1, E2, E2u, noLandlock] = await Promise.all([
      probe(this.#home, "E0"),
      probe(this.#home, "E1", bubblewrap),
      probe(this.#home, "E2", bubblewrap),
      probe(this.#home, "E2u", bubblewrap),
      probeLandlock(this.#home),
    ]);
    const probed = { key, trials: { E0, E1, E2, E2u }, noLandlock };
    try {
      writeFileSync(path, JSON.stringify(probed), { mode: 0o600 });
    } catch {
      // Without a place to remember it, the next process probes again.
    }
    return probed;
  }
}

function how(standing: Standing): string {
  return standing === "user" ? "in a user namespace" : "with the rights of root";
}

async function probe(home: string, tier: CapturingTier, bubblewrap?: string): Promise<Trial> {
  if (process.platform !== "linux") return { standing: null, reason: "overlays and namespaces are Linux's" };
  const missing = needsOf(tier).filter((name) => find(name, bubblewrap) === undefined);
  if (missing.length > 0) return { standing: null, reason: `not installed: ${missing.join(", ")}` };
  const candidates: readonly Standing[] = process.getuid?.() === 0 && tier !== "E0" ? ["root", "user"] : ["user"];
  const reasons: string[] = [];
  for (const standing of candidates) {
    try {
      await canary(home, { tier, standing }, bubblewrap);
      return { standing, reason: "" };
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  return { standing: null, reason: [...new Set(reasons)].join("; ") };
}

function find(name: string, bubblewrap: string | undefined): string | undefined {
  return name === "bwrap" && bubblewrap !== undefined ? bubblewrap : program(name);
}

/** The command must be able to end when it is told to. */
const feelsTerm = `while read -r key value; do [ "$key" != SigIgn: ] || [ $((0x$value >> 14 & 1)) = 0 ] || exit 8; done </proc/self/status`;

/** Writes, replaces, renames and removes within, writes and reads without: the disk must show none of it, and the layer all of it. */
async function canary(home: string, { tier, standing }: Way, bubblewrap: string | undefined): Promise<void> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "karyi-canary-")));
  try {
    const inside = join(place, "inside");
    const outside = join(place, "outside");
    const secret = join(place, "secret");
    mkdirSync(join(inside, "replaced"), { recursive: true });
    mkdirSync(join(inside, "from"));
    mkdirSync(secret);
    writeFileSync(join(secret, "key"), "unseen");
    writeFileSync(join(inside, "kept"), "before");
    writeFileSync(join(inside, "replaced", "old"), "before");
    writeFileSync(join(inside, "from", "file"), "before");
    const base = stateBase(home, [inside]);
    if (base === undefined) throw new Error("no file system for layers: Karyi's home and the temporary directory cannot hold them");
    const directory = newRunDirectory(base);
    try {
      const layer = newLayer(directory.path, 0, inside);
      const since = Date.now();
      const confinement: Confinement = {
        standing,
        stage: directory.path,
        roots: [{ path: inside, layer }],
        writable: [],
        emptied: existsSync("/run") ? [{ path: realpathSync("/run") }] : [],
        hidden: [secret],
        kept: [],
        network: "none",
        cwd: inside,
        ...(bubblewrap === undefined ? {} : { bubblewrap }),
      };
      const command = `${feelsTerm}; echo after > kept; rm -r replaced; mkdir replaced; mv from to; [ ! -e '${secret}/key' ] || exit 9; echo escaped > '${outside}'; mount -o remount,rw / ; exit 0`;
      if (tier === "E0") await runKeptCanary(keptWorld(confinement), inside, command);
      else await runCanary(buildWorld(tier)(confinement), command);
      if (existsSync(outside)) throw new Error("a write outside the workspace came through");
      if (readFileSync(join(inside, "kept"), "utf8") !== "before") throw new Error("a write came through the overlay");
      const { operations } = await readUpper(inside, layer.upper, since);
      const found = operations
        .filter(({ kind }) => kind !== "times")
        .map(({ kind, path }) => `${kind} ${path}`)
        .sort()
        .join(", ");
      if (found !== "file kept, file to/file, mkdir to, remove from/file, remove replaced/old, rmdir from")
        throw new Error(`the layer shows something else: ${found}`);
    } finally {
      removeRun(directory.path);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Changes when the machine booted again, the user is another one, or a program was replaced. */
function machineKey(bubblewrap: string | undefined): string {
  const parts = [process.getuid?.() ?? -1, process.platform, readOr("/proc/sys/kernel/random/boot_id"), environmentFd, worldVersion];
  for (const name of new Set([...capturing.flatMap(needsOf), ...landlockNeeds])) {
    const path = find(name, bubblewrap);
    parts.push(path === undefined ? "-" : `${path}:${statSync(path).mtimeMs}`);
  }
  return parts.join("|");
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
