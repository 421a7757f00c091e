/**
 * Builds the world of a command from util-linux alone: the workspace as an overlay (or as it is), everything else read-only, a bare
 * /dev, private or shared temporary directories, secrets and sockets of the host covered, no capability that reaches beyond files,
 * a PID namespace, and a network or none.
 *
 * One `mount -a` does many mounts: a process each would cost more than the command itself.
 */
import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { program } from "../programs.ts";
import {
  type Confinement,
  emptyFile,
  environmentFd,
  getsNameBack,
  initName,
  isDirectory,
  keptCapabilities,
  need,
  overlayOptions,
  quietInit,
  reachable,
  type Standing,
  setupName,
  setupPrelude,
} from "./confinement.ts";
import { buildingPlace, deviceDirectory, devices } from "./devices.ts";
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
import { shellQuote } from "./shell-quote.ts";

export function mountWorld(confinement: Confinement): readonly string[] {
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
  return [need("unshare"), ...flags, "--fork", "--kill-child", "--mount-proc", "--", need("sh"), "-c", script, setupName];
}

/** A directory that is replaced as a whole: built aside with what lies in it, then put over the place it stands for. */
interface Cover {
  readonly path: string;
  readonly at: string;
}

/** All mounts of the run, done when everything has become read-only: what a bind takes is still what the host has there. */
function planMounts(confinement: Confinement, mounts: readonly MountPoint[]): readonly MountLine[] {
  const { stage, roots, standing } = confinement;
  const aside = buildingPlace(dirname(stage));
  const taken: MountLine[] = [
    bind(stage, stage, `bind,${opening(stage, mounts)}`),
    { source: "karyi", target: aside, type: "tmpfs", options: "mode=0700,nodev,nosuid" },
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
    ...confinement.emptied.map(({ path, at }) => (at === undefined ? tmpfs(path, "mode=0755") : { path, at: open(at) })),
    ...hiddenDirectories.map((path) => tmpfs(path, "mode=0000,size=4k")),
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
  const nothing = emptyFile(stage);
  const closed = `bind,${opening(stage, mounts).replace(/^rw/, "ro")}`;
  for (const path of hidden.filter((path) => !isDirectory(path))) built.push(bind(nothing, within(path), closed));
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

/** Inner covers before outer ones, and what hides the stage last: the others are still taken from there. */
function inOrder(covers: readonly Cover[], stage: string): readonly Cover[] {
  const hidesStage = ({ path }: Cover) => Number(isWithin(stage, path));
  return [...covers].sort((a, b) => hidesStage(a) - hidesStage(b) || b.path.length - a.path.length);
}

function bind(source: string, target: string, options: string): MountLine {
  return { source, target, type: "none", options };
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
    setupPrelude,
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
    `exec ${asThePerson(standing)} ${need("sh")} -c '. /dev/fd/${environmentFd}; ${quietInit}' ${shellQuote(initName(stage))} "$@"`,
  ].join("\n");
}

/** Drops what the setup needed. In a user namespace one was root in name: a second one gives the own name back. */
function asThePerson(standing: Standing): string {
  const drop = `${need("setpriv")} --no-new-privs --inh-caps=-all --bounding-set=-all`;
  if (process.getuid?.() === 0) return `${drop}${keptCapabilities.map((name) => `,+${name}`).join("")} --`;
  if (!getsNameBack(standing)) return `${drop} --`;
  return `${need("unshare")} --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} -- ${drop} --`;
}

function loopbackUp(): string {
  const ip = program("ip");
  if (ip !== undefined) return `${ip} link set lo up`;
  const ifconfig = program("ifconfig");
  if (ifconfig !== undefined) return `${ifconfig} lo up`;
  const perl = program("perl");
  // SIOCSIFFLAGS with IFF_UP, LOOPBACK and RUNNING.
  return perl === undefined
    ? "false"
    : `${perl} -e '$up = pack("a16s", "lo", 0x49); socket(S, 2, 2, 0) && ioctl(S, 0x8914, $up) || exit 1'`;
}
