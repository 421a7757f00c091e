/**
 * Owns the directories of the operating system, which no tool reads or writes (F7), in the spellings of Linux,
 * macOS and Windows, and the few device files a command may name.
 * Refuses to make an exception for the kernel's own trees: not even a workspace inside `/proc` is readable.
 */
import { type Ground, innermost, isInside, type Place } from "./ground.ts";
import { foldName } from "./names.ts";

const posixSystem = [
  ..."/bin /sbin /usr /lib /lib32 /lib64 /libx32 /etc /proc /sys /dev /boot /run /var/run".split(" "),
  ..."/System /Library /private/etc /private/var/run /private/var/db /Network /cores".split(" "),
].map((path) => path.slice(1).split("/"));

const foldedSystem = posixSystem.map((names) => names.map(foldName));

const windowsSystem = ["windows", "program files", "program files (x86)", "programdata", "$recycle.bin", "system volume information"];
const kernel = new Set(["proc", "sys", "dev"]);

const commandDevices = new Set(["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"]);

/** Stays closed even where reading its directory was configured. */
const alwaysClosed = [
  /^etc\/(?:.*\/)?(?:g?shadow-?|sudoers(?:\.d\/.*)?|master\.passwd|krb5\.keytab|.*_key)$/,
  /^etc\/(?:ssl|pki)\/(?:.*\/)?private(?:\/|$)/,
  /^proc\/[^/]+\/(?:.*\/)?(?:environ|mem|fd|root|cwd|exe|maps|auxv|map_files|fdinfo)(?:\/|$)/,
  /^proc\/k(?:core|msg|allsyms)$/,
];

/** The system directory a place belongs to; a workspace inside one is not the system's. */
export function systemDirectory(place: Place, ground: Ground): string | undefined {
  const found = ground.world.platform === "win32" ? windowsDirectory(place) : posixDirectory(place, ground);
  if (found === undefined) return undefined;
  const shown = ground.world.platform === "win32" ? found.join("\\") : `/${found.join("/")}`;
  if (isKernel(place, ground)) return shown;
  const root = innermost(place, ground.owned);
  return root !== undefined && root.length > found.length && isInside(root, found) ? undefined : shown;
}

export function isKernel(place: Place, ground: Ground): boolean {
  return ground.world.platform === "posix" && kernel.has(foldFor(ground, place[0] ?? ""));
}

export function isAlwaysClosed(place: Place, ground: Ground): boolean {
  const path = place
    .map((name) => foldFor(ground, name))
    .join("/")
    .replace(/^private\//, "");
  return alwaysClosed.some((pattern) => pattern.test(path));
}

/** True when the place lies in a system directory or around one. */
export function touchesSystem(place: Place): boolean {
  return posixSystem.some((system) => isInside(place, system) || isInside(system, place));
}

/** True when a system directory lies somewhere below: a recursive read or removal would reach it. */
export function holdsSystem(place: Place, ground: Ground): boolean {
  if (ground.world.platform === "win32") return place.length <= 1;
  return posixSystem.some((system) => system.length > place.length && isInside(system, place));
}

/** Where output of commands goes to die or to be seen; judged by its spelling, since `/dev/stdout` is a link to anything. */
export function isCommandDevice(spelled: string, ground: Ground): boolean {
  return ground.world.platform === "posix" && commandDevices.has(spelled);
}

function posixDirectory(place: Place, ground: Ground): Place | undefined {
  if (!ground.world.caseInsensitive) return posixSystem.find((system) => isInside(place, system));
  const names = place.map(foldName);
  return foldedSystem.find((system) => isInside(names, system));
}

function windowsDirectory(place: Place): Place | undefined {
  const [drive, first] = place;
  if (drive === undefined || first === undefined) return undefined;
  return windowsSystem.includes(first) ? [drive, first] : undefined;
}

function foldFor(ground: Ground, name: string): string {
  return ground.world.caseInsensitive ? foldName(name) : name;
}
