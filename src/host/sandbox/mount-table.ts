/**
 * The mounts of this machine as the kernel lists them, and lines of an fstab as `mount -a` reads them.
 * Names with blanks, newlines or backslashes are written in octal, as both ends agree on.
 */
import { readFileSync } from "node:fs";

export interface MountPoint {
  readonly path: string;
  /** The path as the kernel spells it. */
  readonly raw: string;
  /** What holds for this mount point: `rw`, `nosuid`, … */
  readonly options: readonly string[];
}

export function readMounts(): readonly MountPoint[] {
  return parseMounts(readFileSync("/proc/self/mountinfo", "utf8"));
}

function parseMounts(text: string): readonly MountPoint[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [, , , , raw = "", options = ""] = line.split(" ", 6);
      return { path: unescapeOctal(raw), raw, options: options.split(",") };
    });
}

/** Mount points that lie below `directory`, not the directory itself; outer ones first. */
export function mountsBelow(directory: string, mounts: readonly MountPoint[]): readonly string[] {
  return [...new Set(mounts.map(({ path }) => path).filter((path) => isBelow(path, directory)))].sort((a, b) => a.length - b.length);
}

/** The mount that a path lies on. */
export function mountOf(path: string, mounts: readonly MountPoint[]): MountPoint {
  let found: MountPoint = { path: "/", raw: "/", options: ["rw"] };
  // Of two at one place the later one is seen.
  for (const mount of mounts) if (isWithin(path, mount.path) && mount.path.length >= found.path.length) found = mount;
  return found;
}

/** Mounts, as the kernel spells them, that are hidden: by a second one at the same place, or by one over a parent that came later. */
export function hiddenMounts(mounts: readonly MountPoint[]): readonly string[] {
  const hidden = mounts.filter(({ path }, index) =>
    mounts.some((other, later) => later > index && (other.path === path || isBelow(path, other.path))),
  );
  return [...new Set(hidden.map(({ raw }) => raw))];
}

export function isBelow(path: string, directory: string): boolean {
  return path !== directory && (directory === "/" || path.startsWith(`${directory}/`));
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || isBelow(path, directory);
}

export interface MountLine {
  readonly source: string;
  readonly target: string;
  readonly type: string;
  readonly options: string;
}

export function fstab(lines: readonly MountLine[]): string {
  return lines
    .map(({ source, target, type, options }) => `${escapeOctal(source)} ${escapeOctal(target)} ${type} ${options} 0 0\n`)
    .join("");
}

/** True where the name means the same to mount, to the options of overlayfs and to a shell pattern. */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_./+@%=~-]+$/.test(path);
}

function escapeOctal(path: string): string {
  return path.replace(/[\s\\#"]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
