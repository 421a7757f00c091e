/**
 * Owns the directories of the operating system (F7), in the spellings of Linux, macOS and Windows: none is written, programs
 * and what tells about the machine are read, the rest is closed until a rule opens it. Owns the devices a command may name.
 * Refuses to make an exception for the kernel's own trees: not even a workspace inside `/proc` is readable.
 */
import { foldName } from "../../contract/index.ts";
import { type Ground, innermost, isInside, type Place } from "./ground.ts";

const posixSystem = [
  ..."/bin /sbin /usr /lib /lib32 /lib64 /libx32 /etc /proc /sys /dev /boot /run /var/run".split(" "),
  ..."/System /Library /private/etc /private/var/run /private/var/db /Network /cores".split(" "),
].map((path) => path.slice(1).split("/"));

const foldedSystem = posixSystem.map((names) => names.map(foldName));

const windowsSystem = ["windows", "program files", "program files (x86)", "programdata", "$recycle.bin", "system volume information"];
const kernel = new Set(["proc", "sys", "dev"]);

const streams = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"];
const writtenDevices = new Set([...streams, "/dev/zero", "/dev/full"]);
const readDevices = new Set([...writtenDevices, "/dev/random", "/dev/urandom"]);

/** Programs, their libraries and documentation: the same on every machine of a kind. */
const programs = new Set(["usr", "lib", "lib32", "lib64", "libx32", "bin", "sbin"]);

/** Tells about the machine, not about the people on it. */
const machineFacts = [
  /^etc\/(?:os-release|lsb-release|debian_version|[a-z]+-release|issue|hosts|hostname|timezone|localtime|shells|services)$/,
  /^etc\/(?:protocols|mime\.types|nsswitch\.conf|resolv\.conf|host\.conf|locale\.(?:conf|gen)|ld\.so\.conf|default\/locale)$/,
  /^etc\/(?:alternatives|ld\.so\.conf\.d|ssl\/certs|apt\/sources\.list(?:\.d)?)(?:\/|$)/,
  /^proc\/(?:cpuinfo|meminfo|version|uptime|loadavg|stat|vmstat|filesystems|mounts|partitions|swaps|cgroups|devices|modules)$/,
  /^proc\/(?:self|\d+)\/(?:cgroup|mountinfo|mounts|limits|status)$/,
  /^proc\/sys\/kernel\/(?:osrelease|ostype|version|hostname|pid_max|threads-max)$/,
  /^sys\/(?:devices\/system\/(?:cpu|memory|node)|fs\/cgroup|kernel\/mm)(?:\/|$)/,
];

/** No rule opens these. */
const alwaysClosed = [
  /^etc\/(?:.*\/)?(?:g?shadow-?|sudoers(?:\.d\/.*)?|master\.passwd|krb5\.keytab|.*_key)$/,
  /^etc\/(?:ssl|pki)\/(?:.*\/)?private(?:\/|$)/,
  /^proc\/[^/]+\/(?:.*\/)?(?:environ|mem|fd|root|cwd|exe|maps|auxv|map_files|fdinfo)(?:\/|$)/,
  /^proc\/k(?:core|msg|allsyms)$/,
  /^(?:var\/)?run\/.*(?:\.sock(?:et)?|\/socket|\/bus)$/,
];

/** `open`: read unasked. `closed`: refused until a rule of the person's opens it. `never`: no rule does. */
export function systemReading(place: Place, ground: Ground): "open" | "closed" | "never" {
  if (ground.world.systemPaths === "denied" || isAlwaysClosed(place, ground)) return "never";
  if (ground.world.platform !== "posix") return "closed";
  const names = place.map((name) => foldFor(ground, name));
  if (programs.has(names[0] ?? "")) return "open";
  return machineFacts.some((pattern) => pattern.test(names.join("/"))) ? "open" : "closed";
}

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

function isAlwaysClosed(place: Place, ground: Ground): boolean {
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

/** Nowhere, noise, or the command's own stream; judged by its spelling, since `/dev/stdout` is a link to anything. */
export function isCommandDevice(spelled: string, writes: boolean, ground: Ground): boolean {
  return ground.world.platform === "posix" && (writes ? writtenDevices : readDevices).has(spelled);
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
