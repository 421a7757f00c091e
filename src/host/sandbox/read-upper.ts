/**
 * Reads an upper layer: what a command created, changed and removed, compared with what lies below. What the overlay copied up
 * without a change is dropped. Looks at nothing but the layer and the paths it names, so it does not grow with the workspace.
 */
import { closeSync, openSync, readSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate as breath } from "node:timers/promises";
import type { Attributes } from "../../contract/index.ts";
import { attributesOf } from "../files/attributes.ts";
import { systemPath } from "../files/byte-name.ts";
import { isSameTime, timeOf } from "../files/times.ts";
import { look, namesIn, pathIn, setMode, targetOf } from "./exact-names.ts";
import { opaqueDirectories } from "./opaque.ts";
import { type AttributeChange, type Dress, isDirectoryMode, type Operation, type RootChanges, seenOf } from "./operations.ts";

const compareBytes = 1 << 20;
/** Shorter files are compared without a detour through the thread pool, which costs more than the comparison. */
const shortBytes = 256 << 10;
const breathEvery = 200;

/** `since`: what changed below after this moment was changed by somebody else. */
export async function readUpper(root: string, upper: string, since: number): Promise<RootChanges> {
  const reader = new UpperReader(root, upper, since);
  return reader.read();
}

class UpperReader {
  readonly #root: string;
  readonly #upper: string;
  readonly #since: number;
  readonly #removals: Operation[] = [];
  readonly #creations: Operation[] = [];
  readonly #leftOut: string[] = [];
  readonly #conflicts: string[] = [];
  /** Inode of the layer → the first path that has it. */
  readonly #links = new Map<number, string>();
  /** Modes that were widened in the layer, to look inside. */
  readonly #modes = new Map<string, number>();
  #entries = 0;
  #opaque: ReadonlySet<string> = new Set();
  /** Paths of files and directories in the layer, and what lies below them. */
  readonly #looked = new Map<string, Stats | undefined>();

  constructor(root: string, upper: string, since: number) {
    this.#root = root;
    this.#upper = upper;
    this.#since = since;
  }

