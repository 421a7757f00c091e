/**
 * Owns images of paths: what is there now, kept so that it can be there again.
 * Restoring replaces a path in one step, and never removes a directory that holds anything.
 * Modification times are not turned back: builds and watchers must notice that a file changed again.
 */
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import type { Blobs, FileImage, Fingerprint, Images } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import {
  close,
  fchmod,
  fchown,
  fstat,
  fsync,
  kindOf,
  lstat,
  mkdir,
  open,
  openWarm,
  readlink,
  readWarm,
  rename,
  rmdir,
  symlink,
  unlink,
  writeFully,
} from "./calls.ts";
import { errnoOf, fileFailure, isMissing, unusable } from "./failures.ts";
import { isGitIndex, meaningOfIndex } from "./git-index.ts";
import { type HeldDirectory, holdDirectory, holdOrCreate } from "./handles.ts";
import { writeInPlace } from "./in-place.ts";
import { makePipe } from "./named-pipe.ts";
import { hashFile, sha256 } from "./replace.ts";
import { healFile } from "./rescue.ts";
import { openBytes, type Sealing, sealBytes } from "./sealing.ts";
import { sweepLeftovers, temporaryName } from "./temporary.ts";

/** Up to here a row of the journal is a better place than a file of its own: it needs no sync for itself. */
const shortBytes = 32 * 1024;
const longestIndex = 64 << 20;
/** Longer files are not searched for secrets. */
const longestSealed = 4 << 20;

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

export interface ImagesOptions {
  /** Force restored files to disk. True unless said otherwise. */
  readonly fsync?: boolean;
  /** What may not lie on a disk in clear. */
  readonly sealing?: Sealing;
}

type Kept = Extract<FileImage, { kind: "file" }>;

export function createImages(blobs: Blobs, options: ImagesOptions = {}): Images {
  const durable = options.fsync ?? true;
  const { sealing } = options;
  return {
    async capture(path) {
      const { image, onDisk } = await beginCapture(path, blobs, sealing);
      await onDisk;
      return image;
    },
    beginCapture: (path, known) => beginCapture(path, blobs, sealing, known),
    async inspect(path, known) {
      // Whoever knows nothing about a file asks after a crash, perhaps in the middle of a write.
      if (known === undefined) await healFile(path);
      return imageOf(path, (stats) => hashOf(path, stats, known));
    },
    async restore(path, image) {
      try {
        await restore(path, image, { blobs, sealing, durable });
      } catch (error) {
        throw fileFailure(error, path);
      }
    },
  };
}

async function beginCapture(
  path: string,
  blobs: Blobs,
  sealing?: Sealing,
  known?: Fingerprint,
): Promise<{ image: FileImage; onDisk: Promise<void> }> {
  let onDisk = Promise.resolve();
  const keep = async (): Promise<Content> => {
    const { hash, size, ...kept } = await blobs.keepFile(path, known);
    onDisk = kept.onDisk;
    return { hash, size };
  };
  const image = await imageOf(path, async ({ size }) => {
    const looksInside = sealing?.isNeeded() === true && size <= longestSealed;
    const content = size <= shortBytes || looksInside ? await contentOf(path) : undefined;
    if (content === undefined) return keep();
    if (looksInside && sealing.holdsSecret(content.toString())) {
      return { ...described(content), bytes: (await sealBytes(content, sealing.keyFile)).toString("base64"), sealed: true };
    }
    return size <= shortBytes ? { ...described(content), bytes: content.toString("base64") } : keep();
  });
  return { image, onDisk };
}

function inodeOf({ dev, ino }: fs.Stats): string {
  return `${dev}:${ino}`;
}

async function meaningOf(path: string, { size }: fs.Stats): Promise<{ meaning?: string }> {
  const content = isGitIndex(path) && size <= longestIndex ? await contentOf(path) : undefined;
  const meaning = content === undefined ? undefined : meaningOfIndex(content);
  return meaning === undefined ? {} : { meaning };
}

type Content = Pick<Kept, "hash" | "size" | "bytes" | "sealed">;

