/**
 * Whether plain `git status` and the like are harmless here: a repository's own config can name
 * programs that git runs (fsmonitor, textconv, diff drivers, filters, aliases, pagers…). Only a config
 * whose every key is known to run nothing counts as harmless; whatever cannot be read does not.
 */
import { dirname, join, resolve } from "node:path";
import type { FileReader } from "../../contract/index.ts";

/** What git runs when it writes its index anew, which it also does while it only looks. */
const refreshHook = "post-index-change";
const maxConfigBytes = 256 * 1024;
const maxIndexBytes = 64 * 1024 * 1024;

/** Sections and keys that never make git run or read anything else. */
const harmless: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|untrackedcache|preloadindex|trustctime|sharedrepository|sparsecheckout|sparsecheckoutcone|longpaths|protecthfs|protectntfs|commentchar)$/,
  /^(user|author|committer)\.(name|email|useconfigonly)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|mirror|skipdefaultupdate|skipfetchall)$/,
  /^branch\..+\.(remote|merge|rebase|description|pushremote|vscode-merge-base|github-pr-owner-number|gh-merge-base)$/,
  /^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  /^(init|push|pull|fetch|color|column|advice|status|log|rerere|gc|index|pack|feature|extensions|checkout|rebase|commit|tag|blame|apply|merge|diff)\.[a-z0-9-]+$/,
  /^color\..+$/,
  /^(maintenance|submodule)\..*(active|url|update|branch|strategy|auto)$/,
  /^lfs\.(repositoryformatversion|.+\.access)$/,
];

/** Keys that would match above and yet name a program or another file. */
const harmful =
  /^(diff\.external|diff\..*\.(textconv|command|binary)|merge\.(tool|guitool)|merge\..*\.driver|commit\.template|commit\.gpgsign|tag\.gpgsign|push\.gpgsign|log\.showsignature|submodule\..*\.update|rebase\.(instructionformat|.*exec.*)|blame\.ignorerevsfile|extensions\.worktreeconfig|extensions\.partialclone|status\.submodulesummary|diff\.submodule|gc\..*command|init\.templatedir|pull\.twohead|pull\.octopus|log\.mailmap.*|apply\.whitespace.*command)$/;

export interface GitTrust {
  readonly gitTrusted: boolean;
  /** What the repository's own config sets, where it could be read: flags may neutralise those keys. */
  readonly gitConfigKeys?: readonly string[];
  /** The directory that holds the repository. */
  readonly gitRoot?: string;
  /** Directories the command goes to where git is as harmless. */
  readonly gitDirectories?: readonly string[];
}

type Reader = Pick<FileReader, "resolve" | "stat" | "readAll">;

/**
 * Looked up only for a command that could name git; one that spells it so that its text does not show the name
 * gets no trust at all, and is asked about. `mayRunHooks`: nothing keeps git from running hooks there.
 */
export async function gitTrustFor(command: string, cwd: string, files: Reader, { mayRunHooks = false } = {}): Promise<GitTrust> {
  if (!/git/i.test(command)) return { gitTrusted: false };
  const [here, ...others] = await Promise.all([
    gitTrust(cwd, files, mayRunHooks),
    ...placesIn(command, cwd).map((place) => trustedPlace(place, files, mayRunHooks)),
  ]);
  const gitDirectories = others.filter((place) => place !== undefined);
  return gitDirectories.length === 0 ? here : { ...here, gitDirectories };
}

/** Where a command calls git, as far as its text shows; nowhere if it does not name it. */
export function gitPlaces(command: string, cwd: string): readonly string[] {
  return /git/i.test(command) ? [cwd, ...placesIn(command, cwd)] : [];
}

const maxPlaces = 8;
const goingTo = /(?:\bcd|\bpushd|-C)[ \t]+(?:"([^"$`\\]+)"|'([^']+)'|([^\s;&|()<>"'$`\\*?[{~]+))/g;

/** Where a command may go before it calls git, as far as its text shows: each place counts from where it starts, and from the one before. */
function placesIn(command: string, cwd: string): readonly string[] {
  const places = new Set<string>();
  let last = cwd;
  for (const [, double, single, bare] of command.matchAll(goingTo)) {
    const target = double ?? single ?? bare ?? ".";
    last = resolve(last, target);
    places.add(last).add(resolve(cwd, target));
    if (places.size >= maxPlaces) break;
  }
  places.delete(cwd);
  return [...places];
}