  async read(): Promise<RootChanges> {
    this.#opaque = await opaqueDirectories(this.#upper, this.#sharedDirectories(""));
    this.#compareDirectory("", this.#above(""), look(this.#root));
    await this.#below("", true);
    const attributes = await this.#compareAttributes();
    return {
      root: this.#root,
      upper: this.#upper,
      operations: [...this.#removals, ...this.#creations],
      leftOut: this.#leftOut,
      conflicts: this.#conflicts,
      ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    };
  }

  /** Attributes are all that some commands change: where they differ and nothing else does, the path is an operation too. */
  async #compareAttributes(): Promise<Readonly<Record<string, AttributeChange>>> {
    const paths = [...this.#looked.keys()];
    const shared = paths.filter((path) => this.#looked.get(path) !== undefined);
    const above = await attributesOf(paths.map((path) => pathIn(this.#upper, path)));
    const below = await attributesOf(shared.map((path) => pathIn(this.#root, path)));
    if (above.size + below.size === 0) return {};
    const changed = new Set([...this.#removals, ...this.#creations].filter(({ kind }) => kind !== "times").map(({ path }) => path));
    const found: Record<string, AttributeChange> = {};
    for (const path of paths) {
      const [before, after] = [below.get(pathIn(this.#root, path)), above.get(pathIn(this.#upper, path))];
      if (before === undefined && after === undefined) continue;
      found[path] = { ...(before && { before }), ...(after && { after }) };
      if (!changed.has(path) && !sameAttributes(before, after)) this.#attributed(path);
    }
    return found;
  }

  #attributed(path: string): void {
    const [above, below] = [this.#above(path), this.#looked.get(path)];
    // The layer's own top directory was made for the run.
    if (below === undefined || path === "") return;
    const timed = this.#creations.findIndex((operation) => operation.kind === "times" && operation.path === path);
    if (timed >= 0) this.#creations.splice(timed, 1);
    this.#creations.push({ ...this.#redressed(path, above, below), directory: below.isDirectory() });
    this.#notice(path, below);
  }

  #above(path: string): Stats {
    const stats = look(pathIn(this.#upper, path));
    if (stats === undefined) throw new Error(`${path} is no longer in the layer`);
    const mode = this.#modes.get(path);
    return mode === undefined ? stats : Object.assign(stats, { mode });
  }

  #listUpper(path: string): string[] {
    const { mode } = this.#above(path);
    if (makeReadable(pathIn(this.#upper, path), mode)) this.#modes.set(path, mode);
    return namesIn(pathIn(this.#upper, path));
  }

  /** Directories of the layer that are directories below as well. */
  #sharedDirectories(directory: string): string[] {
    const found: string[] = [];
    for (const name of this.#listUpper(directory)) {
      const path = pathIn(directory, name);
      if (!this.#above(path).isDirectory() || look(pathIn(this.#root, path))?.isDirectory() !== true) continue;
      found.push(path, ...this.#sharedDirectories(path));
    }
    return found;
  }

  async #below(directory: string, shared: boolean): Promise<void> {
    const names = this.#listUpper(directory);
    if (shared && this.#opaque.has(directory)) {
      const kept = new Set(names);
      for (const name of namesIn(pathIn(this.#root, directory))) if (!kept.has(name)) this.#removeTree(pathIn(directory, name));
    }
    for (const name of names) {
      const path = pathIn(directory, name);
      if (++this.#entries % breathEvery === 0) await breath();
      const above = this.#above(path);
      const below = shared ? look(pathIn(this.#root, path)) : undefined;
      if (isWhiteout(above)) {
        if (below !== undefined) this.#removeTree(path);
      } else if (above.isDirectory()) await this.#directory(path, above, below);
      else if (above.isSymbolicLink()) this.#link(path, above, below);
      else if (above.isFile()) await this.#file(path, above, below);
      else if (above.isFIFO()) this.#pipe(path, above, below);
      else if (below === undefined || (below.mode & typeBits) !== (above.mode & typeBits)) {
        this.#leftOut.push(path);
        if (below !== undefined) this.#removeTree(path);
      }
    }
  }

  async #directory(path: string, above: Stats, below: Stats | undefined): Promise<void> {
    this.#looked.set(path, below?.isDirectory() ? below : undefined);
    if (below?.isDirectory()) {
      this.#compareDirectory(path, above, below);
      return this.#below(path, true);
    }
    if (below !== undefined) this.#removeTree(path);
    this.#creations.push({ kind: "mkdir", path, mode: above.mode & 0o7777, ...this.#dress(path, above) });
    await this.#below(path, false);
  }

  #compareDirectory(path: string, above: Stats, below: Stats | undefined): void {
    if (below === undefined) return;
    // The layer's own top directory was made for the run, perhaps by somebody who may not give it away.
    const dressed = sameDress(above, below) || (path === "" && above.mode === below.mode);
    if (dressed) this.#compareTime(path, below);
    else this.#creations.push({ ...this.#redressed(path, above, below), directory: true });
  }

  #compareTime(path: string, below: Stats): void {
    const mtimeNs = timeOf(pathIn(this.#upper, path));
    if (isSameTime(mtimeNs, timeOf(pathIn(this.#root, path)))) return;
    this.#creations.push({ kind: "times", path, directory: below.isDirectory(), seen: seenOf(below), mtimeNs });
  }

  #redressed(path: string, above: Stats, below: Stats) {
    return { kind: "mode", path, seen: seenOf(below), mode: committedMode(above, below), ...this.#dress(path, above) } as const;
  }

  #dress(path: string, { uid, gid }: Stats): Dress {
    return { uid, gid, mtimeNs: timeOf(pathIn(this.#upper, path)) };
  }

  #link(path: string, above: Stats, below: Stats | undefined): void {
    const target = targetOf(pathIn(this.#upper, path));
    if (below?.isSymbolicLink() && targetOf(pathIn(this.#root, path)) === target && sameDress(above, below))
      return this.#compareTime(path, below);
    this.#creations.push({ kind: "link", path, target, ...this.#dress(path, above), ...this.#replacing(path, below) });
  }

  #pipe(path: string, above: Stats, below: Stats | undefined): void {
    if (below?.isFIFO() && sameDress(above, below)) return this.#compareTime(path, below);
    this.#creations.push({
      kind: "pipe",
      path,
      mode: above.mode & 0o7777,
      ...this.#dress(path, above),
      ...this.#replacing(path, below),
    });
  }

  async #file(path: string, above: Stats, below: Stats | undefined): Promise<void> {
    this.#looked.set(path, below?.isFile() ? below : undefined);
    const linkTo = above.nlink > 1 ? this.#links.get(above.ino) : undefined;
    if (above.nlink > 1 && linkTo === undefined) this.#links.set(above.ino, path);
    if (linkTo === undefined && below?.isFile() && (await this.#sameBytes(path, above, below))) {
      if (sameDress(above, below)) return this.#compareTime(path, below);
      this.#creations.push({ ...this.#redressed(path, above, below), directory: false });
      return this.#notice(path, below);
    }
    this.#creations.push({
      kind: "file",
      path,
      size: above.size,
      mode: committedMode(above, below),
      ...this.#dress(path, above),
      ...(linkTo === undefined ? {} : { linkTo }),
      ...this.#replacing(path, below),
    });
  }

  /** A file or link takes the place of another in one step; a directory must be gone before. */
  #replacing(path: string, below: Stats | undefined): { seen?: ReturnType<typeof seenOf> } {
    if (below === undefined) return {};
    if (below.isDirectory()) {
      this.#removeTree(path);
      return {};
    }
    this.#notice(path, below);
    return { seen: seenOf(below) };
  }

  #removeTree(path: string): void {
    const below = look(pathIn(this.#root, path));
    if (below === undefined) return;
    this.#notice(path, below);
    if (!below.isDirectory()) {
      this.#removals.push({ kind: "remove", path, seen: seenOf(below) });
      return;
    }
    const names = namesIn(pathIn(this.#root, path));
    for (const name of names) this.#removeTree(pathIn(path, name));
    this.#removals.push({ kind: "rmdir", path, seen: seenOf(below), names });
  }

  #notice(path: string, below: Stats): void {
    if (!below.isDirectory() && below.ctimeMs > this.#since) this.#conflicts.push(path);
  }

  async #sameBytes(path: string, above: Stats, below: Stats): Promise<boolean> {
    if (above.size !== below.size) return false;
    makeReadable(pathIn(this.#upper, path), above.mode);
    const equal = above.size <= shortBytes ? equalShort : equalFiles;
    return equal(pathIn(this.#upper, path), pathIn(this.#root, path), above.size);
  }
}

let spare: readonly [Buffer, Buffer] | undefined;

function equalShort(one: string, other: string, size: number): boolean {
  spare ??= [Buffer.allocUnsafeSlow(shortBytes + 1), Buffer.allocUnsafeSlow(shortBytes + 1)];
  const [a, b] = spare;
  try {
    const [first, second] = [readWhole(one, a), readWhole(other, b)];
    return first === size && second === size && a.compare(b, 0, size, 0, size) === 0;
  } catch (error) {
    // What cannot be read below is taken for changed.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  }
}

function readWhole(path: string, into: Buffer): number {
  const fd = openSync(systemPath(path), "r");
  try {
    return readSync(fd, into, 0, into.length, 0);
  } finally {
    closeSync(fd);
  }
}

function sameAttributes(one: Attributes = {}, other: Attributes = {}): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

async function equalFiles(one: string, other: string): Promise<boolean> {
  const first = await open(systemPath(one), "r");
  try {
    const second = await open(systemPath(other), "r");
    try {
      const a = Buffer.allocUnsafe(compareBytes);
      const b = Buffer.allocUnsafe(compareBytes);
      for (;;) {
        const [left, right] = await Promise.all([first.read(a, 0, compareBytes), second.read(b, 0, compareBytes)]);
        if (left.bytesRead !== right.bytesRead) return false;
        if (left.bytesRead === 0) return true;
        if (!a.subarray(0, left.bytesRead).equals(b.subarray(0, right.bytesRead))) return false;
      }
    } finally {
      await second.close();
    }
  } catch (error) {
    // What cannot be read below is taken for changed.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  } finally {
    await first.close();
  }
}

const typeBits = 0o170000;

/** No file becomes setuid or setgid by a command: its mount does not honour it, and whoever runs it later would. */
function committedMode(above: Stats, below: Stats | undefined): number {
  if (!above.isFile()) return above.mode & 0o7777;
  return above.mode & (0o1777 | ((below?.mode ?? 0) & 0o6000));
}

/** The layer is ours: what the command closed to its owner can be opened for copying. True when the mode had to change. */
export function makeReadable(path: string, mode: number): boolean {
  const wanted = isDirectoryMode(mode) ? 0o700 : 0o400;
  if ((mode & wanted) === wanted || process.getuid?.() === 0) return false;
  setMode(path, (mode & 0o7777) | wanted);
  return true;
}

function isWhiteout(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === 0;
}

function sameDress(a: Stats, b: Stats): boolean {
  return a.mode === b.mode && a.uid === b.uid && a.gid === b.gid;
}
