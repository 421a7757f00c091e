/**
 * Owns the walk from a path as written to the place it means: links are followed name by name as the kernel
 * does, so `a/link/../x` is judged where it really is, also when its end does not exist yet.
 * Refuses to guess: a loop, a closed directory or a name that cannot be spelled is `unreadable`, and what
 * could not be followed stays in `real` as text.
 */
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize, parse, resolve as resolveText, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { PathFacts, PathKind } from "../../contract/index.ts";
import { kindOf, lstat, readlink, realpath } from "./calls.ts";
import { isMissing, isSpeakable, namesDirectory } from "./failures.ts";

/** What Linux allows. */
const maxLinks = 40;

/** Directories of the machine in whose place a session has its own. */
export interface OwnPlaces {
  /** Whether a path may lead into one of them. */
  concerns(path: string): boolean;
  /** The directory that stands in the place of `directory`, unless `name` in it is the machine's for everybody. */
  inPlaceOf(directory: string, name: string): Promise<string | undefined>;
  /** The machine's name of a directory that stands in its place. */
  nameOf(directory: string): string | undefined;
}

/** Never throws. */
export async function resolvePath(cwd: string, asked: string, userHome?: string, own?: OwnPlaces): Promise<PathFacts> {
  const spelled = absolute(cwd, asked, userHome);
  const lexical = resolveText(spelled);
  if (!isSpeakable(spelled)) return { asked, spelled, lexical, real: lexical, kind: "unreadable" };
  const found = (own?.concerns(lexical) === true ? undefined : await straight(spelled, lexical)) ?? (await walk(spelled, own));
  // `name/` is a directory, or nothing the kernel would open.
  if (namesDirectory(spelled) && found.kind !== "directory" && found.kind !== "absent")
    return { asked, spelled, lexical, real: found.real, kind: "unreadable" };
  return { asked, spelled, lexical, ...found };
}

/** As people mean it: `~` is their home, `file://` an address of a path. What stands in the way, as `./~` or `./file:`, is a name. */
function absolute(cwd: string, asked: string, userHome: string | undefined): string {
  if (isAbsolute(asked)) return asked;
  if (asked === "~" || asked.startsWith("~/") || asked.startsWith(`~${sep}`)) return (userHome ?? homedir()) + asked.slice(1);
  if (/^file:\/\//i.test(asked)) {
    try {
      return pathOfUrl(asked);
    } catch {
      // Of another machine, or no address after all.
    }
  }
  return cwd + (cwd.endsWith(sep) ? "" : sep) + asked;
}

/** `fileURLToPath` drops each `..`; the path as written keeps them, because one that leaves a root is refused for a file tool. */
function pathOfUrl(url: string): string {
  const path = fileURLToPath(url);
  const written = decodeURIComponent(/^file:\/\/[^/]*([^?#]*)/i.exec(url)?.[1] ?? "");
  return resolveText(written) === resolveText(path) ? written : path;
}

interface Found {
  readonly real: string;
  readonly kind: PathKind;
  readonly hardLinks?: number;
}

/** The common case in two calls: everything on the way exists and none of it is a link, which only the walk follows with care. */
async function straight(spelled: string, lexical: string): Promise<Found | undefined> {
  try {
    const real = await realpath(spelled);
    if (real !== lexical || split(spelled).includes("..")) return undefined;
    const stats = await lstat(real);
    // A link here appeared between the two calls: the slow walk decides.
    return stats.isSymbolicLink() ? undefined : found(real, stats);
  } catch {
    return undefined;
  }
}

function found(real: string, stats: Awaited<ReturnType<typeof lstat>>): Found {
  const kind = kindOf(stats);
  return kind === "file" ? { real, kind, hardLinks: stats.nlink } : { real, kind };
}

async function walk(spelled: string, own?: OwnPlaces): Promise<Found> {
  const root = parse(spelled).root;
  let real = root;
  let links = 0;
  let last: Found = { real, kind: "directory" };
  // The last name comes first, so that the target of a link is pushed in front of what follows it.
  const names = split(spelled.slice(root.length)).reverse();
  while (names.length > 0) {
    const name = names.pop();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      real = dirname(real);
      real = own?.nameOf(real) ?? real;
      last = { real, kind: "directory" };
      continue;
    }
    const next = await placeOf(real, name, own);
    try {
      const stats = await lstat(next);
      if (!stats.isSymbolicLink()) {
        real = next;
        last = found(real, stats);
        continue;
      }
      if (isMagic(next)) return unreadable(next, names);
      links += 1;
      if (links > maxLinks) return unreadable(next, names);
      const target = await readlink(next);
      if (isAbsolute(target)) real = parse(target).root;
      names.push(...split(isAbsolute(target) ? target.slice(real.length) : target).reverse());
      last = { real, kind: "directory" };
    } catch (error) {
      if (!isMissing(error)) return unreadable(next, names);
      real = next;
      last = { real, kind: "absent" };
    }
  }
  // After `..` the walk stands on a name it has not looked at: an absent one is not a directory.
  return last.kind === "directory" ? await lookAgain(last) : last;
}

/** What a process holds (`cwd`, `root`, `fd/0`, …): where such a link leads is true of that process and moment alone, so nobody judges by it. */
function isMagic(path: string): boolean {
  return /^\/proc\/\d+\//.test(path);
}

/** A name that the session wrote, or that nobody did, is the session's; any other is the machine's. */
async function placeOf(real: string, name: string, own: OwnPlaces | undefined): Promise<string> {
  const machines = join(real, name);
  const directory = await own?.inPlaceOf(real, name);
  if (directory === undefined) return machines;
  const sessions = join(directory, name);
  return (await exists(sessions)) || !(await exists(machines)) ? sessions : machines;
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return !isMissing(error);
  }
}

async function lookAgain(last: Found): Promise<Found> {
  try {
    return found(last.real, await lstat(last.real));
  } catch (error) {
    return { real: last.real, kind: isMissing(error) ? "absent" : "unreadable" };
  }
}

function unreadable(real: string, rest: readonly string[]): Found {
  return { real: normalize(join(real, ...[...rest].reverse())), kind: "unreadable" };
}

function split(path: string): string[] {
  return sep === "/" ? path.split("/") : path.split(/[\\/]/);
}
