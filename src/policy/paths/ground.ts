/**
 * Owns the world prepared for comparing: every directory of it cut into names once, and the questions "is this
 * inside that" on whole names only, so that `/repo-evil` is not inside `/repo`.
 * Refuses relative paths: what is not absolute has no place.
 */
import type { PolicyWorld } from "../../contract/index.ts";

/** A path as comparable names, from the root down. */
export type Place = readonly string[];

export interface Ground {
  readonly world: PolicyWorld;
  readonly roots: readonly Place[];
  readonly temporary: readonly Place[];
  /** Where a session's own temporary directories really lie. */
  readonly ownTemporary: readonly Place[];
  /** Both of them. */
  readonly owned: readonly Place[];
  readonly gitDirectories: readonly Place[];
  readonly userHome: Place | undefined;
  readonly karyiHomes: readonly Place[];
  /** `undefined` where the path is not absolute. */
  place(path: string): Place | undefined;
}

const known = new WeakMap<PolicyWorld, Ground>();
/** The last few worlds by content: a caller that builds its world anew for every call pays nothing for it. */
const recent = new Map<string, Ground>();
const maxRecent = 16;

let lastWorld: PolicyWorld | undefined;
let lastGround: Ground | undefined;

export function groundOf(world: PolicyWorld): Ground {
  if (lastGround !== undefined && lastWorld === world) return lastGround;
  let ground = known.get(world);
  if (!ground) {
    const key = JSON.stringify(world);
    ground = recent.get(key) ?? prepare(world);
    if (recent.size >= maxRecent) recent.clear();
    recent.set(key, ground);
    known.set(world, ground);
  }
  lastWorld = world;
  lastGround = ground;
  return ground;
}

function prepare(world: PolicyWorld): Ground {
  const place = (path: string): Place | undefined => placeOf(path, world);
  const places = (paths: readonly string[]): Place[] => paths.map(place).filter((found) => found !== undefined);
  const userHome = place(world.userHome);
  const defaultHome = userHome === undefined ? [] : [[...userHome, ".karyi"]];
  const roots = places([...new Set([world.workspace, ...world.roots])]);
  const ownTemporary = places(world.ownTemporary ?? []);
  const temporary = [...places(world.temporary), ...ownTemporary];
  return {
    world,
    place,
    roots,
    temporary,
    ownTemporary,
    owned: [...roots, ...temporary],
    gitDirectories: places(world.gitDirectories ?? []),
    userHome,
    karyiHomes: [...places([world.karyiHome]), ...defaultHome],
  };
}

/** Cuts a path into names without removing `..`; empty names and `.` are gone. */
function rawNames(path: string, platform: PolicyWorld["platform"]): string[] | undefined {
  if (platform === "posix") {
    if (!path.startsWith("/")) return undefined;
    return path.split("/").filter(isName);
  }
  const slashed = path.replaceAll("\\", "/").replace(/^\/\/\?\/(?=[a-z]:\/)/i, "");
  const network = /^\/\/([^/]+)(\/.*)?$/.exec(slashed);
  const drive = /^\/(?:cygdrive\/)?([a-z])(\/.*)?$/i.exec(slashed) ?? /^([a-z]):(\/.*)$/i.exec(slashed);
  const head = network ? `//${network[1]}` : drive ? `${drive[1]}:` : undefined;
  if (head === undefined) return undefined;
  const rest = (network ?? drive)?.[2] ?? "";
  return [head, ...rest.split("/").filter(isName)];
}

function isName(text: string): boolean {
  return text !== "" && text !== ".";
}

function placeOf(path: string, world: PolicyWorld): Place | undefined {
  const names = rawNames(path, world.platform);
  return world.platform === "posix" && !world.caseInsensitive ? names : names?.map((name) => comparable(name, world));
}

function comparable(name: string, world: PolicyWorld): string {
  if (world.platform === "win32") return (name.replace(/[. ]+$/, "") || name).normalize("NFC").toLowerCase();
  return world.caseInsensitive ? name.normalize("NFC").toLowerCase() : name;
}

/** Equal counts as inside. */
export function isInside(place: Place, directory: Place): boolean {
  if (place.length < directory.length) return false;
  for (let index = directory.length - 1; index >= 0; index -= 1) if (place[index] !== directory[index]) return false;
  return true;
}

export function isInsideAny(place: Place, directories: readonly Place[]): boolean {
  return directories.some((directory) => isInside(place, directory));
}

/** The deepest of the directories that hold the place. */
export function innermost(place: Place, directories: readonly Place[]): Place | undefined {
  let found: Place | undefined;
  for (const directory of directories) {
    if (isInside(place, directory) && (found === undefined || directory.length > found.length)) found = directory;
  }
  return found;
}

/**
 * True when a `..` steps out of the roots at any moment of the walk, whatever the rest leads back to.
 * From one root into another that holds it is not out.
 */
export function stepsOut(spelled: string, ground: Ground): boolean {
  if (!spelled.includes("..")) return false;
  const walked: string[] = [];
  for (const name of rawNames(spelled, ground.world.platform) ?? []) {
    if (name !== "..") {
      walked.push(comparable(name, ground.world));
      continue;
    }
    const wasInside = isInsideAny(walked, ground.roots);
    walked.pop();
    if (wasInside && !isInsideAny(walked, ground.roots)) return true;
  }
  return false;
}

export function hasDotDot(spelled: string, ground: Ground): boolean {
  return spelled.includes("..") && (rawNames(spelled, ground.world.platform) ?? []).includes("..");
}
