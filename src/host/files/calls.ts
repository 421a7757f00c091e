/**
 * The file system calls of this folder as promises over plain descriptors.
 * Descriptors instead of FileHandle objects: half the cost of a small read, and every one is closed in a `finally`.
 *
 * What may wait for a disk goes through the thread pool. What the kernel answers from memory is called directly, for
 * the way through the pool costs ten times the call: descriptors that are open, names that `realpath` or
 * `open` has just walked, and short contents that were read a moment ago.
 *
 * Every path that goes in or comes out is spelled as `byte-name.ts` says, so that no other file here knows of bytes.
 */
import * as fs from "node:fs";
import { promisify } from "node:util";
import type { FileStat, PathKind } from "../../contract/index.ts";
import { exactly, nameOfBytes, systemPath } from "./byte-name.ts";
import { Warmth } from "./warm.ts";

const callOpen = promisify(fs.open);
export const open = (path: string, flags: number, mode?: number): Promise<number> => callOpen(systemPath(path), flags, mode);
/** Of a name that was walked a moment ago, never to create it. */
export const openWarm = async (path: string, flags: number): Promise<number> => fs.openSync(systemPath(path), flags);
export const close = async (fd: number): Promise<void> => fs.closeSync(fd);
export const fstat = async (fd: number): Promise<fs.Stats> => fs.fstatSync(fd);
/** Of a name that was walked a moment ago. */
export const lstat = async (path: string): Promise<fs.Stats> => fs.lstatSync(systemPath(path));
const callLstat: (path: string | Buffer) => Promise<fs.Stats> = promisify(fs.lstat);
/** Of a name that nobody looked at yet. */
export const lstatCold = (path: string): Promise<fs.Stats> => callLstat(systemPath(path));
export const fsync = promisify(fs.fsync);
export const fchmod = async (fd: number, mode: number): Promise<void> => fs.fchmodSync(fd, mode);
export const fchown = async (fd: number, uid: number, gid: number): Promise<void> => fs.fchownSync(fd, uid, gid);
export const lchown = async (path: string, uid: number, gid: number): Promise<void> => fs.lchownSync(systemPath(path), uid, gid);
export const ftruncate = promisify(fs.ftruncate);
const callRename = promisify(fs.rename);
export const rename = (from: string, to: string): Promise<void> => callRename(systemPath(from), systemPath(to));
const callLink = promisify(fs.link);
export const link = (existing: string, path: string): Promise<void> => callLink(systemPath(existing), systemPath(path));
const callUnlink = promisify(fs.unlink);
export const unlink = (path: string): Promise<void> => callUnlink(systemPath(path));
export const access = async (path: string, mode: number): Promise<void> => fs.accessSync(systemPath(path), mode);
const callMkdir: (path: string | Buffer, mode?: number) => Promise<void> = promisify(fs.mkdir);
export const mkdir = (path: string, mode?: number): Promise<void> => callMkdir(systemPath(path), mode);
const callReadlink = promisify(fs.readlink);
export const readlink = async (path: string): Promise<string> => nameOfBytes(await callReadlink(systemPath(path), { encoding: "buffer" }));
const callReaddir = promisify(fs.readdir);
export const readdir = (path: string): Promise<string[]> => callReaddir(systemPath(path));
const callRealpath = promisify(fs.realpath.native);
const walked = new Warmth();
export async function realpath(path: string): Promise<string> {
  const system = systemPath(path);
  const real = walked.has(path) ? fs.realpathSync.native(system) : await callRealpath(system);
  walked.note(path);
  return exactly(real, () => fs.realpathSync.native(system, { encoding: "buffer" }));
}

/**
 * Calls without the detour, for whoever makes thousands in a row and lets others have their turn in between: what follows a
 * file that was just written is answered from memory.
 */
