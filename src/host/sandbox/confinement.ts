/**
 * Builds the world a command sees, from util-linux alone: the workspace as an overlay (or as it is), everything else read-only,
 * a bare /dev, private or shared temporary directories, secrets and sockets of the host covered, no capability that reaches
 * beyond files, a PID namespace, and a network or none. Every step must succeed, or the command does not start.
 *
 * One `mount -a` does many mounts: a process each would cost more than the command itself.
 */
import { lstatSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { NetworkAccess } from "../../contract/index.ts";
import { deviceDirectory, devices } from "./devices.ts";
import {
  fstab,
  hiddenMounts,
  isBelow,
  isPlainPath,
  isWithin,
  type MountLine,
  type MountPoint,
  mountOf,
  mountsBelow,
  readMounts,
} from "./mount-table.ts";
import { program, systemPath } from "./programs.ts";
import { shellQuote } from "./shell-quote.ts";

/** Whether the namespaces are made with the rights one has, or in a user namespace of one's own. */
export type Standing = "root" | "user";

interface ConfinedRoot {
  readonly path: string;
  /** Where writes go instead; without it they go to the directory itself. */
  readonly layer?: { readonly upper: string; readonly work: string };
}

export interface Confinement {
  readonly standing: Standing;
  /** An empty directory of this run, on a file system that overlayfs can write to. */
  readonly stage: string;
  /** None lies within another. */
  readonly roots: readonly ConfinedRoot[];
  /** Directories outside the roots that stay writable. */
  readonly writable: readonly string[];
  /** Directories that are empty and private. */
  readonly emptied: readonly string[];
  /** Files and directories that cannot be read. */
  readonly hidden: readonly string[];
  /** Below an emptied directory, but needed: the resolver's files. */
  readonly kept: readonly string[];
  readonly network: NetworkAccess;
  readonly cwd: string;
}

/** What the first process of the chain is started with. */
export const setupEnvironment: Readonly<Record<string, string>> = { PATH: systemPath, LC_ALL: "C" };

/** The descriptor from which the command's environment is read, so that it shapes nothing before the command. */
export const environmentFd = 5;

/** What the report holds when the world could not be built. */
const setupFailure = "!karyi-setup ";

/** Of root's rights those that act on files one can write anyway; none opens another way to the machine. */
const keptCapabilities = ["chown", "dac_override", "fowner", "fsetid"];

/** Writes the plan of mounts into the stage; answers what to run before `bash -c COMMAND`. */
export function confine(confinement: Confinement): readonly string[] {
  const { stage, standing, network } = confinement;
  const mounts = readMounts();
  writeFileSync(join(stage, "mounts"), fstab(planMounts(confinement, mounts)), { mode: 0o600 });
  const flags = [
    ...(standing === "user" ? ["--user", "--map-root-user"] : []),
    "--mount",
    "--ipc",
    "--pid",
    ...(network === "on" ? [] : ["--net"]),
  ];
  const script = setupScript(confinement, hiddenMounts(mounts));
  return [need("unshare"), ...flags, "--fork", "--kill-child", "--mount-proc", "--", need("sh"), "-c", script, "karyi-setup"];
}

/** A directory that is replaced as a whole: built aside with what lies in it, then put over the place it stands for. */
interface Cover {
  readonly path: string;
  readonly at: string;
}

/** All mounts of the run, done when everything has become read-only: what a bind takes is still what the host has there. */
function planMounts(confinement: Confinement, mounts: readonly MountPoint[]): readonly MountLine[] {
  const { stage, roots, standing } = confinement;
  const aside = join(stage, "m");
  const taken: MountLine[] = [
    bind(stage, stage, `bind,${opening(stage, mounts)}`),
    // Places to build in; they need no directory on disk.
    { source: "karyi", target: aside, type: "tmpfs", options: "mode=0700,nodev,nosuid,X-mount.mkdir" },
  ];
  // The name is given back through /proc; there an ordinary user could write nothing of the system's anyway.
  if (getsNameBack(standing)) taken.push({ source: "karyi", target: "/proc", type: "proc", options: "nosuid,nodev,noexec" });
  const built: MountLine[] = [];
  let places = 0;
  const place = (): string => join(aside, String(places++));
  const take = (path: string, options = ""): string => {
    const to = place();
    taken.push(bind(path, to, `rbind,X-mount.mkdir${options}`));
    return to;
  };
  const open = (path: string): string => take(path, `,${opening(path, mounts)}`);

  const hidden = reachable(confinement);
  const hiddenDirectories = hidden.filter(isDirectory);
  const tmpfs = (path: string, options: string): Cover => {
    const at = place();
    built.push({ source: "karyi", target: at, type: "tmpfs", options: `${options},nodev,nosuid,X-mount.mkdir` });
    return { path, at };
  };
  const covers: Cover[] = [
    ...confinement.writable.map((path) => ({ path, at: open(path) })),
    ...confinement.emptied.map((path) => tmpfs(path, path === "/run" ? "mode=0755" : "mode=1777")),
    ...hiddenDirectories.map((path) => tmpfs(path, "mode=0555,size=4k")),
  ];
  const within = (path: string): string => {
    const [cover] = covers.filter((candidate) => isBelow(path, candidate.path)).sort((a, b) => b.path.length - a.path.length);
    return cover === undefined ? path : join(cover.at, relative(cover.path, path));
  };

  for (const { path, layer } of roots) {
    const target = within(path);
    const made = target === path ? "" : ",X-mount.mkdir";
    if (layer === undefined) {
      built.push(bind(open(path), target, `rbind${made}`));
      continue;
    }
    // What overlayfs would misread is reached by another name.
    const lower = isPlainPath(path) ? path : take(path);
    const layers = `lowerdir=${lower},upperdir=${layer.upper},workdir=${layer.work}`;
    built.push({ source: "karyi", target, type: "overlay", options: `${overlayOptions(standing)},${layers},nodev${made}` });
    // Another file system within the workspace is seen, but not captured: so it is read-only.
    for (const mount of mountsBelow(path, mounts)) built.push(bind(take(mount), within(mount), "rbind"));
  }
  for (const path of confinement.kept) built.push(bind(take(path), within(path), "rbind,X-mount.mkdir"));
  for (const path of hidden.filter((path) => !isDirectory(path))) built.push(bind("/dev/null", within(path), "bind"));
  built.push(...deviceMounts(deviceDirectory(dirname(stage))));
  for (const { path, at } of inOrder(covers, stage)) built.push(bind(at, within(path), "rbind"));
  return [...taken, ...built];
}

/** A bind keeps the flags of what it shows; with these it becomes writable, unless the host itself has it read-only. */
function opening(path: string, mounts: readonly MountPoint[]): string {
  const { options } = mountOf(path, mounts);
  const kept = ["nodev", "noexec"].filter((flag) => options.includes(flag));
  return [options.includes("ro") ? "ro" : "rw", "nosuid", ...kept].join(",");
}

/** What lies in an emptied directory is out of sight already, unless a root brings it back. */
function reachable({ hidden, roots, emptied }: Confinement): readonly string[] {
  return hidden.filter((path) => {
    if (hidden.some((other) => isBelow(path, other))) return false;
    const root = roots.find((candidate) => isWithin(path, candidate.path));
    return root !== undefined || !emptied.some((directory) => isWithin(path, directory));
  });
}

/** Inner covers before outer ones, and what hides the stage last: the others are still taken from there. */
function inOrder(covers: readonly Cover[], stage: string): readonly Cover[] {
  const hidesStage = ({ path }: Cover) => Number(isWithin(stage, path));
  return [...covers].sort((a, b) => hidesStage(a) - hidesStage(b) || b.path.length - a.path.length);
}

function bind(source: string, target: string, options: string): MountLine {
  return { source, target, type: "none", options };
}

/** Renames of directories stay honest copies, and nothing of a file's content stays behind in the lower layer. */
function overlayOptions(standing: Standing): string {
  return standing === "user" ? "userxattr" : "redirect_dir=off,metacopy=off,index=off";
}

function deviceMounts(dev: string): readonly MountLine[] {
  return [
    ...devices.map((name) => bind(`/dev/${name}`, join(dev, name), "bind")),
    { source: "karyi", target: join(dev, "pts"), type: "devpts", options: "newinstance,ptmxmode=0666,mode=0620" },
    { source: "karyi", target: join(dev, "shm"), type: "tmpfs", options: "mode=1777,nodev,nosuid" },
    bind(dev, "/dev", "rbind"),
  ];
}

function setupScript({ standing, stage, network, cwd }: Confinement, hidden: readonly string[]): string {
  const mount = need("mount");
  const unreachable = ["'/proc'", "'/proc/'*", ...hidden.map(shellQuote)].join("|");
  return [
    `fail() { printf '${setupFailure}%s' "$1" >&3; exit 97; }`,
    // Complaints go where the report goes: a file open for writing would keep its mount from becoming read-only.
    "exec 6>&2 2>&3",
    `${mount} -a -o remount,bind,ro || fail read-only`,
    // What could not be made read-only must not be reachable either.
    "while read -r _ _ _ _ m o _; do case $o in rw|rw,*) case $m in",
    `${unreachable}) [ ! -w "$m" ] || fail "writable $m";;`,
    '*) fail "writable $m";; esac;; esac; done </proc/self/mountinfo',
    `${mount} -a -T ${shellQuote(join(stage, "mounts"))} || fail mounts`,
    ...(network === "loopback" ? [`${loopbackUp()} || fail loopback`] : []),
    `cd ${shellQuote(cwd)} || fail cwd`,
    "unset OLDPWD",
    "exec 2>&6 6>&-",
    `exec ${asThePerson(standing)} ${need("sh")} -c '. /dev/fd/${environmentFd}; exec ${environmentFd}<&-; "$@"; exit $?' karyi-init "$@"`,
  ].join("\n");
}

/** Drops what the setup needed. In a user namespace one was root in name: a second one gives the own name back. */
function asThePerson(standing: Standing): string {
  const drop = `${need("setpriv")} --no-new-privs --inh-caps=-all --bounding-set=-all`;
  if (process.getuid?.() === 0) return `${drop}${keptCapabilities.map((name) => `,+${name}`).join("")} --`;
  if (!getsNameBack(standing)) return `${drop} --`;
  return `${need("unshare")} --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} -- ${drop} --`;
}

function getsNameBack(standing: Standing): boolean {
  return standing === "user" && process.getuid?.() !== 0;
}

function loopbackUp(): string {
  const ip = program("ip");
  if (ip !== undefined) return `${ip} link set lo up`;
  const ifconfig = program("ifconfig");
  return ifconfig === undefined ? "false" : `${ifconfig} lo up`;
}

function need(name: string): string {
  const path = program(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

function isDirectory(path: string): boolean {
  return lstatSync(path).isDirectory();
}

/** Why the world could not be built, as the programs said it; `undefined` where it was. */
export function whyNotBuilt(report: string): string | undefined {
  return report.includes(setupFailure) ? report.replace(setupFailure, "\nfailed step: ").trim() : undefined;
}
