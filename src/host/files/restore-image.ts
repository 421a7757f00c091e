/**
 * Makes paths be what their images say: in one step each, and never by removing a directory that holds anything. Modification
 * times come back as well, and owners where one has the right to give files away.
 */
import * as fs from "node:fs";
import { basename, dirname } from "node:path";
import type { Blobs, FileImage } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { close, direct, fchmod, fchown, fstat, fsync, lchown, lstat, readlink, writeFully } from "./calls.ts";
import { openOwn } from "./closed.ts";
import { errnoOf, fileFailure, isMissing } from "./failures.ts";
import { type HeldDirectory, holdOrCreate } from "./handles.ts";
import { writeInPlace } from "./in-place.ts";
import { makePipe } from "./named-pipe.ts";
import { hashFile, sha256 } from "./replace.ts";
import { openBytes, type Sealing } from "./sealing.ts";
import { type Expectation, inodeOf } from "./still.ts";
import { sweepLeftovers, temporaryName } from "./temporary.ts";
import { isSameTime, setOpenedTime, setTime, timeOf } from "./times.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;

type Image<Kind extends FileImage["kind"]> = Extract<FileImage, { kind: Kind }>;
export type Kept = Image<"file">;

/** Where the bytes of images are, and how sure a restored file must be. */
interface Keeping {
  readonly blobs: Blobs;
  readonly sealing: Sealing | undefined;
  readonly durable: boolean;
  /** What must be there until the very change; a `MovedMeanwhile` is thrown where it is not. */
  readonly expected?: Expectation | undefined;
}

/** The directory of the path restored last, held until another one is needed. */
export class LastDirectory {
  #held: HeldDirectory | undefined;

