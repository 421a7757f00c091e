/**
 * The world of a command as steps for a keeper: everything the machine has, read-only, with the roots as overlays, private or shared
 * temporary directories, a bare /dev, secrets and sockets of the host covered, no right that reaches beyond files, a PID namespace,
 * and a network or none. Whatever covers a secret lies on an overlay where it can: over a plain file system the cover
 * falls off when somebody outside replaces the file, as editors do.
 */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { NetworkAccess } from "../../contract/index.ts";
import type { Bare } from "./bare-world.ts";
import { type ConfinedRoot, type Confinement, isDirectory, reachable } from "./confinement.ts";
import { deviceDirectory, devices } from "./devices.ts";
import { type KeptWorld, noDevices, noSetuid, readOnly, type Step, type WorldNetwork } from "./keeper-order.ts";
import { isBelow, isPlainPath, isWithin, type MountPoint, mountOf, mountsBelow, readMounts } from "./mount-table.ts";
import { Placeholders } from "./placeholders.ts";
import { type Sockets, seccompFilter } from "./seccomp-filter.ts";

/** CAP_CHOWN, DAC_OVERRIDE, FOWNER and FSETID: rights over files that one can write anyway. */
const overFiles = 0b11011;
/** A longer path is no option of a mount. */
const maxOptionBytes = 200;

/** Something that is there before it has its place. */
interface Piece {
  readonly path: string;
  readonly get: readonly Step[];
  readonly name: string;
  readonly isFile?: boolean;
}

