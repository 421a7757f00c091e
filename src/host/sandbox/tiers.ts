/**
 * Which tiers hold on this machine. Each is tried once by running a canary that writes inside and outside; what it did to the disk
 * counts, not what the programs say. The answer is kept for this boot, this user and these programs.
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxTier } from "../../contract/index.ts";
import { confine, environmentFd, type Standing, setupEnvironment } from "./confinement.ts";
import { program } from "./programs.ts";
import { readUpper } from "./read-upper.ts";
import { newLayer, newRunDirectory, removeRun, stateBase } from "./state-directory.ts";

export interface TierReport {
  readonly tier: SandboxTier;
  readonly holds: boolean;
  /** What it guarantees here, or why it does not hold. */
  readonly detail: string;
  /** What to install for it. */
  readonly install?: string;
}

interface Probed {
  readonly key: string;
  readonly standing: Standing | null;
  readonly reason: string;
}

const needed = ["unshare", "mount", "setpriv", "sh", "tar"];
const probeTimeoutMs = 10_000;
/** Grows when worlds are built in another way: what was probed before says nothing about it. */
const worldVersion = 2;

export class Tiers {
  readonly #home: string;
  #probed: Promise<Probed> | undefined;

  constructor(home: string) {
    this.#home = home;
  }

  /** How the world of E2u can be built here; `undefined` where it cannot. */
  async standing(): Promise<Standing | undefined> {
    return (await this.#probe()).standing ?? undefined;
  }

  async best(): Promise<SandboxTier> {
    return (await this.standing()) === undefined ? "E5" : "E2u";
  }

  async report(): Promise<readonly TierReport[]> {
    const { standing, reason } = await this.#probe();
    const holds = standing !== null;
    const bwrap = program("bwrap");
    const how = standing === "user" ? "in a user namespace" : "with the rights of root";
    const unused = bwrap === undefined ? "bubblewrap is not installed" : `bubblewrap is installed (${bwrap}), but not used`;
    const instead = holds ? "; E2u gives the same without it" : "";
    return [
      { tier: "E1", holds: false, detail: `${unused}${instead}` },
      { tier: "E2", holds: false, detail: `${unused}${instead}` },
      holds
        ? {
            tier: "E2u",
            holds,
            detail: `${how}: dry run, capture and undo of commands; writes land in a layer, the rest is read-only, no survivors; no seccomp filter`,
          }
        : { tier: "E2u", holds, detail: reason, install: "util-linux, tar; user namespaces allowed (sysctl user.max_user_namespaces > 0)" },
      holds
        ? { tier: "E3", holds, detail: `${how}: confinement without capture, for long-running commands` }
        : { tier: "E3", holds, detail: reason, install: "util-linux; user namespaces allowed" },
      { tier: "E4", holds: false, detail: "no Landlock helper that Karyi knows is installed" },
      { tier: "E5", holds: true, detail: "a process group: time limits and clean ends, unconfined" },
    ];
  }

  #probe(): Promise<Probed> {
    this.#probed ??= this.#remembered();
    return this.#probed;
  }

  async #remembered(): Promise<Probed> {
    const key = machineKey();
    const path = join(this.#home, "sandbox", "probe.json");
    try {
      const known = JSON.parse(readFileSync(path, "utf8")) as Probed;
      if (known.key === key && known.standing !== null) return known;
    } catch {
      // Never probed, or unreadable: probe.
    }
    const probed = { key, ...(await probeAll(this.#home)) };
    try {
      writeFileSync(path, JSON.stringify(probed), { mode: 0o600 });
    } catch {
      // Without a place to remember it, the next process probes again.
    }
    return probed;
  }
}

async function probeAll(home: string): Promise<Omit<Probed, "key">> {
  if (process.platform !== "linux") return { standing: null, reason: "overlays and namespaces are Linux's" };
  const missing = needed.filter((name) => program(name) === undefined);
  if (missing.length > 0) return { standing: null, reason: `not installed: ${missing.join(", ")}` };
  const candidates: readonly Standing[] = process.getuid?.() === 0 ? ["root", "user"] : ["user"];
  const reasons: string[] = [];
  for (const standing of candidates) {
    try {
      await canary(home, standing);
      return { standing, reason: "" };
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  return { standing: null, reason: reasons.join("; ") };
}

/** Writes, replaces and removes within, writes without: the disk must show none of it, and the layer all of it. */
async function canary(home: string, standing: Standing): Promise<void> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "karyi-canary-")));
  try {
    const inside = join(place, "inside");
    const outside = join(place, "outside");
    mkdirSync(join(inside, "replaced"), { recursive: true });
    writeFileSync(join(inside, "kept"), "before");
    writeFileSync(join(inside, "replaced", "old"), "before");
    const base = stateBase(home, [inside]);
    if (base === undefined) throw new Error("no file system for layers: Karyi's home and the temporary directory cannot hold them");
    const directory = newRunDirectory(base);
    try {
      const layer = newLayer(directory.path, 0, inside);
      const since = Date.now();
      const prefix = confine({
        standing,
        stage: directory.path,
        roots: [{ path: inside, layer }],
        writable: [],
        emptied: [],
        hidden: [],
        kept: [],
        network: "none",
        cwd: inside,
      });
      await start(prefix, `echo after > kept; rm -r replaced; mkdir replaced; echo escaped > '${outside}'; mount -o remount,rw / ; exit 0`);
      if (existsSync(outside)) throw new Error("a write outside the workspace came through");
      if (readFileSync(join(inside, "kept"), "utf8") !== "before") throw new Error("a write came through the overlay");
      const { operations } = await readUpper(inside, layer.upper, since);
      const found = operations
        .map(({ kind, path }) => `${kind} ${path}`)
        .sort()
        .join(", ");
      if (found !== "file kept, remove replaced/old") throw new Error(`the layer shows something else: ${found}`);
    } finally {
      removeRun(directory.path);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function start(prefix: readonly string[], command: string): Promise<void> {
  const [file = "", ...args] = prefix;
  const nothing = openSync("/dev/null", "r");
  return new Promise<void>((resolve, reject) => {
    const child = spawn(file, [...args, "bash", "-c", command], {
      env: setupEnvironment,
      timeout: probeTimeoutMs,
      stdio: ["ignore", "ignore", "pipe", "pipe", "ignore", nothing],
    });
    const words: Buffer[] = [];
    for (const stream of [child.stderr, child.stdio[3]]) stream?.on("data", (chunk: Buffer) => words.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(Buffer.concat(words).toString("utf8").trim().slice(0, 500) || `the canary ended with ${code}`));
    });
  }).finally(() => closeSync(nothing));
}

/** Changes when the machine booted again, the user is another one, or a program was replaced. */
function machineKey(): string {
  const parts = [process.getuid?.() ?? -1, process.platform, readOr("/proc/sys/kernel/random/boot_id"), environmentFd, worldVersion];
  for (const name of needed) {
    const path = program(name);
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