  async hold(real: string, asked: string, durable: boolean): Promise<HeldDirectory> {
    if (this.#held?.real === real) return this.#held;
    await this.release();
    this.#held = await holdOrCreate(real, asked, durable);
    await sweepLeftovers(this.#held);
    return this.#held;
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.close();
  }
}

/** `twin`: another name of the same file, restored already. */
export async function restoreImage(path: string, image: FileImage, keeping: Keeping, last: LastDirectory, twin?: string): Promise<void> {
  if (image.kind === "artifact") throw new Error(`${path} is not a file`);
  const { durable, expected } = keeping;
  if (image.kind === "time") return giveTime(path, image.mtimeNs, expected);
  if (image.kind === "absent" && (await look(path)) === undefined) return;
  const directory = await last.hold(dirname(path), path, durable);
  const target = directory.at(basename(path));
  const now = await look(target);
  expected?.refuseMoved(target);
  if (image.kind === "absent") removeIfThere(target, now);
  else if (image.kind === "directory") await restoreDirectory(target, now, image);
  else {
    if (now?.isDirectory()) removeEmpty(target, path, expected);
    if (image.kind === "link") await restoreLink(directory, target, now, image, expected);
    else if (image.kind === "pipe") await restorePipe(directory, target, now, image, expected);
    else if (twin === undefined || !tie(directory, target, twin, expected)) await restoreFile(directory, target, path, now, image, keeping);
  }
  if (durable) await directory.sync();
}

function removeIfThere(target: string, now: fs.Stats | undefined): void {
  if (now === undefined) return;
  if (!now.isDirectory()) return direct.unlink(target);
  try {
    direct.rmdir(target);
  } catch (error) {
    // Somebody put something into it: it is theirs now.
    if (!isNotEmpty(error)) throw error;
  }
}

/** What was there once and is gone by now needs no time. */
async function giveTime(path: string, mtimeNs: string, expected: Expectation | undefined): Promise<void> {
  if ((await look(path)) === undefined) return;
  expected?.refuseMoved(path);
  setTime(path, mtimeNs);
}

async function restoreDirectory(target: string, now: fs.Stats | undefined, image: Image<"directory">): Promise<void> {
  if (now !== undefined && !now.isDirectory()) direct.unlink(target);
  if (now?.isDirectory() !== true) direct.mkdir(target);
  const fd = await openOwn(target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await giveOwner(fd, await fstat(fd), image);
    if (((await fstat(fd)).mode & 0o7777) !== image.mode) await fchmod(fd, image.mode);
  } finally {
    await close(fd);
  }
  if (image.mtimeNs !== undefined) setTime(target, image.mtimeNs);
}

async function restoreLink(
  directory: HeldDirectory,
  target: string,
  now: fs.Stats | undefined,
  image: Image<"link">,
  expected: Expectation | undefined,
): Promise<void> {
  if (!now?.isSymbolicLink() || (await readlink(target)) !== image.target) {
    const temporary = directory.at(temporaryName());
    direct.symlink(image.target, temporary);
    replace(temporary, target, expected);
  }
  await dressNamed(target, image);
}

async function restorePipe(
  directory: HeldDirectory,
  target: string,
  now: fs.Stats | undefined,
  image: Image<"pipe">,
  expected: Expectation | undefined,
): Promise<void> {
  if (!now?.isFIFO() || (now.mode & 0o7777) !== image.mode) {
    const temporary = directory.at(temporaryName());
    await makePipe(temporary, image.mode);
    replace(temporary, target, expected);
  }
  await dressNamed(target, image);
}

/** In one step, and only while what is there is what is expected. */
function replace(temporary: string, target: string, expected: Expectation | undefined): void {
  try {
    expected?.refuseMoved(target);
    direct.rename(temporary, target);
  } catch (error) {
    discard(temporary);
    throw error;
  }
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
  const { blobs, durable, expected } = keeping;
  const isFile = now?.isFile() === true;
  if (isFile && now.size === image.size && (await holds(target, now, image.hash))) {
    expected?.refuseMoved(target);
    return dress(target, image, durable);
  }
  // Another file may stand here now, under this name as well as its own.
  if (isFile && now.nlink > 1 && (image.inode === undefined || image.inode === inodeOf(now))) {
    await writeInto(target, path, now, image, keeping);
    return dress(target, image, durable);
  }
  const temporary = directory.at(temporaryName());
  try {
    if (image.bytes === undefined && image.packed === undefined) {
      await blobs.copyTo(image.hash, temporary);
      await dress(temporary, image, durable);
    } else await writeNew(temporary, await bytesOf(image, keeping), image, durable);
    replace(temporary, target, expected);
  } catch (error) {
    discard(temporary);
    const code = errnoOf(error);
    if (!isFile || (code !== "EACCES" && code !== "EPERM" && code !== "EROFS")) throw error;
    await writeInto(target, path, now, image, keeping);
    await dress(target, image, durable);
  }
}

async function writeInto(target: string, path: string, now: fs.Stats, image: Kept, keeping: Keeping): Promise<void> {
  const bytes = await bytesOf(image, keeping);
  keeping.expected?.refuseMoved(target);
  try {
    await writeInPlace({ at: target, real: path, asked: path }, bytes, now, keeping.durable);
  } catch (error) {
    // `writeInPlace` looks once more before it writes.
    if (error instanceof ToolFailure && error.details?.reason === "stale_file") keeping.expected?.refuseMoved(target);
    throw error;
  }
}

/** False if the file system gives no second name to a file. */
function tie(directory: HeldDirectory, target: string, twin: string, expected: Expectation | undefined): boolean {
  const temporary = directory.at(temporaryName());
  try {
    direct.link(twin, temporary);
  } catch {
    return false;
  }
  replace(temporary, target, expected);
  // Two names of one file: the kernel takes the rename for done and leaves both.
  discard(temporary);
  return true;
}

async function writeNew(path: string, bytes: Uint8Array, image: Kept, durable: boolean): Promise<void> {
  const fd = direct.open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    await writeFully(fd, bytes, 0);
    await giveOwner(fd, await fstat(fd), image);
    await fchmod(fd, image.mode);
    if (image.mtimeNs !== undefined) setOpenedTime(fd, image.mtimeNs);
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

function removeEmpty(target: string, path: string, expected: Expectation | undefined): void {
  try {
    direct.rmdir(target);
    expected?.cleared();
  } catch (error) {
    if (!isNotEmpty(error)) throw error;
    expected?.refuseFilled();
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
async function bytesOf(image: Kept, { blobs, sealing }: Pick<Keeping, "blobs" | "sealing">): Promise<Uint8Array> {
  if (image.packed !== undefined) return blobs.readPacked(image.packed, image.size, image.hash);
  if (image.bytes === undefined) return blobs.read(image.hash);
  const bytes = Buffer.from(image.bytes, "base64");
  if (image.sealed === undefined) return bytes;
  if (sealing === undefined) throw new Error("a sealed image cannot be opened without its sealing");
  return openBytes(bytes, sealing.keyFile);
}

/** Whether an image could be restored; throws if it could not. */
export async function checkImage(image: FileImage, keeping: Pick<Keeping, "blobs" | "sealing">): Promise<void> {
  if (image.kind !== "file") return;
  if (image.packed !== undefined) return void keeping.blobs.readPacked(image.packed, image.size, image.hash);
  if (image.bytes === undefined) return keeping.blobs.check(image.hash);
  if (sha256(await bytesOf(image, keeping)) === image.hash) return;
  throw new ToolFailure("tool_error", "The kept bytes of a short file do not match their hash", { details: { reason: "blob_damaged" } });
}

export async function hashAt(path: string, size: number): Promise<{ hash: string; size: number }> {
  const fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return { hash: await hashFile(fd, size), size: (await fstat(fd)).size };
  } finally {
    await close(fd);
  }
}

export async function look(path: string): Promise<fs.Stats | undefined> {
  try {
    return direct.lstat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileFailure(error, path);
  }
}

function discard(path: string): void {
  try {
    direct.unlink(path);
  } catch {
    // Nothing was made, or its name says whose it was: a later write in the directory removes it.
  }
}
