/**
 * Undo of commands where the machine offers no overlay: what the workspace holds is kept beside it before a command runs, and
 * compared afterwards. Files are copied once and known again by inode, size and times, also by later processes. Bounded: what does not fit is named, and
 * the result says so. It gives back what was there; it confines nothing, there is no dry run, and what somebody else changes in the
 * workspace meanwhile counts as the command's.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import {
  type Blobs,
  type FileChange,
  type FileImage,
  type Images,
  type JournalEntry,
  ToolFailure,
  type UndoGuarantee,
} from "../../contract/index.ts";
import { createBlobs } from "../files/blobs.ts";
import { timeOf } from "../files/times.ts";
import { withRisk } from "./describe-changes.ts";
import { look, namesIn, targetOf } from "./exact-names.ts";
import { isWithin } from "./mount-table.ts";
import { isDirectoryMode, type Seen, seenOf } from "./operations.ts";

export interface ShadowLimits {
  readonly files: number;
  readonly bytes: number;
  /** Larger files are not kept. */
  readonly fileBytes: number;
}

const defaultLimits: ShadowLimits = { files: 20_000, bytes: 256 << 20, fileBytes: 32 << 20 };

interface Kept extends Seen {
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: string;
  /** Of a file: its bytes. Absent where they could not be kept. */
  readonly hash?: string;
  /** Of a file with a secret: encrypted, and kept nowhere else. */
  readonly sealed?: Extract<FileImage, { kind: "file" }>;
  /** Of a link. */
  readonly target?: string;
  /** When it was looked at. */
  readonly at: number;
}

export interface Snapshot {
  /** Of its record on disk. */
  readonly file: string;
  readonly roots: readonly string[];
  readonly paths: ReadonlyMap<string, Kept>;
  /** Directories that were not looked into. */
  readonly left: ReadonlySet<string>;
}

/** What a command did, as far as it was watched. */
export interface Watched {
  readonly journal: readonly JournalEntry[];
  readonly changes: readonly FileChange[];
  readonly undo: UndoGuarantee;
}

/** Other people's code and what builds made: looked at last, so that they do not use up what the work itself needs. */
const bulky = new Set(["node_modules", ".venv", "venv", "target", "dist", "build", ".cache", "vendor", ".gradle", "__pycache__"]);
const breathEvery = 500;
/** A file that changed so shortly before it was looked at could change again without a new time. */
const sameMomentMs = 50;
const maxKnown = 100_000;

export interface ShadowPlaces {
  /** Of one process: the records of what it watches. */
  readonly records: string;
  /** Of all: kept bytes, and what is known of the files they came from. */
  readonly store: string;
  /** What is never looked into. */
  readonly hidden: readonly string[];
}

export class Shadow {
  readonly #places: ShadowPlaces;
  readonly #blobs: Blobs;
  readonly #images: Images;
  readonly #limits: ShadowLimits;
  #known: ReadonlyMap<string, Kept> | undefined;

  constructor(places: ShadowPlaces, images: Images, limits: ShadowLimits = defaultLimits) {
    this.#places = places;
    this.#blobs = createBlobs(join(places.store, "blobs"), { fsync: false });
    this.#images = images;
    this.#limits = limits;
  }

