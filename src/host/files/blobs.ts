/**
 * Owns the bytes of before-images: files named by their sha256, mode 0600, whole on disk before they have that name.
 * What is there is never written again, and nothing is handed out that does not match its name.
 */
import * as fs from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Blobs } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { close, fstat, fsync, kindOf, lstatCold, open, readFully, rename, unlink, writeFully } from "./calls.ts";
import { fileFailure, isMissing, unusable } from "./failures.ts";
import { hashFile, sha256 } from "./replace.ts";
import { temporaryName } from "./temporary.ts";

const { COPYFILE_EXCL, COPYFILE_FICLONE, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
/** Larger files are copied by the kernel (shared blocks where the file system can) instead of through memory. */
const inMemoryBytes = 4 << 20;
/** Younger blobs may belong to a call whose journal is not written yet. */
const defaultGraceMs = 10 * 60 * 1000;

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

  async keepFile(path: string): Promise<{ hash: string; size: number }> {
    try {
      const fd = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const stats = await fstat(fd);
        if (!stats.isFile()) throw unusable({ asked: path, kind: kindOf(stats) });
        if (stats.size > inMemoryBytes) return await this.#keepLarge(path, fd);
        const buffer = Buffer.allocUnsafe(stats.size + 1);
        const size = await readFully(fd, buffer, 0, stats.size);
        // It changed while it was read.
        if (size !== stats.size || (await fstat(fd)).size !== size) return await this.#keepLarge(path, fd);
        return { hash: await this.keepBytes(buffer.subarray(0, size)), size };
      } finally {
        await close(fd);
      }
    } catch (error) {
      throw fileFailure(error, path);
    }
  }

  async keepBytes(bytes: Uint8Array): Promise<string> {
    const hash = sha256(bytes);
    if (this.#touch(hash)) return hash;
    const temporary = this.#temporary();
    const { value: fd } = await making(dirname(temporary), () => open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600));
    try {
      await writeFully(fd, bytes, 0);
      if (this.#durable) await fsync(fd);
    } finally {
      await close(fd);
    }
    await this.#settle(temporary, hash);
    return hash;
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

  async copyTo(hash: string, path: string): Promise<void> {
    await close(await this.#open(hash));
    await copyFile(this.#path(hash), path, COPYFILE_EXCL | COPYFILE_FICLONE);
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
    for (const group of await names(this.#directory)) {
      for (const name of await names(join(this.#directory, group))) {
        const path = join(this.#directory, group, name);
        if (used.has(group + name)) continue;
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

  async #keepLarge(path: string, fd: number): Promise<{ hash: string; size: number }> {
    const temporary = this.#temporary();
    const handle = `/proc/self/fd/${fd}`;
    await mkdir(dirname(temporary), { recursive: true, mode: 0o700 });
    await copyFile(fs.existsSync(handle) ? handle : path, temporary, COPYFILE_EXCL | COPYFILE_FICLONE);
    const copy = await open(temporary, fs.constants.O_RDWR | O_NOFOLLOW);
    let kept: { hash: string; size: number };
    try {
      fs.fchmodSync(copy, 0o600);
      const { size } = await fstat(copy);
      kept = { hash: await hashFile(copy, size), size };
      if (this.#durable) await fsync(copy);
    } finally {
      await close(copy);
    }
    if (this.#touch(kept.hash)) await unlink(temporary);
    else await this.#settle(temporary, kept.hash);
    return kept;
  }

  /** True when the blob is there; makes it young again, so that a sweep under way leaves it. */
  #touch(hash: string): boolean {
    try {
      const now = new Date();
      fs.utimesSync(this.#path(hash), now, now);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  #temporary(): string {
    return join(this.#directory, "new", temporaryName());
  }

  async #settle(temporary: string, hash: string): Promise<void> {
    const path = this.#path(hash);
    const { made } = await making(dirname(path), () => rename(temporary, path));
    if (!this.#durable) return;
    await Promise.all([syncDirectory(dirname(path)), made ? syncDirectory(this.#directory) : undefined]);
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
    return join(this.#directory, hash.slice(0, 2), hash.slice(2));
  }
}

function damaged(hash: string): ToolFailure {
  return new ToolFailure("tool_error", `The kept bytes ${hash.slice(0, 12)} were damaged on disk; nothing was restored from them`, {
    details: { reason: "blob_damaged", hash },
  });
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

async function syncDirectory(path: string): Promise<void> {
  const fd = await open(path, O_RDONLY);
  try {
    await fsync(fd);
  } finally {
    await close(fd);
  }
}