export const direct = {
  open: (path: string, flags: number, mode?: number): number => fs.openSync(systemPath(path), flags, mode),
  rename: (from: string, to: string): void => fs.renameSync(systemPath(from), systemPath(to)),
  link: (existing: string, path: string): void => fs.linkSync(systemPath(existing), systemPath(path)),
  unlink: (path: string): void => fs.unlinkSync(systemPath(path)),
  mkdir: (path: string): void => void fs.mkdirSync(systemPath(path)),
  rmdir: (path: string): void => fs.rmdirSync(systemPath(path)),
  symlink: (target: string, path: string): void => fs.symlinkSync(systemPath(target), systemPath(path)),
  /** `undefined` where nothing is; an error that nobody looks at costs more than the call. */
  lstat: (path: string): fs.Stats | undefined => fs.lstatSync(systemPath(path), { throwIfNoEntry: false }),
} as const;

/** The entries of a directory in no order. */
export async function readEntries(path: string): Promise<readonly { readonly name: string; readonly kind: PathKind | "link" }[]> {
  const system = systemPath(path);
  const found = await callEntries(system, { withFileTypes: true });
  if (!found.some(({ name }) => name.includes("\uFFFD"))) return found.map((entry) => ({ name: entry.name, kind: direntKind(entry) }));
  const exact = await callByteEntries(system, { withFileTypes: true, encoding: "buffer" });
  return exact.map((entry) => ({ name: nameOfBytes(entry.name), kind: direntKind(entry) }));
}

const callEntries: (path: string | Buffer, options: { withFileTypes: true }) => Promise<fs.Dirent[]> = promisify(fs.readdir);
const callByteEntries: (path: string | Buffer, options: { withFileTypes: true; encoding: "buffer" }) => Promise<fs.Dirent<Buffer>[]> =
  promisify(fs.readdir);

function direntKind(found: fs.Dirent | fs.Dirent<Buffer>): PathKind | "link" {
  if (found.isSymbolicLink()) return "link";
  if (found.isFile()) return "file";
  if (found.isDirectory()) return "directory";
  if (found.isFIFO()) return "fifo";
  if (found.isSocket()) return "socket";
  return "device";
}

/** Up to here a read or write of memory is shorter than the way through the pool. */
const shortBytes = 512 * 1024;

/**
 * Reads until `buffer` is full or the file ends; answers how much there was. Where the size is known, what reaches
 * exactly that far is not asked for its end: whoever cares that the file grew meanwhile looks at its size again.
 */
export async function readFully(fd: number, buffer: Uint8Array, position: number, size = Number.POSITIVE_INFINITY): Promise<number> {
  let done = 0;
  while (done < buffer.byteLength && (done === 0 || position + done !== size)) {
    const count = await readSome(fd, buffer, done, buffer.byteLength - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** The same for contents that were read a moment ago. */
export async function readWarm(fd: number, buffer: Uint8Array, position: number, size: number): Promise<number> {
  if (size > shortBytes) return readFully(fd, buffer, position, size);
  let done = 0;
  while (done < buffer.byteLength && (done === 0 || position + done !== size)) {
    const count = fs.readSync(fd, buffer, done, buffer.byteLength - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}

function readSome(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, buffer, offset, length, position, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Writes all of `bytes`; a short write goes on where it stopped. */
export async function writeFully(fd: number, bytes: Uint8Array, position: number): Promise<void> {
  let done = bytes.byteLength <= shortBytes ? fs.writeSync(fd, bytes, 0, bytes.byteLength, position) : 0;
  while (done < bytes.byteLength) {
    done += await new Promise<number>((resolve, reject) => {
      fs.write(fd, bytes, done, bytes.byteLength - done, position + done, (error, count) =>
        error === null ? resolve(count) : reject(error),
      );
    });
  }
}

export function kindOf(stats: fs.Stats): PathKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "directory";
  if (stats.isFIFO()) return "fifo";
  if (stats.isSocket()) return "socket";
  return "device";
}

export function toStat(stats: fs.Stats): FileStat {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mode: stats.mode & 0o7777,
    mtimeMs: stats.mtimeMs,
    uid: stats.uid,
    gid: stats.gid,
    hardLinks: stats.nlink,
    identity: `${stats.dev}:${stats.ino}`,
  };
}
