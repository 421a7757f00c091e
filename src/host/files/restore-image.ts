/**
 * Makes paths be what their images say: in one step each, and never by removing a directory that holds anything. Modification
 * times come back as well, and owners where one has the right to give files away.
 */
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import type { Blobs, FileImage } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import {
  close,
  fchmod,
  fchown,
  fstat,
  fsync,
  lchown,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
  writeFully,
} from "./calls.ts";
import { openOwn } from "./closed.ts";
import { errnoOf, fileFailure, isMissing } from "./failures.ts";
import { type HeldDirectory, holdDirectory, holdOrCreate } from "./handles.ts";
import { writeInPlace } from "./in-place.ts";
import { makePipe } from "./named-pipe.ts";
import { hashFile } from "./replace.ts";
import { openBytes, type Sealing } from "./sealing.ts";
import { sweepLeftovers, temporaryName } from "./temporary.ts";
import { isSameTime, setTime, timeOf } from "./times.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

type Image<Kind extends FileImage["kind"]> = Extract<FileImage, { kind: Kind }>;
export type Kept = Image<"file">;

/** Where the bytes of images are, and how sure a restored file must be. */
interface Keeping {
  readonly blobs: Blobs;
  readonly sealing: Sealing | undefined;
  readonly durable: boolean;
}

export async function restoreImage(path: string, image: FileImage, keeping: Keeping): Promise<void> {
  const { durable } = keeping;
  if (image.kind === "absent") return removeIfThere(path, durable);
  if (image.kind === "time") return giveTime(path, image.mtimeNs);
  const directory = await holdOrCreate(dirname(path), path, durable);
  try {
    await sweepLeftovers(directory);
    const target = directory.at(basename(path));
    const now = await look(target);
    if (image.kind === "directory") await restoreDirectory(target, now, image);
    else {
      if (now?.isDirectory()) await removeEmpty(target, path);
      if (image.kind === "link") await restoreLink(directory, target, now, image);
      else if (image.kind === "pipe") await restorePipe(directory, target, now, image);
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

/** What was there once and is gone by now needs no time. */
async function giveTime(path: string, mtimeNs: string): Promise<void> {
  if ((await look(path)) !== undefined) setTime(path, mtimeNs);
}

async function restoreDirectory(target: string, now: fs.Stats | undefined, image: Image<"directory">): Promise<void> {
  if (now !== undefined && !now.isDirectory()) await unlink(target);
  if (now?.isDirectory() !== true) await mkdir(target);
  const fd = await openOwn(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await giveOwner(fd, await fstat(fd), image);
    if (((await fstat(fd)).mode & 0o7777) !== image.mode) await fchmod(fd, image.mode);
  } finally {
    await close(fd);
  }
  if (image.mtimeNs !== undefined) setTime(target, image.mtimeNs);
}

async function restoreLink(directory: HeldDirectory, target: string, now: fs.Stats | undefined, image: Image<"link">): Promise<void> {
  if (!now?.isSymbolicLink() || (await readlink(target)) !== image.target) {
    const temporary = directory.at(temporaryName());
    await symlink(image.target, temporary);
    await rename(temporary, target);
  }
  await dressNamed(target, image);
}

async function restorePipe(directory: HeldDirectory, target: string, now: fs.Stats | undefined, image: Image<"pipe">): Promise<void> {
  if (!now?.isFIFO() || (now.mode & 0o7777) !== image.mode) {
    const temporary = directory.at(temporaryName());
    await makePipe(temporary, image.mode);
    await rename(temporary, target);
  }
  await dressNamed(target, image);
}

/** Of what cannot be opened, by its name. */
async function dressNamed(target: string, { uid, gid, mtimeNs }: Image<"link" | "pipe">): Promise<void> {
  const now = await lstat(target);
  if (uid !== undefined && gid !== undefined && (now.uid !== uid || now.gid !== gid)) await permitted(() => lchown(target, uid, gid));
  if (mtimeNs !== undefined) setTime(target, mtimeNs);
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
    return (await hashAt(path, now.size)).hash === hash;
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    return false;
  }
}

/** Owner and mode of the image, on an open handle, then its time. */
async function dress(path: string, image: Kept, durable: boolean): Promise<void> {
  const before = await lstat(path);
  const { mtimeNs } = image;
  const timed = mtimeNs === undefined || isSameTime(timeOf(path), mtimeNs);
  if (timed && before.uid === image.uid && before.gid === image.gid && (before.mode & 0o7777) === image.mode) return;
  const fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await fstat(fd);
    await giveOwner(fd, stats, image);
    if ((stats.mode & 0o7777) !== image.mode || stats.uid !== image.uid) await fchmod(fd, image.mode);
    if (mtimeNs !== undefined) setTime(path, mtimeNs);
    if (durable) await fsync(fd);
  } finally {
    await close(fd);
  }
}

async function giveOwner(fd: number, now: fs.Stats, { uid = now.uid, gid = now.gid }: { uid?: number; gid?: number }): Promise<void> {
  if (now.uid !== uid || now.gid !== gid) await permitted(() => fchown(fd, uid, gid));
}

/** Giving a file away needs rights that writing it does not: the bytes matter more. */
async function permitted(give: () => Promise<void>): Promise<void> {
  try {
    await give();
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error;
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

/** The bytes of an image, wherever they are kept. */
async function bytesOf(image: Kept, { blobs, sealing }: Keeping): Promise<Uint8Array> {
  if (image.bytes === undefined) return blobs.read(image.hash);
  const bytes = Buffer.from(image.bytes, "base64");
  if (image.sealed === undefined) return bytes;
  if (sealing === undefined) throw new Error("a sealed image cannot be opened without its sealing");
  return openBytes(bytes, sealing.keyFile);
}

export async function hashAt(path: string, size: number): Promise<{ hash: string; size: number }> {
  const fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return { hash: await hashFile(fd, size), size: (await fstat(fd)).size };
  } finally {
    await close(fd);
  }
}

export function inodeOf({ dev, ino }: fs.Stats): string {
  return `${dev}:${ino}`;
}

export async function look(path: string): Promise<fs.Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileFailure(error, path);
  }
}
