/**
 * What a command sees beside its workspace: which directories are private, which stay writable, what is covered. A rehearsal may
 * leave nothing behind; an approved run keeps the machine's temporary files and the caches of package managers.
 */
import { type Dirent, lstatSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isSecretPath, type NetworkAccess, type Purpose, secretFilesIn, secretStores } from "../../contract/index.ts";
import type { Confinement } from "./confinement.ts";
import { DirectoryMemory } from "./directory-memory.ts";
import { cacheDirectories } from "./home-caches.ts";
import { isBelow, isWithin } from "./mount-table.ts";
import type { OwnDirectory } from "./session-place.ts";
import { stateBases } from "./state-directory.ts";

export interface Surroundings {
  readonly home: string;
  readonly userHome: string;
  readonly purpose: Purpose;
  readonly network: NetworkAccess;
  readonly roots: readonly string[];
  /** Temporary directories of the session; without them those of the machine, or of a rehearsal. */
  readonly own?: readonly OwnDirectory[];
}

/** Directories of the home in which the table of secrets is looked for; the home as a whole is too large for that. */
const looked: readonly string[] = [
  ...new Set([
    "",
    ...secretStores.map((store) => dirname(store)).filter((directory) => directory !== "."),
    ...secretFilesIn.map(([directory]) => directory),
    ...[".claude", ".codex", ".gemini", ".composer", ".config/composer", ".config/containers", ".terraform.d", ".pulumi"],
    ...[".cache/huggingface", ".local/share/fish", ".config/fish", ".continue", ".aider"],
  ]),
];

/** Settings that programs need to reach a service, and that often hold the key to it: without a network nobody needs them. */
const serviceSettings = [
  ...[".npmrc", ".yarnrc.yml", ".curlrc", ".wgetrc", ".my.cnf", ".terraformrc", ".m2/settings.xml", ".gradle/gradle.properties"],
  ...[".pip/pip.conf", ".config/pip/pip.conf", ".nuget/NuGet/NuGet.Config", ".nuget/NuGet.Config"],
];

/** Nobody but root can read these anyway. */
const rootSecrets = [
  ...["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/sudoers", "/etc/ssl/private"],
  ...["rsa", "ecdsa", "ed25519", "dsa"].map((kind) => `/etc/ssh/ssh_host_${kind}_key`),
];

/** `temporary`: emptied as well, but what is written there is of interest. */
export function surroundings(
  place: Surroundings,
): Pick<Confinement, "writable" | "emptied" | "hidden" | "kept"> & { readonly temporary: readonly string[] } {
  const { home, userHome, purpose, network, roots, own = [] } = place;
  const temporary = own.length > 0 ? [] : existing(["/tmp", "/var/tmp", ...(purpose === "rehearse" ? [] : [tmpdir()])]);
  const run = existing(["/run"]);
  const emptied = [...(purpose === "rehearse" ? temporary : []), ...run, ...own.map(({ path }) => path)];
  const writable = purpose === "rehearse" || purpose === "read" ? [] : outermost([...temporary, ...existing(cacheDirectories(userHome))]);
  const settings = serviceSettings.map((path) => join(userHome, path));
  const hidden = existing([
    ...homeSecrets(userHome).filter((path) => network !== "on" || !settings.includes(path)),
    ...(network === "on" ? [] : settings),
    join(userHome, ".karyi"),
    ...(process.getuid?.() === 0 ? rootSecrets : []),
    home,
    ...stateBases(home),
  ]);
  // What only reads is given no socket at all.
  const sockets =
    network === "on" || purpose === "read"
      ? []
      : listeningSockets().filter((path) => ![...emptied, ...hidden].some((directory) => isWithin(path, directory)));
  return {
    // A root that is written directly, or lies around a writable directory, needs no second opening.
    writable: writable.filter((path) => !roots.some((root) => isWithin(path, root))),
    emptied: [...run.map((path) => ({ path })), ...own.map((one) => ({ ...one, closed: purpose === "read" }))],
    temporary: purpose === "rehearse" ? temporary : [],
    hidden: [...hidden, ...sockets],
    kept: network === "on" ? resolver(emptied) : [],
  };
}

/** Keys, tokens and passwords in the person's home, and what was typed there. */
function homeSecrets(userHome: string): readonly string[] {
  const known = homes.get(userHome) ?? new DirectoryMemory((directory, entries) => secretsOf(userHome, directory, entries));
  homes.set(userHome, known);
  return looked.flatMap((directory) => known.look(join(userHome, directory)) ?? []);
}

const homes = new Map<string, DirectoryMemory<readonly string[]>>();

function secretsOf(userHome: string, directory: string, entries: readonly Dirent[]): readonly string[] {
  return entries.map(({ name }) => join(directory, name)).filter((path) => isSecretPath(relative(userHome, path)));
}

/** Real paths of what is there, each once. */
function existing(paths: readonly string[]): readonly string[] {
  return [
    ...new Set(
      paths.flatMap((path) => {
        try {
          // Most are not there: asked so, that is no exception.
          if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
          return [realpathSync.native(path)];
        } catch {
          return [];
        }
      }),
    ),
  ];
}

function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => isBelow(path, other)));
}

/** Services of the host that are reached through a name in the file system, which no network namespace closes. */
function listeningSockets(): readonly string[] {
  const accepting = 0x10000;
  const paths = socketTable()
    .split("\n")
    .flatMap((line) => {
      const match = /^\S+ \S+ \S+ (\S+) \S+ \S+ +\S+ (\/.*)$/.exec(line);
      return match !== null && (Number.parseInt(match[1] ?? "0", 16) & accepting) !== 0 ? [match[2] ?? ""] : [];
    });
  return existing(paths).filter(isSocket);
}

function socketTable(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8");
  } catch {
    return "";
  }
}

/** One that vanished meanwhile must not keep the others from being found. */
function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}

/** Names are looked up through files that often lie in /run. */
function resolver(emptied: readonly string[]): readonly string[] {
  return existing(["/etc/resolv.conf"])
    .map((path) => dirname(path))
    .filter((directory) => emptied.some((outer) => isBelow(directory, outer)));
}