export function keptWorld(confinement: Confinement): KeptWorld {
  const { network, stage, purpose } = confinement;
  const filter = seccompFilter(socketsOf(confinement));
  if (filter === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  return {
    base: [...baseSteps(dirname(stage)), ...(confinement.prepared ?? [])],
    steps: confinement.bare === undefined ? worldSteps(confinement) : bareSteps(confinement, confinement.bare),
    // A command that only reads tells of the machine's network, and cannot speak on it: the filter refuses it every socket for that.
    network: purpose === "read" ? "host" : networkOf(network, confinement.shareNetwork === true),
    filter,
    capabilities: process.getuid?.() === 0 ? overFiles : 0,
  };
}

/** Where nothing of the machine is there, its sockets are not either: programs of the world may speak with each other by theirs. */
function socketsOf({ purpose, network, bare }: Confinement): Sockets {
  if (purpose === "read") return "netlink";
  if (network === "on") return "all";
  return network === "loopback" || bare !== undefined ? "local" : "internet";
}

function networkOf(network: NetworkAccess, shared: boolean): WorldNetwork {
  if (network === "on") return "host";
  return shared ? "session" : "own";
}

/** The harmless devices, in place of the machine's. */
function baseSteps(base: string): readonly Step[] {
  const dev = deviceDirectory(base);
  return [
    ...devices.flatMap((name): Step[] => [
      ["take", name, `/dev/${name}`, "", "0", "0"],
      ["put", name, join(dev, name)],
    ]),
    ["make", "pts", "devpts", String(noSetuid), "ptmxmode=0666", "mode=0620"],
    ["put", "pts", join(dev, "pts")],
    ["take", "dev", dev, "1", "0", "0"],
    ["put", "dev", "/dev"],
  ];
}

function worldSteps(confinement: Confinement): readonly Step[] {
  const { stage, emptied } = confinement;
  const mounts = readMounts();
  const pieces = [
    ...veil(confinement, mounts),
    ...confinement.roots.flatMap((root, index) => rootPieces(root, index, confinement, mounts)),
    ...confinement.writable.map((path, index) => opened(`w${index}`, path, path, mounts)),
    ...emptied.map((one, index) => emptiedPiece(one, index, mounts)),
    ...confinement.kept.map((path, index) => taken(`k${index}`, path, path)),
    inMemory("shm", "/dev/shm", "mode=1777"),
  ].sort((a, b) => a.path.length - b.path.length);
  const hidden = hiding(confinement);
  const own = new Set(emptied.map(({ path }) => path));
  return [
    ["take", "stage", stage, "", "0", String(readOnly)],
    ["put", "stage", stage],
    ["in", stage],
    ...pieces.flatMap(({ get }) => get),
    ...hidden.flatMap(({ get }) => get),
    ...[...pieces, ...hidden].flatMap(({ path, name, isFile }): Step[] => [
      // Where everything else is private, its place has to be made first.
      ...(own.has(containerOf(path, pieces)) ? ([[isFile === true ? "file" : "directory", path]] as const) : []),
      ["put", name, path],
    ]),
    ["proc", String(process.getuid?.() === 0 ? 15 : 14)],
    ["in", "/"],
  ];
}

/** The innermost piece that a path lies in; the root of the world has no name. */
function containerOf(path: string, pieces: readonly Piece[]): string {
  let container = "";
  for (const piece of pieces) if (isBelow(path, piece.path) && piece.path.length > container.length) container = piece.path;
  return container;
}

function emptiedPiece({ path, at, closed }: Confinement["emptied"][number], index: number, mounts: readonly MountPoint[]): Piece {
  if (at === undefined) return inMemory(`e${index}`, path, "mode=0755");
  return closed === true ? taken(`e${index}`, at, path) : opened(`e${index}`, at, path, mounts);
}

/** Nothing but what is named, on a root of its own that is closed in the end. */
function bareSteps(confinement: Confinement, bare: Bare): readonly Step[] {
  const { stage, emptied, network } = confinement;
  const mounts = readMounts();
  const root = join(stage, "root");
  mkdirSync(root, { mode: 0o755 });
  const pieces = [
    ...bare.shown.map((path, index) => taken(`s${index}`, path, path)),
    { path: "/etc", name: "etc", get: [["take", "etc", bare.etc.view, "1", "0", "0"]] } as const,
    ...bare.caches.map(({ path, view: from }, index) => opened(`c${index}`, from, path, mounts)),
    ...confinement.roots.flatMap((one, index) => rootPieces(one, index, confinement, mounts)),
    ...confinement.writable.map((path, index) => opened(`w${index}`, path, path, mounts)),
    ...emptied.map((one, index) => emptiedPiece(one, index, mounts)),
    ...(network === "on" ? resolverPieces(confinement, bare) : ownNames(dirname(stage))),
    taken("dev", "/dev", "/dev"),
    inMemory("shm", "/dev/shm", "mode=1777"),
  ].sort((a, b) => a.path.length - b.path.length);
  const hidden = hiding(confinement);
  const own = new Set(["", ...emptied.map(({ path }) => path)]);
  return [
    ["take", "stage", stage, "", "0", String(readOnly)],
    ["put", "stage", stage],
    ["in", stage],
    ...pieces.flatMap(({ get }) => get),
    ...hidden.flatMap(({ get }) => get),
    ["make", "root", "tmpfs", String(noSetuid | noDevices), "mode=0755", "size=1m"],
    ["put", "root", root],
    ["build", root],
    ...["/proc", ...bare.empty].map((path): Step => ["directory", path]),
    ...bare.links.map(({ path, target }): Step => ["link", target, path]),
    ...[...pieces, ...hidden].flatMap(({ path, name, isFile }): Step[] => [
      ...(own.has(containerOf(path, pieces)) ? ([[isFile === true ? "file" : "directory", path]] as const) : []),
      ["put", name, path],
    ]),
    ["proc", String(process.getuid?.() === 0 ? 15 : 14)],
    ["close", "/"],
    ["enter"],
  ];
}

const ownNameFiles: Readonly<Record<string, string>> = {
  "/etc/resolv.conf": "nameserver 192.0.2.1\noptions attempts:1 timeout:1\n",
  "/etc/hosts": `127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 ${hostname()}\n`,
};

/** Names are looked up where nobody answers and every question counts as an attempt to leave; `localhost` is known without one. */
function ownNames(base: string): readonly Piece[] {
  return Object.entries(ownNameFiles).flatMap(([path, text], index) => {
    if (!existsSync(path)) return [];
    const own = join(base, `names-${index}`);
    // Read by commands of any user; nothing in it is anybody's.
    if (!existsSync(own)) writeFileSync(own, text, { mode: 0o644 });
    return [taken(`n${index}`, own, realpathSync(path))];
  });
}

/** Where names are looked up, if that lies in a directory that is emptied. */
function resolverPieces({ kept }: Confinement, { shown }: Bare): readonly Piece[] {
  return kept.filter((path) => !shown.includes(path)).map((path, index) => taken(`k${index}`, path, path));
}

/** The root as a view whose changes go to its layer; no other file system lies within. */
function rootPieces(
  { path, layer, readOnly: closed }: ConfinedRoot,
  index: number,
  confinement: Confinement,
  mounts: readonly MountPoint[],
): readonly Piece[] {
  const name = `r${index}`;
  if (layer === undefined) return [closed === true ? taken(name, path, path) : opened(name, path, path, mounts)];
  const [upper, work] = [layer.upper, layer.work].map((place) => place.slice(confinement.stage.length + 1));
  const { lower, get } = lowerOf(path, name, confinement.stage);
  const options = closed === true ? [`lowerdir=${upper}:${lower}`] : [`lowerdir=${lower}`, `upperdir=${upper}`, `workdir=${work}`];
  return [view(path, name, get, options)];
}

/** A view of the directory around secrets, on which they are hidden. */
function veil(confinement: Confinement, mounts: readonly MountPoint[]): readonly Piece[] {
  const { veiled, roots, stage } = confinement;
  if (veiled === undefined || roots.some(({ path }) => isWithin(veiled, path))) return [];
  const onIt = reachable(confinement).filter((path) => isBelow(path, veiled) && !roots.some((root) => isWithin(path, root.path)));
  // Where another file system lies within, no view can be made.
  if (onIt.length === 0 || mountsBelow(veiled, mounts).length > 0) return [];
  const { lower, get } = lowerOf(veiled, "veil", stage);
  const skin = join(stage, "veil");
  mkdirSync(skin, { mode: 0o755 });
  // In memory: the stage itself usually lies in the home, and no layer of a view may lie within another.
  const covered: readonly Step[] = [
    ["make", "skin", "tmpfs", String(noSetuid | noDevices), "mode=0755", "size=4k"],
    ["put", "skin", skin],
  ];
  return [view(veiled, "veil", [...get, ...covered], [`lowerdir=veil:${lower}`])];
}

function view(path: string, name: string, get: readonly Step[], options: readonly string[]): Piece {
  return { path, name, get: [...get, ["make", name, "overlay", String(noSetuid | noDevices), "userxattr", ...options]] };
}

/** What overlayfs would misread is reached by another name. */
function lowerOf(path: string, name: string, stage: string): { readonly lower: string; readonly get: readonly Step[] } {
  if (isPlainPath(path) && path.length < maxOptionBytes) return { lower: path, get: [] };
  const alias = `lower-${name}`;
  mkdirSync(join(stage, alias));
  return {
    lower: alias,
    get: [
      ["take", alias, path, "", "0", "0"],
      ["put", alias, join(stage, alias)],
    ],
  };
}

function hiding(confinement: Confinement): readonly Piece[] {
  const placeholders = placeholdersIn(dirname(confinement.stage));
  return [...reachable(confinement)]
    .sort((a, b) => a.length - b.length)
    .map((path, index) => {
      const { path: place, isDirectory: closed } = placeholders.for(path);
      return { path, name: `h${index}`, isFile: !closed, get: [["take", `h${index}`, place, "", String(readOnly), "0"]] };
    });
}

const known = new Map<string, Placeholders>();

function placeholdersIn(base: string): Placeholders {
  const placeholders = known.get(base) ?? new Placeholders(base);
  known.set(base, placeholders);
  return placeholders;
}

function taken(name: string, from: string, path: string): Piece {
  return { path, name, isFile: !isDirectory(from), get: [["take", name, from, "1", "0", "0"]] };
}

/** Writable, unless the host itself has it read-only; nothing there is setuid. */
function opened(name: string, from: string, path: string, mounts: readonly MountPoint[]): Piece {
  const clear = mountOf(from, mounts).options.includes("ro") ? 0 : readOnly;
  return { path, name, get: [["take", name, from, "1", "0", String(clear)]] };
}

function inMemory(name: string, path: string, options: string): Piece {
  return { path, name, get: [["make", name, "tmpfs", String(noSetuid | noDevices), options]] };
}