  /** Removes bytes that neither the index nor a watch under way needs. */
  async sweep(watched: readonly Snapshot[]): Promise<void> {
    const used = new Set<string>();
    for (const paths of [this.#index(), ...watched.map((snapshot) => snapshot.paths)])
      for (const { hash } of paths.values()) if (hash !== undefined) used.add(hash);
    await this.#blobs.sweep(used);
  }

  /** Before the command. On disk when it resolves, so that a killed process's command can be undone as well. */
  async take(roots: readonly string[], callId: string): Promise<Snapshot> {
    const known = this.#index();
    const paths = new Map<string, Kept>();
    let bytes = 0;
    let isNew = false;
    const left = await walk(roots, this.#places.hidden, async (path, stats) => {
      if (paths.size >= this.#limits.files + roots.length || bytes >= this.#limits.bytes) return false;
      const kept = await this.#keep(path, stats, known.get(path));
      isNew ||= kept.hash !== undefined && kept !== known.get(path);
      bytes += kept.hash === undefined ? 0 : stats.size;
      paths.set(path, kept);
      return true;
    });
    if (isNew) this.#remember(roots, paths, known);
    const snapshot = { file: `watch-${randomBytes(6).toString("hex")}.json`, roots, paths, left };
    save(this.#places.records, callId, snapshot);
    return snapshot;
  }

  /** After it. */
  async compare(snapshot: Snapshot): Promise<Watched> {
    const now = new Map<string, Stats>();
    await walk(snapshot.roots, [...this.#places.hidden, ...snapshot.left], async (path, stats) => {
      now.set(path, stats);
      return true;
    });
    const gone: JournalEntry[] = [];
    const there: JournalEntry[] = [];
    const times = new Map<string, Kept>();
    const changes: FileChange[] = [];
    const lost: string[] = [];
    for (const [path, kept] of snapshot.paths) {
      const stats = now.get(path);
      if (stats !== undefined && (await this.#isSame(path, kept, stats))) {
        if (kept.mtimeMs !== stats.mtimeMs) times.set(path, kept);
        continue;
      }
      changes.push(changeOf(path, kept, stats));
      const before = await this.#image(kept);
      if (before === undefined) lost.push(path);
      else (stats === undefined ? gone : there).push({ path, before });
    }
    for (const [path, stats] of now) {
      if (snapshot.paths.has(path)) continue;
      there.push({ path, before: { kind: "absent" } });
      changes.push({ path, change: stats.isSymbolicLink() ? "link" : "created", ...(stats.isFile() ? { afterSize: stats.size } : {}) });
    }
    const contents = [...gone.reverse(), ...there.sort((a, b) => a.path.length - b.path.length)];
    // What undo puts into a directory changes its time, also where the command did not.
    for (const around of new Set(contents.map(({ path }) => dirname(path)))) {
      const kept = snapshot.paths.get(around);
      if (kept !== undefined && now.get(around)?.isDirectory()) times.set(around, kept);
    }
    for (const { path } of contents) times.delete(path);
    const uncovered = [...lost, ...snapshot.left];
    return {
      // As a commit has it: what went, inner before outer, then the rest, outer before inner.
      journal: [...contents, ...[...times].map(([path, kept]) => ({ path, before: timeImage(kept) }))],
      changes: changes.map((change) => withRisk(change, inRoot(change.path, snapshot.roots))).sort((a, b) => (a.path < b.path ? -1 : 1)),
      undo: uncovered.length === 0 ? { kind: "snapshot" } : { kind: "partial", uncovered: uncovered.slice(0, 100) },
    };
  }

  /** The command is over and journaled. */
  done({ file }: Snapshot): void {
    rmSync(join(this.#places.records, file), { force: true });
  }

  #index(): ReadonlyMap<string, Kept> {
    this.#known ??= readIndex(this.#places.store);
    return this.#known;
  }

  /** Other roots' files stay known, as long as they are not too many. */
  #remember(roots: readonly string[], paths: ReadonlyMap<string, Kept>, known: ReadonlyMap<string, Kept>): void {
    const files = [...paths].filter(([, { hash }]) => hash !== undefined);
    const others = [...known].filter(([path]) => !roots.some((root) => isWithin(path, root)));
    const all = files.length + others.length > maxKnown ? files : [...others, ...files];
    this.#known = new Map(all);
    writeWhole(join(this.#places.store, indexFile), JSON.stringify(all));
  }

  async #keep(path: string, stats: Stats, known: Kept | undefined): Promise<Kept> {
    if (known?.hash !== undefined && isUntouched(known, stats) && known.at - known.ctimeMs > sameMomentMs) return known;
    const seen = { ...seenOf(stats), uid: stats.uid, gid: stats.gid, mtimeNs: timeOf(path), at: Date.now() };
    if (stats.isSymbolicLink()) return { ...seen, target: targetOf(path) };
    if (!stats.isFile() || stats.size > this.#limits.fileBytes) return seen;
    try {
      const image = await this.#images.capture(path);
      if (image.kind === "file" && image.sealed) return { ...seen, hash: image.hash, sealed: image };
      const { hash, onDisk } = await this.#blobs.keepFile(path);
      await onDisk;
      return { ...seen, hash };
    } catch {
      // Closed to us, or gone meanwhile: what becomes of it cannot be taken back.
      return seen;
    }
  }

  async #isSame(path: string, kept: Kept, stats: Stats): Promise<boolean> {
    if (kept.mode !== stats.mode || kept.uid !== stats.uid || kept.gid !== stats.gid) return false;
    if (isDirectoryMode(kept.mode) || isUntouched(kept, stats)) return true;
    if (kept.target !== undefined) return targetOf(path) === kept.target;
    if (kept.hash === undefined || kept.size !== stats.size) return false;
    const image = await this.#images.inspect(path).catch(() => undefined);
    return image?.kind === "file" && image.hash === kept.hash;
  }

  /** In the store that undo reads from; `undefined` where the bytes were not kept. */
  async #image(kept: Kept): Promise<FileImage | undefined> {
    const mode = kept.mode & 0o7777;
    const dress = { uid: kept.uid, gid: kept.gid, mtimeNs: kept.mtimeNs };
    if (isDirectoryMode(kept.mode)) return { kind: "directory", mode, ...dress };
    if (kept.target !== undefined) return { kind: "link", target: kept.target, ...dress };
    if ((kept.mode & 0o170000) === 0o010000) return { kind: "pipe", mode, ...dress };
    if (kept.sealed !== undefined) return { ...kept.sealed, mode, ...dress };
    if (kept.hash === undefined) return undefined;
    const copy = join(this.#places.records, `copy-${randomBytes(6).toString("hex")}`);
    try {
      await this.#blobs.copyTo(kept.hash, copy);
      const image = await this.#images.capture(copy);
      return image.kind === "file" ? { ...image, mode, mtimeMs: kept.mtimeMs, ...dress } : undefined;
    } catch (error) {
      // Somebody removed or damaged what was kept: the path is named, the others are given back.
      if (error instanceof ToolFailure) return undefined;
      throw error;
    } finally {
      rmSync(copy, { force: true });
    }
  }
}

/** Visits everything below the roots but what is hidden, outer paths first; answers the directories that were not looked into. */
async function walk(
  roots: readonly string[],
  hidden: readonly string[],
  visit: (path: string, stats: Stats) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
  const left = new Set<string>();
  const later: string[] = [];
  let visited = 0;
  const enter = async (directory: string, device: number): Promise<void> => {
    let names: string[];
    try {
      names = namesIn(directory);
    } catch {
      left.add(directory);
      return;
    }
    const inner: string[] = [];
    for (const name of names) {
      const path = join(directory, name);
      if (hidden.some((other) => isWithin(path, other))) continue;
      const stats = look(path);
      if (stats === undefined) continue;
      if (++visited % breathEvery === 0) await breath();
      // Another file system is none of the workspace's.
      if (stats.dev !== device || !(await visit(path, stats))) left.add(path);
      else if (stats.isDirectory()) (bulky.has(name) ? later : inner).push(path);
    }
    for (const path of inner) await enter(path, device);
  };
  for (const root of roots) {
    const stats = lstatSync(root);
    const { dev } = stats;
    await visit(root, stats);
    await enter(root, dev);
    while (later.length > 0) await enter(later.shift() ?? root, dev);
  }
  return left;
}

function timeImage({ mode, mtimeNs }: Kept): FileImage {
  return { kind: "time", mtimeNs, ...(isDirectoryMode(mode) ? { directory: true } : {}) };
}

function isUntouched(seen: Seen, now: Stats): boolean {
  return (
    seen.ino === now.ino && seen.size === now.size && seen.mode === now.mode && seen.mtimeMs === now.mtimeMs && seen.ctimeMs === now.ctimeMs
  );
}

function inRoot(path: string, roots: readonly string[]): string {
  return relative(roots.find((root) => isWithin(path, root)) ?? "/", path);
}

function changeOf(path: string, kept: Kept, now: Stats | undefined): FileChange {
  const before = kept.hash === undefined ? {} : { beforeSize: kept.size };
  if (now === undefined) return { path, change: "deleted", ...before };
  if (now.isSymbolicLink()) return { path, change: "link", ...before };
  const sameKind = (kept.mode & 0o170000) === (now.mode & 0o170000);
  if (now.isDirectory()) return { path, change: sameKind ? "mode" : "modified" };
  const onlyMode = sameKind && kept.size === now.size && kept.mtimeMs === now.mtimeMs;
  return onlyMode ? { path, change: "mode" } : { path, change: "modified", ...before, afterSize: now.size };
}

/** Another name when more is written down: what is known by an earlier one is looked at anew. */
const indexFile = "index-2.json";

function readIndex(store: string): ReadonlyMap<string, Kept> {
  mkdirSync(store, { recursive: true, mode: 0o700 });
  try {
    return new Map(JSON.parse(readFileSync(join(store, indexFile), "utf8")) as [string, Kept][]);
  } catch {
    return new Map();
  }
}

function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

function save(directory: string, callId: string, { file, roots, paths, left }: Snapshot): void {
  writeWhole(join(directory, file), JSON.stringify({ callId, roots, paths: [...paths], left: [...left] }));
}

/** What a process is watching, or was when it ended. */
export function watchesIn(directory: string): readonly { readonly callId: string; readonly snapshot: Snapshot }[] {
  return filesIn(directory)
    .filter((name) => /^watch-[0-9a-f]+\.json$/.test(name))
    .flatMap((file) => {
      try {
        const { callId, roots, paths, left } = JSON.parse(readFileSync(join(directory, file), "utf8")) as {
          callId: string;
          roots: string[];
          paths: [string, Kept][];
          left: string[];
        };
        return [{ callId, snapshot: { file, roots, paths: new Map(paths), left: new Set(left) } }];
      } catch {
        // Its process ended it just now.
        return [];
      }
    });
}

/** None if the directory is gone: another process cleans up after the same dead one. */
function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
