/**
 * Owns the bytes of before-images: files named by their sha256, mode 0600. What is there and whole is never written
 * again, and nothing is handed out that does not match its name.
 */
import * as fs from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Blobs, Fingerprint, KeptBytes, Packed } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { close, fstat, fsync, kindOf, lstatCold, open, openWarm, readFully, rename, unlink, writeFully } from "./calls.ts";
import { openOwn } from "./closed.ts";
import { errnoOf, fileFailure, isMissing, unusable } from "./failures.ts";
import { PackWriter, readPacked } from "./packs.ts";
import { hashFile, sha256 } from "./replace.ts";
import { copySparse, isSparse } from "./sparse.ts";
import { syncWritten } from "./sync-written.ts";
import { temporaryName } from "./temporary.ts";

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
/** Larger files are copied by the kernel (shared blocks where the file system can) instead of through memory. */
const inMemoryBytes = 4 << 20;
/** Of many files at once those up to here share one pack. */
const packedBytes = 64 << 10;
/** Younger blobs may belong to a call whose journal is not written yet. */
const defaultGraceMs = 10 * 60 * 1000;

/** Where copies lie until their name is known. One flat directory for the rest: a new one would have to be synced too. */
const unfinishedName = "new";

const fullCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

export interface BlobsOptions {
  /** Force blobs to disk before they count as kept. True unless said otherwise. */
  readonly fsync?: boolean;
  /** Age below which `sweep` leaves a blob alone. */
  readonly graceMs?: number;
}

export function createBlobs(directory: string, options: BlobsOptions = {}): Blobs {
  return new BlobDirectory(directory, options.fsync ?? true, options.graceMs ?? defaultGraceMs);
}

class BlobDirectory implements Blobs {
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #graceMs: number;

  constructor(directory: string, durable: boolean, graceMs: number) {
    this.#directory = directory;
    this.#durable = durable;
    this.#graceMs = graceMs;
  }

  async keepFile(path: string, known?: Fingerprint): Promise<KeptBytes> {
    try {
      const fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const stats = await fstat(fd);
        if (!stats.isFile()) throw unusable({ asked: path, kind: kindOf(stats) });
        // The writer compares the content with this very hash before it changes anything; until then its word is good.
        if (known?.hash !== undefined && known.size === stats.size && known.mtimeMs === stats.mtimeMs)
          return await this.#keepCopy(path, fd, known.hash, stats.size);
        if (stats.size > inMemoryBytes) return await this.#keepLarge(path, fd);
        const buffer = Buffer.allocUnsafe(stats.size);
        const size = await readFully(fd, buffer, 0, stats.size);
        // It changed while it was read.
        if (size !== stats.size || (await fstat(fd)).size !== size) return await this.#keepLarge(path, fd);
        return await this.#keepBytes(buffer);
      } finally {
        await close(fd);
      }
    } catch (error) {
      // The copy found no room, not the file that was read.
      throw fileFailure(error, fullCodes.has(errnoOf(error) ?? "") ? this.#directory : path);
    }
  }

