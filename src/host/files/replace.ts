/**
 * Owns the change of a file's bytes: whole old or whole new content, whatever kills the process.
 * A temporary file beside the target is written, forced to disk and renamed over it. Only where that would break
 * something (other hard links, extended attributes, access control lists, a directory that may not be written, an owner that
 * cannot be kept) the bytes are written into the file itself.
 * Refuses: content other than the one the change was computed from, links, anything but regular files,
 * and files this user may not write, even where the directory would allow to replace them.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import type { Fingerprint, PathFacts, ReplaceOptions } from "../../contract/index.ts";
import { hasAttributes } from "./attributes.ts";
import { access, close, fchmod, fchown, fstat, fsync, link, lstat, open, readWarm, rename, unlink, writeFully } from "./calls.ts";
import {
  alreadyExists,
  errnoOf,
  fileFailure,
  isMissing,
  namesDirectory,
  notFound,
  pathChanged,
  spelledAsDirectory,
  staleFile,
} from "./failures.ts";
import { type HeldDirectory, holdDirectory, holdOrCreate, openChecked, whyUnusable } from "./handles.ts";
import { isSame, writeInPlace } from "./in-place.ts";
import { sweepLeftovers, temporaryName } from "./temporary.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;
const blockBytes = 1 << 20;
/** Below this the hash is compared even when size and time agree: a clock tick can hide a change. */
const cheapHashBytes = 8 << 20;

export async function replaceFile(facts: PathFacts, bytes: Uint8Array, options: ReplaceOptions, durable: boolean): Promise<Fingerprint> {
  if (facts.kind !== "file" && facts.kind !== "absent") throw await whyUnusable(facts);
  if (facts.kind === "absent" && namesDirectory(facts.spelled)) throw spelledAsDirectory(facts.asked, false);
  const target = { facts, name: basename(facts.real), durable };
  const directory = await holdOrCreate(dirname(facts.real), facts.asked, durable);
  try {
    await sweepLeftovers(directory);
    const stats =
      options.expect === null
        ? await createNew(directory, target, bytes, options.mode)
        : await overwrite(directory, target, bytes, options.expect);
    return { size: stats.size, mtimeMs: stats.mtimeMs, hash: sha256(bytes) };
  } catch (error) {
    throw fileFailure(error, facts.asked);
  } finally {
    await directory.close();
  }
}

export async function removeFile(facts: PathFacts, expect: Fingerprint, durable: boolean): Promise<void> {
  if (facts.kind !== "file") throw await whyUnusable(facts);
  try {
    const directory = await holdDirectory(dirname(facts.real), facts.asked);
    try {
      const name = basename(facts.real);
      await checkUnchanged(directory.at(name), facts, expect, notFound);
      await unlink(directory.at(name));
      if (durable) await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    throw fileFailure(error, facts.asked);
  }
}

interface Target {
  readonly facts: PathFacts;
  readonly name: string;
  readonly durable: boolean;
}

async function createNew(directory: HeldDirectory, target: Target, bytes: Uint8Array, mode: number | undefined): Promise<fs.Stats> {
  const path = directory.at(target.name);
  if ((await look(path, target.facts.asked)) !== undefined) throw alreadyExists(target.facts.asked);
  const temporary = directory.at(temporaryName());
  // Without a wish the kernel applies the umask; a wish is set exactly.
  const stats = await writeTemporary(temporary, bytes, target.durable, mode === undefined ? { create: 0o666 } : { create: 0o600, mode });
  try {
    // A link, unlike a rename, never covers a file that appeared meanwhile.
    await link(temporary, path);
    await unlink(temporary);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS" && code !== "EMLINK") {
      await discard(temporary);
      throw code === "EEXIST" ? alreadyExists(target.facts.asked) : error;
    }
    await rename(temporary, path);
  }
  if (target.durable) await directory.sync();
  return stats;
}

