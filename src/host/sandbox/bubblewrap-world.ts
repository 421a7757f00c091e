/**
 * Builds the world of a command with bubblewrap: the same as `mount-world.ts`, and a seccomp filter. Refuses where the machine's
 * system calls are not known. Bubblewrap got overlays of its own only with version 0.11: an older one finds the layers mounted aside.
 *
 * Its watching process must outlive the signal that tells the group to stop, or the command would not have its time to end. Around
 * an older one there is a PID namespace anyway, whose process 1 does not feel the signal; a newer one ignores it, and the
 * command gets it back as it was. Either way the process that is waited for ends after everything in its namespace.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Confinement,
  emptyFile,
  environmentFd,
  getsNameBack,
  initName,
  isDirectory,
  keptCapabilities,
  type Layer,
  need,
  overlayOptions,
  quietInit,
  reachable,
  setupName,
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

/** Needs bubblewrap alone. */
export function overlayingBubblewrapWorld(confinement: Confinement): readonly string[] {
  const shown = confinement.roots.flatMap((root) =>
    showRoot(root, ({ upper, work }) => ["--overlay-src", root.path, "--overlay", upper, work]),
  );
  const script = [
    setupPrelude,
    "trap '' TERM",
    "unset OLDPWD",
    // A shell as process 1 ends last, and all others with it.
    bubblewrap(confinement, [...words(confinement, shown), "--as-pid-1"], `set -- ${need("env")} --default-signal=TERM "$@"; ${quietInit}`),
  ].join("\n");
  return [need("sh"), "-c", script, setupName];
}

/** For a bubblewrap without overlays of its own. */
export function bubblewrapWorld(confinement: Confinement): readonly string[] {
  const { stage, standing } = confinement;
  const { lines, shown } = mountRoots(confinement);
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
    bubblewrap(confinement, words(confinement, shown), 'exec "$@"'),
  ].join("\n");
  return [need("unshare"), ...flags, "--", need("sh"), "-c", script, setupName];
}

/** The line that becomes bubblewrap. The command's words go their own way again only when everything stands. */
function bubblewrap(confinement: Confinement, options: readonly string[], start: string): string {
  const { stage, network } = confinement;
  const filter = seccompFilter(network === "none" ? "internet" : network === "loopback" ? "local" : "all");
  if (filter === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  writeFileSync(join(stage, "filter"), filter, { mode: 0o600 });
  const init = `. /dev/fd/${environmentFd}; exec ${environmentFd}<&- 2>&6 6>&-; ${start}`;
  const argv = [confinement.bubblewrap ?? need("bwrap"), ...options, "--seccomp", "7", "--", need("sh"), "-c", init, initName(stage)];
  return `exec ${argv.map(shellQuote).join(" ")} "$@" 7<${shellQuote(join(stage, "filter"))}`;
}

/** A root in its place, its layer as `layered` says, and the file systems within. */
function showRoot({ path, layer }: Confinement["roots"][number], layered: (layer: Layer) => readonly string[]): readonly Shown[] {
  if (layer === undefined) return [{ path, options: ["--bind", path] }];
  return [
    { path, options: layered(layer) },
    // Another file system within the workspace is seen, but not captured: so it is read-only.
    ...mountsBelow(path, readMounts()).map((mount) => ({ path: mount, options: ["--ro-bind", mount] })),
  ];
}

/** The layers, mounted in the stage, and each root in its place. */
function mountRoots({ stage, standing, roots }: Confinement): { readonly lines: readonly MountLine[]; readonly shown: readonly Shown[] } {
  const lines: MountLine[] = [];
  const shown = roots.flatMap((root, index) =>
    showRoot(root, ({ upper, work }) => {
      const { path } = root;
      const merged = join(stage, `merged${index}`);
      mkdirSync(merged);
      let lower = path;
      if (!isPlainPath(path)) {
        // What overlayfs would misread is reached by another name.
        lower = join(stage, `lower${index}`);
        mkdirSync(lower);
        lines.push({ source: path, target: lower, type: "none", options: "bind" });
      }
      const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
      lines.push({ source: "karyi", target: merged, type: "overlay", options: `${overlayOptions(standing)},${layers},nodev` });
      return ["--bind", merged];
    }),
  );
  return { lines, shown };
}

function words(confinement: Confinement, roots: readonly Shown[]): readonly string[] {
  const { standing, network, writable, emptied, kept, cwd } = confinement;
  const isRoot = process.getuid?.() === 0;
  const nothing = emptyFile(confinement.stage);
  const shown: Shown[] = [
    ...roots,
    ...writable.map((path) => ({ path, options: ["--bind", path] })),
    ...emptied.map(({ path, at, closed }) => ({
      path,
      options: at === undefined ? ["--perms", "0755", "--tmpfs"] : [closed === true ? "--ro-bind" : "--bind", at],
    })),
    ...kept.map((path) => ({ path, options: ["--ro-bind", path] })),
    ...reachable(confinement).map((path) => ({
      path,
      options: isDirectory(path) ? ["--perms", "0000", "--tmpfs"] : ["--ro-bind", nothing],
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
  ];
}