function described(content: Buffer): { hash: string; size: number } {
  return { hash: sha256(content), size: content.length };
}

async function imageOf(path: string, content: (stats: fs.Stats) => Promise<Content>): Promise<FileImage> {
  const stats = await look(path);
  if (stats === undefined) return { kind: "absent" };
  try {
    if (stats.isSymbolicLink()) return { kind: "link", target: await readlink(path) };
    if (stats.isDirectory()) return { kind: "directory", mode: stats.mode & 0o7777 };
    if (stats.isFIFO()) return { kind: "pipe", mode: stats.mode & 0o7777 };
    if (!stats.isFile()) throw unusable({ asked: path, kind: kindOf(stats) });
    return {
      kind: "file",
      ...(await content(stats)),
      ...(await meaningOf(path, stats)),
      mode: stats.mode & 0o7777,
      mtimeMs: stats.mtimeMs,
      uid: stats.uid,
      gid: stats.gid,
      inode: inodeOf(stats),
    };
  } catch (error) {
    if (isMissing(error)) return { kind: "absent" };
    throw fileFailure(error, path);
  }
}

/** Nothing when it changed while it was read. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  const fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const expected = (await fstat(fd)).size;
    const buffer = Buffer.allocUnsafe(expected + 1);
    const size = await readWarm(fd, buffer, 0, expected);
    if (size !== expected || (await fstat(fd)).size !== expected) return undefined;
    return buffer.subarray(0, size);
  } finally {
    await close(fd);
  }
}

/** The bytes of an image, wherever they are kept. */
async function bytesOf(image: Kept, { blobs, sealing }: Keeping): Promise<Uint8Array> {
  if (image.bytes === undefined) return blobs.read(image.hash);
  const bytes = Buffer.from(image.bytes, "base64");
  if (image.sealed === undefined) return bytes;
  if (sealing === undefined) throw new Error("a sealed image cannot be opened without its sealing");
  return openBytes(bytes, sealing.keyFile);
}

async function hashOf(path: string, stats: fs.Stats, known?: Fingerprint): Promise<{ hash: string; size: number }> {
  if (known?.hash !== undefined && known.size === stats.size && known.mtimeMs === stats.mtimeMs) {
    return { hash: known.hash, size: stats.size };
  }
  const fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return { hash: await hashFile(fd, stats.size), size: (await fstat(fd)).size };
  } finally {
    await close(fd);
  }
}

/** Where the bytes of images are, and how sure a restored file must be. */
interface Keeping {
  readonly blobs: Blobs;
  readonly sealing: Sealing | undefined;
  readonly durable: boolean;
}

async function restore(path: string, image: FileImage, keeping: Keeping): Promise<void> {
  const { durable } = keeping;
  if (image.kind === "absent") return removeIfThere(path, durable);
  const directory = await holdOrCreate(dirname(path), path, durable);
  try {
    await sweepLeftovers(directory);
    const target = directory.at(basename(path));
    const now = await look(target);
    if (image.kind === "directory") await restoreDirectory(target, now, image.mode);
    else {
      if (now?.isDirectory()) await removeEmpty(target, path);
      if (image.kind === "link") await restoreLink(directory, target, now, image.target);
      else if (image.kind === "pipe") await restorePipe(directory, target, now, image.mode);
      else await restoreFile(directory, target, path, now, image, keeping);
    }
    if (durable) await directory.sync();
  } finally {
    await directory.close();
  }
}

async function removeIfThere(path: string, durable: boolean): Promise<void> {
  if ((await look(path)) === undefined) return;
  const directory = await holdDirectory(dirname(path), path);
  try {
    const target = directory.at(basename(path));
    const now = await look(target);
    if (now === undefined) return;
    if (now.isDirectory()) {
      try {
        await rmdir(target);
      } catch (error) {
        // Somebody put something into it: it is theirs now.
        if (!isNotEmpty(error)) throw error;
      }
    } else await unlink(target);
    if (durable) await directory.sync();
  } finally {
    await directory.close();
  }
}

