/**
 * Owns the copies that make writing into a file itself safe against the death of the writer: old and new bytes are kept
 * beside the file (in a private temporary directory where the file's own may not be written) while the file is being
 * written, and what a dead writer left half done gets its old bytes back.
 * Refuses to guess: only a file whose every block is the old one or the new one was left half done; whatever else it
 * holds by then is somebody's work and stays. A copy of another user, or of a writer that lives, is left alone.
 */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { close, direct, fstat, fsync, ftruncate, lstat, mkdir, open, openWarm, readFully, rename, unlink, writeFully } from "./calls.ts";
import { errnoOf } from "./failures.ts";
import { isWriterAlive, temporaryName, thisWriter, type Writer } from "./temporary.ts";
import { setTime, timeOf } from "./times.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;
/** Larger ones are written without a copy: the before-image in the journal is what remains of them. */
export const maxRescuedBytes = 256 << 20;
const footerBytes = 512;
const blockBytes = 4096;

export interface RescuePlace {
  /** A spelling of the file that no swap can redirect. */
  readonly at: string;
  /** Its path. */
  readonly real: string;
}

interface Footer {
  readonly writer: Writer;
  readonly identity: string;
  readonly before: number;
  readonly after: number;
  readonly mtimeNs: string;
}

/**
 * Keeps both contents; answers how to drop them again. Where there is no place that nobody else may touch, nothing is
 * kept: the before-image in the journal is what remains.
 */
export async function keepRescue(
  place: RescuePlace,
  before: Uint8Array,
  after: Uint8Array,
  stats: fs.Stats,
  durable: boolean,
): Promise<() => Promise<void>> {
  const contents = { before: before.length, after: after.length, mtimeNs: timeOf(place.at) };
  const text = JSON.stringify({ writer: thisWriter(), identity: identityOf(stats), ...contents } satisfies Footer);
  const footer = Buffer.alloc(footerBytes, " ");
  footer.write(text);
  let path: string;
  let temporary: string;
  let fd: number;
  try {
    path = beside(place.at);
    temporary = join(dirname(path), temporaryName());
    fd = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (!isClosed(error)) throw error;
    const directory = await privateDirectory();
    if (directory === undefined) return async () => {};
    path = join(directory, keyOf(place.real));
    temporary = join(dirname(path), temporaryName());
    fd = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  }
  try {
    await writeFully(fd, before, 0);
    await writeFully(fd, after, before.length);
    await writeFully(fd, footer, before.length + after.length);
    if (durable) await fsync(fd);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    await close(fd);
  }
  // Only a whole copy has the name that is looked for.
  await rename(temporary, path);
  if (durable) await syncDirectory(dirname(path));
  return () => unlink(path).catch(() => undefined);
}

/** Gives a file its old bytes back where a writer died in the middle. Never fails: what cannot be healed stays as it is. */
export async function healFile(real: string): Promise<void> {
  for (const path of [beside(real), join(privatePath(), keyOf(real))]) {
    try {
      const kept = direct.lstat(path);
      if (kept === undefined || !isOurs(kept, false)) continue;
      if (path !== beside(real) && !isOurs(await lstat(dirname(path)), true)) continue;
      await heal(real, path);
    } catch {
      // Nothing kept, or nothing that can be used.
    }
  }
}

async function heal(real: string, path: string): Promise<void> {
  const kept = await readKept(path);
  if (kept === undefined || isWriterAlive(kept.footer.writer)) return;
  const fd = await openWarm(real, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await fstat(fd);
    if (stats.isFile() && identityOf(stats) === kept.footer.identity && stats.size <= Math.max(kept.before.length, kept.after.length)) {
      const now = Buffer.allocUnsafe(stats.size);
      const count = await readFully(fd, now, 0, stats.size);
      if (count === stats.size && isHalfDone(now, kept.before, kept.after)) {
        await writeFully(fd, kept.before, 0);
        await ftruncate(fd, kept.before.length);
        setTime(real, kept.footer.mtimeNs);
        await fsync(fd);
      }
    }
  } finally {
    await close(fd);
  }
  await unlink(path);
}

/** Neither the old nor the new content, but nothing else either: block for block one of them, or one that was cut in between. */
export function isHalfDone(now: Buffer, before: Buffer, after: Buffer): boolean {
  if (now.equals(before) || now.equals(after)) return false;
  for (let at = 0; at < now.length; at += blockBytes) {
    const end = Math.min(at + blockBytes, now.length);
    if (sameBlock(now, before, at, end) || sameBlock(now, after, at, end)) continue;
    let cut = at;
    while (cut < end && now[cut] === after[cut]) cut += 1;
    if (!sameBlock(now, before, cut, end)) return false;
  }
  return true;
}

function sameBlock(now: Buffer, other: Buffer, start: number, end: number): boolean {
  return end <= other.length && now.compare(other, start, end, start, end) === 0;
}

async function readKept(path: string): Promise<{ footer: Footer; before: Buffer; after: Buffer } | undefined> {
  const fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = await fstat(fd);
    if (size < footerBytes || size > 2 * maxRescuedBytes + footerBytes) return undefined;
    const bytes = Buffer.allocUnsafe(size);
    if ((await readFully(fd, bytes, 0, size)) !== size) return undefined;
    const footer = JSON.parse(bytes.toString("utf8", size - footerBytes)) as Footer;
    if (footer.before + footer.after + footerBytes !== size) return undefined;
    return { footer, before: bytes.subarray(0, footer.before), after: bytes.subarray(footer.before, footer.before + footer.after) };
  } finally {
    await close(fd);
  }
}

/** A regular file (or directory) of this user that nobody else may touch. */
function isOurs(stats: fs.Stats, directory: boolean): boolean {
  const isKind = directory ? stats.isDirectory() : stats.isFile();
  return isKind && (process.geteuid === undefined || (stats.uid === process.geteuid() && (stats.mode & 0o077) === 0));
}

function beside(path: string): string {
  return join(dirname(path), `.karyi-rescue-${keyOf(basename(path)).slice(0, 16)}`);
}

function privatePath(): string {
  return join(tmpdir(), `karyi-rescue-${process.geteuid?.() ?? 0}`);
}

async function privateDirectory(): Promise<string | undefined> {
  const path = privatePath();
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") return undefined;
  }
  return isOurs(await lstat(path), true) ? path : undefined;
}

function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function identityOf(stats: fs.Stats): string {
  return `${stats.dev}:${stats.ino}`;
}

function isClosed(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "EACCES" || code === "EPERM" || code === "EROFS";
}

async function syncDirectory(path: string): Promise<void> {
  const fd = await openWarm(path, O_RDONLY);
  try {
    await fsync(fd);
  } finally {
    await close(fd);
  }
}
