/**
 * Builds the world of a command with bubblewrap: the same as `mount-world.ts`, and a seccomp filter. The layers are mounted aside
 * before, since bubblewrap got overlays of its own only with version 0.11. Refuses where the machine's system calls are not known.
 *
 * A PID namespace around bubblewrap keeps its watching process alive when the group is told to stop: as process 1 it does not
 * feel the signal, so the command has its time to end. The command itself sees only the inner namespace.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Confinement,
  environmentFd,
  getsNameBack,
  isDirectory,
  keptCapabilities,
  need,
  overlayOptions,
  reachable,
  setupPrelude,
} from "./confinement.ts";
import { fstab, isPlainPath, type MountLine, mountsBelow, readMounts } from "./mount-table.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { shellQuote } from "./shell-quote.ts";

/** One thing to show inside; outer paths are shown before inner ones. */
interface Shown {
  readonly path: string;
  readonly options: readonly string[];
}

export function bubblewrapWorld(confinement: Confinement): readonly string[] {
  const { stage, standing, network } = confinement;
  const filter = seccompFilter(network !== "none");
  if (filter === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  writeFileSync(join(stage, "filter"), filter, { mode: 0o600 });
  const { lines, shown } = showRoots(confinement);
  if (lines.length > 0) writeFileSync(join(stage, "mounts"), fstab(lines), { mode: 0o600 });
  const flags = [
    ...(standing === "user" ? ["--user", "--map-root-user"] : []),
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
  ];
  const script = [
    setupPrelude,
    ...(lines.length > 0 ? [`${need("mount")} -a -T ${shellQuote(join(stage, "mounts"))} || fail mounts`] : []),
    "unset OLDPWD",
    // The command's words go their own way again only when everything stands.
    `exec ${need("bwrap")} ${words(confinement, shown)} --seccomp 7 -- ${need("sh")} -c '. /dev/fd/${environmentFd}; exec ${environmentFd}<&- 2>&6 6>&-; exec "$@"' karyi-init "$@" 7<${shellQuote(join(stage, "filter"))}`,
  ].join("\n");
  return [need("unshare"), ...flags, "--", need("sh"), "-c", script, "karyi-setup"];
}

/** The layers, mounted in the stage, and each root in its place. */
function showRoots({ stage, standing, roots }: Confinement): { readonly lines: readonly MountLine[]; readonly shown: readonly Shown[] } {
  const lines: MountLine[] = [];
  const shown: Shown[] = [];
  const mounts = readMounts();
  for (const [index, { path, layer }] of roots.entries()) {
    if (layer === undefined) {
      shown.push({ path, options: ["--bind", path] });
      continue;
    }
    const merged = join(stage, `merged${index}`);
    mkdirSync(merged);
    let lower = path;
    if (!isPlainPath(path)) {
      // What overlayfs would misread is reached by another name.
      lower = join(stage, `lower${index}`);
      mkdirSync(lower);
      lines.push({ source: path, target: lower, type: "none", options: "bind" });
    }
    const layers = `lowerdir=${lower},upperdir=${layer.upper},workdir=${layer.work}`;
    lines.push({ source: "karyi", target: merged, type: "overlay", options: `${overlayOptions(standing)},${layers},nodev` });
    shown.push({ path, options: ["--bind", merged] });
    // Another file system within the workspace is seen, but not captured: so it is read-only.
    for (const mount of mountsBelow(path, mounts)) shown.push({ path: mount, options: ["--ro-bind", mount] });
  }
  return { lines, shown };
}

function words(confinement: Confinement, roots: readonly Shown[]): string {
  const { standing, network, writable, emptied, kept, cwd } = confinement;
  const isRoot = process.getuid?.() === 0;
  const shown: Shown[] = [
    ...roots,
    ...writable.map((path) => ({ path, options: ["--bind", path] })),
    ...emptied.map((path) => ({ path, options: ["--perms", path === "/run" ? "0755" : "1777", "--tmpfs"] })),
    ...kept.map((path) => ({ path, options: ["--ro-bind", path] })),
    ...reachable(confinement).map((path) => ({
      path,
      options: isDirectory(path) ? ["--perms", "0555", "--tmpfs"] : ["--ro-bind", "/dev/null"],
    })),
  ];
  shown.sort((a, b) => a.path.length - b.path.length);
  return [
    ...["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL"],
    ...(isRoot ? keptCapabilities.flatMap((name) => ["--cap-add", `CAP_${name.toUpperCase()}`]) : []),
    ...(getsNameBack(standing) ? ["--unshare-user", "--uid", String(process.getuid?.()), "--gid", String(process.getgid?.())] : []),
    // It brings the loopback of the new namespace up by itself.
    ...(network === "on" ? [] : ["--unshare-net"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc"],
    // Root could change the kernel's settings there.
    ...(isRoot ? ["--remount-ro", "/proc"] : []),
    ...shown.flatMap(({ path, options }) => [...options, path]),
    ...["--chdir", cwd],
  ]
    .map(shellQuote)
    .join(" ");
}