/** Git looks upward from where a directory really lies. */
async function trustedPlace(place: string, files: Reader, mayRunHooks: boolean): Promise<string | undefined> {
  const { kind, real } = await files.resolve(place);
  return kind === "directory" && (await gitTrust(real, files, mayRunHooks)).gitTrusted ? place : undefined;
}

async function gitTrust(cwd: string, files: Reader, mayRunHooks: boolean): Promise<GitTrust> {
  const directories = withParents(cwd);
  // All at once: most are not there, and each look takes a turn of the system.
  const looks = await Promise.all(
    directories.map(async (directory) => {
      const [git, head] = await Promise.all([files.stat(join(directory, ".git")), files.stat(join(directory, "HEAD"))]);
      return { directory, git, head };
    }),
  );
  for (const { directory, git: stat, head } of looks) {
    if (stat) {
      const git = join(directory, ".git");
      // A `.git` file points somewhere else, and a worktree has a second config: anything may be set there.
      if (stat.kind !== "directory" || (await files.stat(join(git, "config.worktree")))) return { gitTrusted: false };
      if (await leadsElsewhere(git, files)) return { gitTrusted: false };
      // Git enters a nested repository and obeys its config too, which nobody has looked at.
      if (await hasNestedRepositories(git, files)) return { gitTrusted: false };
      if (mayRunHooks && (await files.stat(join(git, "hooks", refreshHook)))) return { gitTrusted: false };
      const keys = await configKeys(join(git, "config"), files);
      if (mayRunHooks && keys?.includes("core.hookspath")) return { gitTrusted: false };
      return keys === undefined ? { gitTrusted: false } : { gitTrusted: keys.every(isHarmless), gitConfigKeys: keys, gitRoot: directory };
    }
    // A bare repository looks like this: git would take its config from here.
    if (head && (await files.stat(join(directory, "objects")))) return { gitTrusted: false };
  }
  return { gitTrusted: true };
}

/** Parts that git reads without a word of where they lie, and files that name another directory to read them from. */
const parts = ["objects", "objects/pack", "objects/info", "refs", "HEAD", "index", "packed-refs", "config"];
const pointers = ["commondir", "objects/info/alternates", "objects/info/http-alternates"];

/** True if what git would show is, or may be, kept in another place than this repository, which nobody has judged. */
async function leadsElsewhere(git: string, files: Reader): Promise<boolean> {
  const { real } = await files.resolve(git);
  const [named, lying] = await Promise.all([
    Promise.all(pointers.map((name) => files.stat(join(real, name)))),
    Promise.all(parts.map((name) => files.resolve(join(real, name)))),
  ]);
  return named.some((stat) => stat !== undefined) || lying.some((part, index) => part.real !== join(real, parts[index] ?? ""));
}

function withParents(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...withParents(parent)];
}

/** Mode 160000 in the index marks a nested repository. A split index is not looked through. */
async function hasNestedRepositories(git: string, files: Reader): Promise<boolean> {
  const path = join(git, "index");
  if (!(await files.stat(path))) return false;
  try {
    const { bytes } = await files.readAll(await files.resolve(path), maxIndexBytes);
    const index = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return index.includes(Buffer.from([0, 0, 0xe0, 0])) || index.includes("link\0\0\0", 0, "latin1");
  } catch {
    return true;
  }
}

const isHarmless = (key: string): boolean => !harmful.test(key) && harmless.some((pattern) => pattern.test(key));

async function configKeys(path: string, files: Reader): Promise<string[] | undefined> {
  try {
    const { bytes } = await files.readAll(await files.resolve(path), maxConfigBytes);
    return keysOf(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** The keys of a git config in lower case; `undefined` where the text is not plain enough to be sure. */
function keysOf(text: string): string[] | undefined {
  const keys: string[] = [];
  let section: string | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    // A continued line or a key on the line of its section could hide the next key from this reader.
    if (line.endsWith("\\")) return undefined;
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*$/.exec(line);
    if (header) {
      section = header[2] === undefined ? (header[1] ?? "").toLowerCase() : `${(header[1] ?? "").toLowerCase()}.${header[2].toLowerCase()}`;
      continue;
    }
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(=.*)?$/.exec(line);
    if (!key || section === undefined) return undefined;
    keys.push(`${section}.${(key[1] ?? "").toLowerCase()}`);
  }
  return keys;
}