async function overwrite(directory: HeldDirectory, target: Target, bytes: Uint8Array, expect: Fingerprint): Promise<fs.Stats> {
  const path = directory.at(target.name);
  const attributed = hasAttributes(target.facts.real);
  const before = await checkUnchanged(path, target.facts, expect, staleFile);
  await access(path, fs.constants.W_OK);
  const place = { at: path, real: target.facts.real, asked: target.facts.asked };
  if (before.nlink > 1 || (await attributed)) return writeInPlace(place, bytes, before, target.durable);
  const temporary = directory.at(temporaryName());
  let stats: fs.Stats;
  try {
    stats = await writeTemporary(temporary, bytes, target.durable, { create: 0o600, mode: before.mode & 0o7777, owner: before });
  } catch (error) {
    const code = errnoOf(error);
    if (code !== "EACCES" && code !== "EPERM" && code !== "EROFS") throw error;
    return writeInPlace(place, bytes, before, target.durable);
  }
  const now = await look(path, target.facts.asked);
  if (now === undefined || !isSame(now, before)) {
    await discard(temporary);
    throw staleFile(target.facts.asked);
  }
  await rename(temporary, path);
  if (target.durable) await directory.sync();
  return stats;
}

interface TemporaryShape {
  readonly create: number;
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

async function writeTemporary(path: string, bytes: Uint8Array, durable: boolean, shape: TemporaryShape): Promise<fs.Stats> {
  const fd = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, shape.create);
  try {
    await writeFully(fd, bytes, 0);
    // The owner first: changing it clears the set-uid bits.
    if (shape.owner !== undefined) {
      const own = await fstat(fd);
      if (own.uid !== shape.owner.uid || own.gid !== shape.owner.gid) await fchown(fd, shape.owner.uid, shape.owner.gid);
    }
    if (shape.mode !== undefined) await fchmod(fd, shape.mode);
    if (durable) await fsync(fd);
    return await fstat(fd);
  } catch (error) {
    await discard(path);
    throw error;
  } finally {
    await close(fd);
  }
}

/** The file's stats, when its content is the expected one. */
async function checkUnchanged(path: string, facts: PathFacts, expect: Fingerprint, whenGone: (path: string) => Error): Promise<fs.Stats> {
  if ((await look(path, facts.asked)) === undefined) throw whenGone(facts.asked);
  const { fd, stats } = await openChecked(path, facts.real, facts.asked);
  try {
    if (!(await matches(fd, stats, expect))) throw staleFile(facts.asked);
    return stats;
  } finally {
    await close(fd);
  }
}

async function matches(fd: number, stats: fs.Stats, expect: Fingerprint): Promise<boolean> {
  if (stats.size !== expect.size) return false;
  const sameTime = stats.mtimeMs === expect.mtimeMs;
  if (expect.hash === undefined) return sameTime;
  if (sameTime && stats.size > cheapHashBytes) return true;
  return (await hashFile(fd, stats.size)) === expect.hash;
}

/** The block of the last hash, for the next one: new memory of this size costs more than hashing it. */
let spareBlock: Buffer | undefined;
const spareFrom = 64 << 10;

/** sha256 of an open file; memory use does not grow with its size. */
export async function hashFile(fd: number, sizeHint: number): Promise<string> {
  if (sizeHint < spareFrom) return hashThrough(Buffer.allocUnsafe(sizeHint + 1), fd, sizeHint);
  const block = spareBlock ?? Buffer.allocUnsafeSlow(blockBytes);
  spareBlock = undefined;
  try {
    return await hashThrough(block, fd, sizeHint);
  } finally {
    spareBlock = block;
  }
}

async function hashThrough(block: Buffer, fd: number, sizeHint: number): Promise<string> {
  const hash = createHash("sha256");
  for (let position = 0; ; ) {
    const count = await readWarm(fd, block, position, sizeHint);
    hash.update(block.subarray(0, count));
    if (count < block.byteLength) return hash.digest("hex");
    position += count;
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function look(path: string, asked: string): Promise<fs.Stats | undefined> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) throw pathChanged(asked);
    return stats;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function discard(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch {
    // Its name says whose it was; a later write in the directory removes it.
  }
}
