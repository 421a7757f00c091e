/**
 * Where captured runs keep their layers: below Karyi's home where overlayfs can write there and no root lies around it, else in a
 * private directory among the temporary files. One directory a run, with the process that owns it; what dead owners left is found.
 */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Owner } from "../../contract/index.ts";
import { setTime, timeOf } from "../files/times.ts";
import { isAlive, thisOwner } from "../process-identity.ts";
import type { Layer } from "./confinement.ts";
import { look, namesIn, setMode } from "./exact-names.ts";
import { isPlainPath, isWithin } from "./mount-table.ts";

/** overlayfs itself and file systems that hold no layer. */
const unfit = new Set([0x794c7630, 0x6969, 0x65735546, 0x01021997, 0xff534d42]);

const owner = thisOwner();

/** A run directory that `newRunDirectory` has not finished; if it is older than `unnamedMs`, its process was killed. */
const unnamedSuffix = ".unnamed";
const unnamedMs = 60_000;

export function stateBases(home: string): readonly string[] {
  const shared = join(tmpdir(), `karyi-sandbox-${process.getuid?.() ?? 0}`);
  return isReadOnly(home) ? [shared] : [join(home, "sandbox"), shared];
}

/** Also for a user whom no mode stops. */
export function isReadOnly(directory: string): boolean {
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if ((stats.mode & 0o200) === 0) return true;
  try {
    accessSync(directory, constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** The first base that can hold layers for these roots; made if it is not there. */
export function stateBase(home: string, roots: readonly string[]): string | undefined {
  return stateBases(home).find((base) => isPlainPath(base) && !roots.some((root) => isWithin(base, root)) && prepare(base));
}

/** The first base that nobody else can look into, whatever file system it lies on. */
export function privateBase(home: string): string | undefined {
  return stateBases(home).find(isPrivate);
}

function prepare(base: string): boolean {
  return isPrivate(base) && !unfit.has(statfsSync(base).type);
}

function isPrivate(base: string): boolean {
  try {
    mkdirSync(base, { recursive: true, mode: 0o700 });
    const stats = lstatSync(base);
    // In a shared directory somebody else may have been there first.
    return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid()) && (stats.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

export interface RunDirectory {
  readonly id: string;
  readonly path: string;
}

export function newRunDirectory(base: string): RunDirectory {
  const id = randomBytes(8).toString("hex");
  const path = join(base, id);
  // If the directory stood there before its owner file did, another process that starts would take it for a dead one's.
  const unnamed = `${path}${unnamedSuffix}`;
  mkdirSync(unnamed, { mode: 0o700 });
  own(unnamed);
  renameSync(unnamed, path);
  return { id, path };
}

/** From now on this process answers for the run: what it leaves unfinished is taken up when it is dead. */
export function own(path: string): void {
  const written = join(path, `owner-${process.pid}`);
  writeFileSync(written, JSON.stringify(owner), { mode: 0o600 });
  // A file that is replaced is never seen half written, which would look like no owner.
  renameSync(written, join(path, "owner"));
}

/** Removes what a process killed inside `newRunDirectory` left. */
export function sweepUnnamed(home: string): void {
  for (const base of stateBases(home)) {
    for (const name of namesOf(base)) {
      if (!name.endsWith(unnamedSuffix)) continue;
      const path = join(base, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats !== undefined && Date.now() - stats.mtimeMs > unnamedMs) removeRun(path);
    }
  }
}

/** The upper directory looks like the root it stands for: an overlay shows its mode, owner and time. */
export function newLayer(run: string, index: number, root: string): Layer {
  const layer = { upper: join(run, `upper${index}`), work: join(run, `work${index}`) };
  const { mode, uid, gid } = lstatSync(root);
  mkdirSync(layer.upper);
  mkdirSync(layer.work);
  if (process.getuid?.() === 0) chownSync(layer.upper, uid, gid);
  chmodSync(layer.upper, mode & 0o7777);
  setTime(layer.upper, timeOf(root));
  return layer;
}

const runName = /^[0-9a-f]{16}$/;

/** The run with this id, wherever it is kept. */
export function runDirectory(home: string, id: string): RunDirectory | undefined {
  if (!runName.test(id)) return undefined;
  const path = stateBases(home)
    .map((base) => join(base, id))
    .find((candidate) => lstatSync(candidate, { throwIfNoEntry: false })?.isDirectory());
  return path === undefined ? undefined : { id, path };
}

export function runDirectories(home: string): readonly RunDirectory[] {
  return stateBases(home).flatMap((base) =>
    namesOf(base)
      .filter((name) => runName.test(name))
      .map((id) => ({ id, path: join(base, id) })),
  );
}

function namesOf(base: string): readonly string[] {
  try {
    return readdirSync(base);
  } catch {
    return [];
  }
}

/** Whether the process that made it still works with it. */
export function isOwned(run: RunDirectory): boolean {
  try {
    return isAlive(JSON.parse(readFileSync(join(run.path, "owner"), "utf8")) as Owner);
  } catch {
    return false;
  }
}

/** Overlayfs leaves a directory without any mode, and a command may have closed its own. */
export function removeRun(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openAll(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** A large layer is removed while others go on; what a process that ends leaves of it goes at the next start. */
export function removeLater(path: string, changes: number): void {
  if (changes <= fewChanges) return removeRun(path);
  rm(path, { recursive: true, force: true }).catch(() => removeRun(path));
}

const fewChanges = 200;

function openAll(path: string): void {
  setMode(path, 0o700);
  for (const name of namesIn(path)) if (look(join(path, name))?.isDirectory()) openAll(join(path, name));
}
