/**
 * What a session has of its own on this machine: temporary directories that its commands see as /tmp and /var/tmp, kept in the home
 * and gone with the session. Those of a home that is read-only lie among the machine's temporary files and go with this process.
 * Nobody else can look into them. Refuses to make anything before it is needed.
 */
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isBelow, isWithin } from "./mount-table.ts";
import { isReadOnly, removeRun } from "./state-directory.ts";

/** A directory of the machine, and what stands in its place for the session. */
export interface OwnDirectory {
  readonly path: string;
  readonly at: string;
}

/** By the names that commands use. */
export const temporaryNames: readonly string[] = ["/tmp", "/var/tmp"];

/** By home: what stands for its directory of temporary files because the home is read-only. */
const standIns = new Map<string, string>();

function placesOf(home: string): string {
  if (!isReadOnly(home)) return join(home, "temporary");
  const known = standIns.get(home);
  if (known !== undefined) return known;
  const standIn = join(tmpdir(), `karyi-temporary-${randomBytes(8).toString("hex")}`);
  standIns.set(home, standIn);
  process.once("exit", () => removeRun(standIn));
  return standIn;
}

function sessionDirectory(home: string, session: string): string {
  return join(placesOf(home), createHash("sha256").update(session).digest("hex").slice(0, 16));
}

/** Real paths of a session's temporary directories, whether they are there or not. */
export function temporaryOf(home: string, session: string): readonly OwnDirectory[] {
  const own = sessionDirectory(home, session);
  return temporaryNames.map((path) => ({ path, at: join(own, path.slice(1).replaceAll("/", "-")) }));
}

/** Makes them. What of the machine is `shown` below a temporary directory gets a place in it, on which it is mounted. */
export function makeTemporary(home: string, session: string, shown: readonly string[] = []): readonly OwnDirectory[] {
  const directories = temporaryOf(home, session).filter(({ path }) => isDirectory(path));
  for (const { path, at } of directories) {
    if (!isDirectory(at)) {
      mkdirSync(placesOf(home), { recursive: true, mode: 0o700 });
      mkdirSync(at, { recursive: true, mode: 0o700 });
      chmodSync(at, 0o1777);
    }
    for (const inner of shown) if (isBelow(inner, path)) makePlace(at, relative(path, inner).split("/"), !isFile(inner));
  }
  return directories;
}

/**
 * Name by name, each looked up in the open directory before it: commands write there too, and a link that one of them left, or puts
 * there meanwhile, would lead out. Such a link is removed.
 */
function makePlace(at: string, names: readonly string[], isDirectory: boolean): void {
  const { O_RDONLY, O_WRONLY, O_CREAT, O_DIRECTORY, O_NOFOLLOW } = constants;
  const asDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
  let open = openSync(at, asDirectory);
  try {
    for (const [index, name] of names.entries()) {
      const place = `/proc/self/fd/${open}/${name}`;
      const isLast = index === names.length - 1;
      const flags = isLast && !isDirectory ? O_WRONLY | O_CREAT | O_NOFOLLOW : asDirectory;
      let next: number;
      try {
        next = openPlace(place, flags);
      } catch (error) {
        if (!["ELOOP", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
        rmSync(place, { recursive: true, force: true });
        next = openPlace(place, flags);
      }
      closeSync(open);
      open = next;
    }
  } finally {
    closeSync(open);
  }
}

function openPlace(place: string, flags: number): number {
  if ((flags & constants.O_DIRECTORY) !== 0 && lstatSync(place, { throwIfNoEntry: false }) === undefined) mkdirSync(place);
  return openSync(place, flags);
}

/** Removes the temporary files of one session. */
export function removeSessionPlace(home: string, session: string): void {
  removeRun(sessionDirectory(home, session));
}

/** Removes what belongs to no session of `sessions`; answers how many. */
export function sweepSessionPlaces(home: string, sessions: readonly string[], dryRun: boolean): number {
  const kept = new Set(sessions.map((session) => sessionDirectory(home, session)));
  let names: readonly string[] = [];
  try {
    names = readdirSync(placesOf(home));
  } catch {
    // Nothing was ever made.
  }
  const left = names.map((name) => join(placesOf(home), name)).filter((path) => !kept.has(path));
  if (!dryRun) for (const path of left) removeRun(path);
  return left.length;
}

/** A name in a temporary directory that a root is, lies in, or lies below: it is the machine's for everybody. */
export function leadsToRoot(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isWithin(path, root) || isWithin(root, path));
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