  async #keepBytes(bytes: Uint8Array): Promise<KeptBytes> {
    const hash = sha256(bytes);
    const path = this.#path(hash);
    const kept = { hash, size: bytes.byteLength };
    let created: { readonly value: number; readonly made: boolean };
    try {
      created = await making(dirname(path), () => open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600));
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      if (await this.#isWhole(hash)) return { ...kept, onDisk: this.#synced(path, false) };
      created = await making(join(this.#directory, unfinishedName), () => this.#replacement(path));
    }
    try {
      await writeFully(created.value, bytes, 0);
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await close(created.value);
    }
    return { ...kept, onDisk: this.#synced(path, created.made) };
  }

  /** The kernel copies it, sharing blocks where the file system can. */
  async #keepCopy(path: string, fd: number, hash: string, size: number): Promise<KeptBytes> {
    const target = this.#path(hash);
    let made: boolean;
    try {
      ({ made } = await making(dirname(target), () => copyOpened(fd, path, target)));
      fs.chmodSync(target, 0o600);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
      if (!(await this.#isWhole(hash))) return this.#keepLarge(path, fd);
      made = false;
    }
    return { hash, size, onDisk: this.#synced(target, made) };
  }

  async read(hash: string): Promise<Uint8Array> {
    const fd = await this.#open(hash);
    try {
      const size = (await fstat(fd)).size;
      const bytes = Buffer.allocUnsafeSlow(size);
      const count = await readFully(fd, bytes, 0, size);
      if (count !== size || sha256(bytes) !== hash) throw damaged(hash);
      return bytes;
    } finally {
      await close(fd);
    }
  }

  async check(hash: string): Promise<void> {
    const fd = await this.#open(hash);
    try {
      if ((await hashFile(fd, (await fstat(fd)).size)) !== hash) throw damaged(hash);
    } finally {
      await close(fd);
    }
  }

  batch(): { readonly blobs: Pick<Blobs, "keepFile">; onDisk(): Promise<void> } {
    const unsynced = new BlobDirectory(this.#directory, false, this.#graceMs);
    const pack = new PackWriter(this.#directory);
    const kept: string[] = [];
    return {
      blobs: {
        keepFile: async (path, known) => {
          const short = await readShort(path);
          if (short !== undefined) return { hash: sha256(short), size: short.length, packed: pack.add(short), onDisk: Promise.resolve() };
          const bytes = await unsynced.keepFile(path, known);
          if (this.#durable) kept.push(this.#path(bytes.hash));
          return bytes;
        },
      },
      onDisk: async () => {
        try {
          await pack.end(this.#durable);
        } catch (error) {
          throw fileFailure(error, this.#directory);
        }
        if (kept.length > 0) await syncWritten(this.#directory, [...kept, this.#directory, dirname(this.#directory)]);
      },
    };
  }

  readPacked(packed: Packed, size: number, hash: string): Uint8Array {
    const bytes = readPacked(this.#directory, packed, size, hash);
    if (bytes === undefined) throw damaged(hash);
    return bytes;
  }

  async copyTo(hash: string, path: string): Promise<void> {
    await close(await this.#open(hash));
    if (isSparse(fs.lstatSync(this.#path(hash)))) await copySparse(this.#path(hash), path);
    else await copyFile(this.#path(hash), path, COPYFILE_EXCL | COPYFILE_FICLONE);
    const fd = await open(path, O_RDONLY | O_NOFOLLOW);
    try {
      if ((await hashFile(fd, (await fstat(fd)).size)) !== hash) throw damaged(hash);
      if (this.#durable) await fsync(fd);
    } finally {
      await close(fd);
    }
  }

  async sweep(used: ReadonlySet<string>): Promise<number> {
    let freed = 0;
    const now = Date.now();
    for (const directory of [this.#directory, join(this.#directory, unfinishedName)]) {
      for (const name of await names(directory)) {
        const path = join(directory, name);
        if (used.has(name)) continue;
        try {
          const stats = await lstatCold(path);
          if (!stats.isFile() || now - stats.mtimeMs < this.#graceMs) continue;
          await unlink(path);
          freed += stats.size;
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }
    }
    return freed;
  }

  async #keepLarge(path: string, fd: number): Promise<KeptBytes> {
    const temporary = this.#temporary();
    await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
    await copyOpened(fd, path, temporary);
    const copy = await open(temporary, O_RDONLY | O_NOFOLLOW);
    let kept: { hash: string; size: number };
    try {
      fs.fchmodSync(copy, 0o600);
      const { size } = await fstat(copy);
      kept = { hash: await hashFile(copy, size), size };
    } finally {
      await close(copy);
    }
    const target = this.#path(kept.hash);
    const { made } = await making(dirname(target), () => rename(temporary, target));
    return { ...kept, onDisk: this.#synced(target, made) };
  }

  /**
   * Whether the blob is there and its bytes are those of its name: one that a crash or a power cut cut short has the
   * name already. Makes it young again, so that a sweep under way leaves it.
   */
  async #isWhole(hash: string): Promise<boolean> {
    const path = this.#path(hash);
    try {
      const now = new Date();
      fs.utimesSync(path, now, now);
      const fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        return (await hashFile(fd, (await fstat(fd)).size)) === hash;
      } finally {
        await close(fd);
      }
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** A new file that takes the place of a damaged blob at once. */
  async #replacement(path: string): Promise<number> {
    const temporary = this.#temporary();
    const fd = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    await rename(temporary, path);
    return fd;
  }

  #temporary(): string {
    return join(this.#directory, unfinishedName, temporaryName());
  }

  /** The bytes and the name go to the disk together: side by side they cost one wait. */
  #synced(path: string, made: boolean): Promise<void> {
    if (!this.#durable) return Promise.resolve();
    const places = [path, this.#directory, ...(made ? [dirname(this.#directory)] : [])];
    const done = Promise.all(places.map(sync)).then(() => {});
    done.catch(() => {});
    return done;
  }

  async #open(hash: string): Promise<number> {
    try {
      return await open(this.#path(hash), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new ToolFailure("tool_error", `The kept bytes ${hash.slice(0, 12)} are no longer there`, {
        hint: "Their retention time has ended.",
        details: { reason: "blob_missing", hash },
      });
    }
  }

  #path(hash: string): string {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new TypeError(`not a sha256: ${JSON.stringify(hash)}`);
    return join(this.#directory, hash);
  }
}

function damaged(hash: string): ToolFailure {
  return new ToolFailure("tool_error", `The kept bytes ${hash.slice(0, 12)} were damaged on disk; nothing was restored from them`, {
    details: { reason: "blob_damaged", hash },
  });
}

/** The content of a short file, read without a detour; nothing if it is long or changes meanwhile. */
async function readShort(path: string): Promise<Buffer | undefined> {
  let fd: number | undefined;
  try {
    fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(fd);
    if (!stats.isFile() || stats.size > packedBytes) return undefined;
    const buffer = Buffer.allocUnsafe(stats.size);
    const count = stats.size === 0 ? 0 : fs.readSync(fd, buffer, 0, stats.size, 0);
    return count === stats.size && fs.fstatSync(fd).size === count ? buffer : undefined;
  } catch (error) {
    throw fileFailure(error, path);
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Does something in a directory, which is made only when it turns out to be missing. */
async function making<T>(directory: string, work: () => Promise<T>): Promise<{ readonly value: T; readonly made: boolean }> {
  try {
    return { value: await work(), made: false };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return { value: await work(), made: true };
}

async function names(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The file by its handle, so that it is the one that was looked at. */
async function copyOpened(fd: number, path: string, target: string): Promise<void> {
  try {
    if (isSparse(fs.fstatSync(fd))) return await copySparse(path, target);
    return await copyFile(sourceOf(fd, path), target, COPYFILE_EXCL | COPYFILE_FICLONE);
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
  }
  // What its owner closed cannot be opened a second time.
  const source = fs.createReadStream("", { fd, start: 0, autoClose: false });
  await pipeline(source, fs.createWriteStream(target, { flags: "wx", mode: 0o600 }));
}

function sourceOf(fd: number, path: string): string {
  const handle = `/proc/self/fd/${fd}`;
  return fs.existsSync(handle) ? handle : path;
}

async function sync(path: string): Promise<void> {
  const fd = await openWarm(path, O_RDONLY | O_NOFOLLOW);
  try {
    await fsync(fd);
  } finally {
    await close(fd);
  }
}
