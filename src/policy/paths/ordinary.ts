/**
 * Owns the short way for the paths most calls name: clean text, inside one root that nothing else overlaps, made of
 * names no table speaks of. For those the mode alone decides.
 * Refuses whatever it is not sure of: `false` only means that the whole judgement has to look. What it lets pass is
 * derived from the tables themselves, so that a name added there is never ordinary here.
 */
import { isSecretName, leftoverEndings, type PathFacts, secretGlobs, secretNames } from "../../contract/index.ts";
import { type Ground, isInside, type Place } from "./ground.ts";
import { protectedNames } from "./protected.ts";
import { touchesSystem } from "./system.ts";

const maxLength = 200;

const slash = 0x2f;
const dot = 0x2e;

/** 1: may stand in a name that needs no folding but for case. */
const plain = new Uint8Array(128);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+@%,=") plain[char.charCodeAt(0)] = 1;
plain[dot] = 1;

/** A set of folded names that is asked about pieces of a path: by first letter and length most need no lookup. */
class Watched {
  private readonly names: ReadonlySet<string>;
  /** By first letter, a bit for each length a name has. */
  private readonly lengths = new Uint32Array(128);

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    for (const name of this.names) {
      for (const first of [name, name.toUpperCase()]) {
        const code = first.charCodeAt(0);
        this.lengths[code] = (this.lengths[code] ?? 0) | (1 << Math.min(name.length, 31));
      }
    }
  }

  has(path: string, from: number, end: number): boolean {
    const lengths = this.lengths[path.charCodeAt(from)] ?? 0;
    return (lengths & (1 << Math.min(end - from, 31))) !== 0 && this.names.has(path.slice(from, end).toLowerCase());
  }
}

/** Names of all tables without the dotted ones: a leading dot is never ordinary. */
const watched = new Watched([...protectedNames, ...secretNames].filter((name) => !name.startsWith(".")));
/** What a name must end or begin with if a glob of the table is to match it; `code-workspace` is watched for writes. */
const endings = new Watched([
  ...secretGlobs.filter((glob) => glob.startsWith("*")).map((glob) => glob.slice(glob.lastIndexOf(".") + 1)),
  ...leftoverEndings.filter((ending) => ending.startsWith(".")).map((ending) => ending.slice(1)),
  "code-workspace",
]);
const heads: ReadonlySet<number> = new Set(secretGlobs.filter((glob) => /^[^*.]/.test(glob)).map((glob) => headOf(glob, 0)));

/** The first three letters in any case as one number. */
function headOf(text: string, from: number): number {
  return ((text.charCodeAt(from) | 0x20) << 16) | ((text.charCodeAt(from + 1) | 0x20) << 8) | (text.charCodeAt(from + 2) | 0x20);
}

/** Roots as text where text is enough: nothing else of the world lies in them or around them in a way that matters. */
function simpleRoots(ground: Ground): readonly string[] {
  const { world, roots, temporary, userHome, karyiHomes } = ground;
  if (world.platform !== "posix" || world.caseInsensitive) return [];
  const others = (root: Place): readonly Place[] => [...roots.filter((other) => other !== root), ...temporary, ...karyiHomes];
  return roots
    .filter((root) => root.length > 0 && !touchesSystem(root))
    .filter((root) => userHome === undefined || !isInside(userHome, root))
    .filter((root) => others(root).every((other) => !isInside(other, root) && !isInside(root, other)))
    .map((root) => `/${root.join("/")}`);
}

const known = new WeakMap<Ground, readonly string[]>();
let lastGround: Ground | undefined;
let lastRoots: readonly string[] = [];

function rootsOf(ground: Ground): readonly string[] {
  if (ground === lastGround) return lastRoots;
  let roots = known.get(ground);
  if (roots === undefined) {
    roots = simpleRoots(ground);
    known.set(ground, roots);
  }
  lastGround = ground;
  lastRoots = roots;
  return roots;
}

/** True when only the mode has a say about this path. Of a root itself that holds for reading only. */
export function isOrdinary(facts: PathFacts, ground: Ground, reading: boolean): boolean {
  const { asked, spelled, real, kind } = facts;
  if (kind !== "file" && kind !== "directory" && kind !== "absent") return false;
  if (facts.hardLinks !== undefined && facts.hardLinks > 1) return false;
  if (real !== facts.lexical || real.length > maxLength || (spelled !== real && !isPlainSpelling(spelled))) return false;
  if (asked !== spelled && (asked === "" || !spelled.endsWith(asked))) return false;
  const roots = rootsOf(ground);
  for (let index = 0; index < roots.length; index += 1) {
    const root = roots[index] ?? "";
    if (!real.startsWith(root)) continue;
    if (real.length === root.length) return reading;
    if (real.charCodeAt(root.length) === slash) return isOrdinaryBelow(real, root.length + 1);
  }
  return false;
}

/** Written with slashes and dots to spare, but without a step back. */
function isPlainSpelling(path: string): boolean {
  if (path.length > maxLength || path.includes("..")) return false;
  for (let index = 0; index < path.length; index += 1) {
    const code = path.charCodeAt(index);
    if (code > 127 || (plain[code] === 0 && code !== slash)) return false;
  }
  return true;
}

/** One look at every character of the names from `start` on. */
export function isOrdinaryBelow(path: string, start: number): boolean {
  const end = path.length;
  let from = start;
  let lastDot = -1;
  for (let index = start; index < end; index += 1) {
    const code = path.charCodeAt(index);
    if (code === dot) lastDot = index;
    else if (code === slash) {
      if (!isOrdinaryName(path, from, index, lastDot)) return false;
      from = index + 1;
      lastDot = -1;
    } else if (code > 127 || plain[code] === 0) return false;
  }
  return isOrdinaryName(path, from, end, lastDot) && isOrdinaryFile(path, from, end, lastDot);
}

function isOrdinaryName(path: string, from: number, end: number, lastDot: number): boolean {
  // Empty, dotted, or with a dot at its end, which some file systems drop.
  if (from >= end || path.charCodeAt(from) === dot || lastDot === end - 1) return false;
  if (watched.has(path, from, end)) return false;
  // A bare repository.
  return end - lastDot !== 4 || lastDot < 0 || path.slice(lastDot + 1, end).toLowerCase() !== "git";
}

/** The last name is held to the globs of the table too, if its beginning or its ending could match one. */
function isOrdinaryFile(path: string, from: number, end: number, lastDot: number): boolean {
  const isWatched = lastDot >= 0 && endings.has(path, lastDot + 1, end);
  if (!isWatched && !heads.has(headOf(path, from))) return true;
  return !isSecretName(path.slice(from, end).toLowerCase()) && !/\.code-workspace$/i.test(path);
}
