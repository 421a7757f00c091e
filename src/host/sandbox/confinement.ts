/**
 * The world a command is to see, and what its two builders share: `mount-world.ts` needs util-linux alone, `bubblewrap-world.ts`
 * adds a seccomp filter where bubblewrap is installed. Every step must succeed, or the command does not start.
 */
import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NetworkAccess, Purpose } from "../../contract/index.ts";
import { program, systemPath } from "../programs.ts";
import { type Bare, isShown } from "./bare-world.ts";
import type { Step } from "./keeper-order.ts";
import { isBelow, isWithin } from "./mount-table.ts";

/** Whether the namespaces are made with the rights one has, or in a user namespace of one's own. */
export type Standing = "root" | "user";

export interface Layer {
  readonly upper: string;
  readonly work: string;
}

export interface ConfinedRoot {
  readonly path: string;
  /** Where writes go instead; without it they go to the directory itself. */
  readonly layer?: Layer;
  /** Nothing can be written there. A layer is only what secrets are hidden on. */
  readonly readOnly?: boolean;
}

/** A directory that is empty and private. */
export interface Emptied {
  readonly path: string;
  /** Where what is written there lies, for whoever wants to look at it; without it in memory. */
  readonly at?: string;
  /** Nothing can be written there. */
  readonly closed?: boolean;
}

export interface Confinement {
  readonly standing: Standing;
  /** An empty directory of this run, on a file system that overlayfs can write to. */
  readonly stage: string;
  /** None lies within another. */
  readonly roots: readonly ConfinedRoot[];
  /** Directories outside the roots that stay writable. */
  readonly writable: readonly string[];
  readonly emptied: readonly Emptied[];
  /** Files and directories that cannot be read. */
  readonly hidden: readonly string[];
  /** Below an emptied directory, but needed: the resolver's files. */
  readonly kept: readonly string[];
  /** Absent where the world itself is tried. */
  readonly purpose?: Purpose;
  readonly network: NetworkAccess;
  readonly cwd: string;
  /** Another bubblewrap than the system's. */
  readonly bubblewrap?: string;
  /** A world that shows nothing of the machine but this; only a keeper makes one. */
  readonly bare?: Bare;
  /** Steps that the keeper itself takes before its first world. */
  readonly prepared?: readonly Step[];
  /** One network for all commands of the session, with its own loopback. */
  readonly shareNetwork?: boolean;
  /** A directory around secrets: they are hidden on a view of it, where they stay hidden if somebody outside replaces them. */
  readonly veiled?: string;
}

/** Prepares the stage; answers what to run before `bash -c COMMAND`. */
export type BuildWorld = (confinement: Confinement) => readonly string[];

/** What the first process of the chain is started with. */
export const setupEnvironment: Readonly<Record<string, string>> = { PATH: systemPath, LC_ALL: "C" };

/** The descriptor from which the command's environment is read, so that it shapes nothing before the command. */
export const environmentFd = 5;

/** Of root's rights those that act on files one can write anyway; none opens another way to the machine. */
export const keptCapabilities = ["chown", "dac_override", "fowner", "fsetid"];

/** By these a process of a run is known: what builds its world, and the first one in it. */
export const setupName = "karyi-setup";
export const initName = (stage: string): string => `${stage}/karyi-init`;

/**
 * The first process of a namespace: as such the command's shell would not feel signals, and the namespace ends when it does. It says
 * nothing itself: a shell's word for a child that a signal ended ("Terminated") is not the command's output. The child takes
 * its own stderr: some shells speak where they let a child speak.
 */
export const quietInit = 'exec 5>&2 2>/dev/null; (exec "$@" 2>&5 5>&-); exit $?';

/** What the report holds when the world could not be built. */
const setupFailure = `!${setupName} `;

/** How bubblewrap begins its complaints; the command's own never reach the report. */
const bubblewrapFailure = /^bwrap: /m;

/** Complaints of the setup go where the report goes; 6 keeps the command's own way out. */
export const setupPrelude = `fail() { printf '${setupFailure}%s' "$1" >&3; exit 97; }\nexec 6>&2 2>&3`;

/** Why the world could not be built, as the programs said it; `undefined` where it was. */
export function whyNotBuilt(report: string): string | undefined {
  // What follows the first NUL was printed by the command's shell at its end: then everything stood.
  const [setup = ""] = report.split("\0", 1);
  if (setup.includes(setupFailure)) return setup.replace(setupFailure, "\nfailed step: ").trim();
  return bubblewrapFailure.test(setup) ? setup.trim() : undefined;
}

/** What lies in an emptied directory is out of sight already, unless a root or something shown there brings it back. */
export function reachable({ hidden, roots, emptied, bare, kept }: Confinement): readonly string[] {
  const places = roots.map(({ path }) => path);
  const brought = [...places, ...kept, ...(bare === undefined ? [] : [...bare.shown, ...bare.caches.map(({ path }) => path)])];
  return hidden.filter((path) => {
    if (hidden.some((other) => isBelow(path, other))) return false;
    if (bare !== undefined && !isShown(path, bare, places)) return false;
    return brought.some((place) => isWithin(path, place)) || !emptied.some((directory) => isWithin(path, directory.path));
  });
}

/** Renames of directories stay honest copies, and nothing of a file's content stays behind in the lower layer. */
export function overlayOptions(standing: Standing): string {
  return standing === "user" ? "userxattr" : "redirect_dir=off,metacopy=off,index=off";
}

/** In a user namespace one is root in name; who is not root otherwise gets the own name back for the command. */
export function getsNameBack(standing: Standing): boolean {
  return standing === "user" && process.getuid?.() !== 0;
}

/** What stands in place of a file that cannot be read: nobody may open it; only root's rights over files see that it is empty. */
export function emptyFile(stage: string): string {
  const path = join(stage, "nothing");
  writeFileSync(path, "", { mode: 0 });
  return path;
}

export function need(name: string): string {
  const path = program(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

export function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory();
}