async function restoreDirectory(target: string, now: fs.Stats | undefined, mode: number): Promise<void> {
  if (now !== undefined && !now.isDirectory()) await unlink(target);
  if (now?.isDirectory() !== true) await mkdir(target);
  const fd = await open(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    if (((await fstat(fd)).mode & 0o7777) !== mode) await fchmod(fd, mode);
  } finally {
    await close(fd);
  }
}

async function restoreLink(directory: HeldDirectory, target: string, now: fs.Stats | undefined, text: string): Promise<void> {
  if (now?.isSymbolicLink() && (await readlink(target)) === text) return;
  const temporary = directory.at(temporaryName());
  await symlink(text, temporary);
  await rename(temporary, target);
}

async function restorePipe(directory: HeldDirectory, target: string, now: fs.Stats | undefined, mode: number): Promise<void> {
  if (now?.isFIFO() && (now.mode & 0o7777) === mode) return;
  const temporary = directory.at(temporaryName());
  await makePipe(temporary, mode);
  await rename(temporary, target);
}

async function restoreFile(
  directory: HeldDirectory,
  target: string,
  path: string,
  now: fs.Stats | undefined,
  image: Kept,
  keeping: Keeping,
): Promise<void> {
  const { blobs, durable } = keeping;
  const isFile = now?.isFile() === true;
  if (isFile && now.size === image.size && (await holds(target, now, image.hash))) return dress(target, image, durable);
  // Another file may stand here now, under this name as well as its own.
  if (isFile && now.nlink > 1 && (image.inode === undefined || image.inode === inodeOf(now))) {
    await writeInPlace({ at: target, real: path, asked: path }, await bytesOf(image, keeping), now, durable);
    return dress(target, image, durable);
  }
  const temporary = directory.at(temporaryName());
  try {
    if (image.bytes === undefined) await blobs.copyTo(image.hash, temporary);
    else await writeNew(temporary, await bytesOf(image, keeping), durable);
    await dress(temporary, image, durable);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    const code = errnoOf(error);
    if (!isFile || (code !== "EACCES" && code !== "EPERM" && code !== "EROFS")) throw error;
    await writeInPlace({ at: target, real: path, asked: path }, await bytesOf(image, keeping), now, durable);
    await dress(target, image, durable);
  }
}

async function writeNew(path: string, bytes: Uint8Array, durable: boolean): Promise<void> {
  const fd = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await writeFully(fd, bytes, 0);
    if (durable) await fsync(fd);
  } finally {
    await close(fd);
  }
}

/** What is closed even to its owner is taken for different, and replaced. */
async function holds(path: string, now: fs.Stats, hash: string): Promise<boolean> {
  try {
    return (await hashOf(path, now)).hash === hash;
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    return false;
  }
}

/** Owner and mode of the image, on an open handle. */
async function dress(path: string, image: Kept, durable: boolean): Promise<void> {
  const before = await lstat(path);
  if (before.uid === image.uid && before.gid === image.gid && (before.mode & 0o7777) === image.mode) return;
  const fd = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await fstat(fd);
    if (stats.uid !== image.uid || stats.gid !== image.gid) {
      try {
        await fchown(fd, image.uid, image.gid);
      } catch (error) {
        // Giving a file away needs rights that writing it does not: the bytes matter more.
        if (errnoOf(error) !== "EPERM") throw error;
      }
    }
    if ((stats.mode & 0o7777) !== image.mode || stats.uid !== image.uid) await fchmod(fd, image.mode);
    if (durable) await fsync(fd);
  } finally {
    await close(fd);
  }
}

async function removeEmpty(target: string, path: string): Promise<void> {
  try {
    await rmdir(target);
  } catch (error) {
    if (!isNotEmpty(error)) throw error;
    throw new ToolFailure("tool_conflict", `${path} is a directory with something in it now; it was left alone`, {
      details: { reason: "not_empty", path },
    });
  }
}

function isNotEmpty(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOTEMPTY" || code === "EEXIST" || code === "EBUSY";
}

async function look(path: string): Promise<fs.Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileFailure(error, path);
  }
}
