/**
 * The file system calls of this folder as promises over plain descriptors.
 * Descriptors instead of FileHandle objects: half the cost of a small read, and every one is closed in a `finally`.
 *
 * What may wait for a disk goes through the thread pool. What the kernel answers from memory is called directly, for
 * the way through the pool costs ten times the call: descriptors that are open, names that `realpath` or
 * `open` has just walked, and short contents that were read a moment ago.
 */
import * as fs from "node:fs";
import { promisify } from "node:util";
import type { FileStat, PathKind } from "../../contract/index.ts";

export const open = promisify(fs.open);
/** Of a name that was walked a moment ago, never to create it. */
export const openWarm = async (path: string, flags: number): Promise<number> => fs.openSync(path, flags);
export const close = async (fd: number): Promise<void> => fs.closeSync(fd);
export const fstat = async (fd: number): Promise<fs.Stats> => fs.fstatSync(fd);
/** Of a name that was walked a moment ago. */
export const lstat = async (path: string): Promise<fs.Stats> => fs.lstatSync(path);
/** Of a name that nobody looked at yet. */
export const lstatCold: (path: string) => Promise<fs.Stats> = promisify(fs.lstat);
export const fsync = promisify(fs.fsync);
export const fchmod = async (fd: number, mode: number): Promise<void> => fs.fchmodSync(fd, mode);
export const fchown = async (fd: number, uid: number, gid: number): Promise<void> => fs.fchownSync(fd, uid, gid);
export const ftruncate = promisify(fs.ftruncate);
export const rename = promisify(fs.rename);
export const link = promisify(fs.link);
export const unlink = promisify(fs.unlink);
export const access = async (path: string, mode: number): Promise<void> => fs.accessSync(path, mode);
export const mkdir: (path: string, mode?: number) => Promise<void> = promisify(fs.mkdir);
export const rmdir = promisify(fs.rmdir);
export const symlink: (target: string, path: string) => Promise<void> = promisify(fs.symlink);
export const readlink: (path: string) => Promise<string> = promisify(fs.readlink);
export const readlinkBytes = (path: string): Promise<Buffer> => promisify(fs.readlink)(path, { encoding: "buffer" });
export const readdir: (path: string) => Promise<string[]> = promisify(fs.readdir);
export const realpath: (path: string) => Promise<string> = promisify(fs.realpath.native);

/** Up to here a read or write of memory is shorter than the way through the pool. */
const shortBytes = 64 * 1024;

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
