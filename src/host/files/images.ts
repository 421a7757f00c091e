/**
 * Owns images of paths: what is there now, kept so that it can be there again (`restore-image.ts`).
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import type { Blobs, FileImage, Fingerprint, Images } from "../../contract/index.ts";
import { close, fstat, kindOf, readlink, readWarm } from "./calls.ts";
import { openOwn, ownMode, throughClosed } from "./closed.ts";
import { fileFailure, isMissing, unusable } from "./failures.ts";
import { isGitIndex, meaningOfIndex } from "./git-index.ts";
import { sha256 } from "./replace.ts";
import { healFile } from "./rescue.ts";
import { hashAt, inodeOf, type Kept, look, restoreImage } from "./restore-image.ts";
import { type Sealing, sealBytes } from "./sealing.ts";
import { timeImage, timeOf } from "./times.ts";

/** Up to here a row of the journal is a better place than a file of its own: it needs no sync for itself. */
const shortBytes = 32 * 1024;
const longestIndex = 64 << 20;
/** Longer files are not searched for secrets. */
const longestSealed = 4 << 20;

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

export interface ImagesOptions {
  /** Force restored files to disk. True unless said otherwise. */
  readonly fsync?: boolean;
  /** What may not lie on a disk in clear. */
  readonly sealing?: Sealing;
}

export function createImages(blobs: Blobs, options: ImagesOptions = {}): Images {
  const durable = options.fsync ?? true;
  const { sealing } = options;
  return {
    async capture(path) {
      const { image, onDisk } = await throughClosed(dirname(path), () => beginCapture(path, blobs, sealing));
      await onDisk;
      return image;
    },
    beginCapture: (path, known) => throughClosed(dirname(path), () => beginCapture(path, blobs, sealing, known)),
    inspect: (path, known) =>
      throughClosed(dirname(path), async () => {
        // Whoever knows nothing about a file asks after a crash, perhaps in the middle of a write.
        if (known === undefined) await healFile(path);
        return imageOf(path, (stats) => hashOf(path, stats, known));
      }),
    async time(path) {
      try {
        return await throughClosed(dirname(path), async () => timeImage(path));
      } catch (error) {
        if (isMissing(error)) return { kind: "absent" };
        throw fileFailure(error, path);
      }
    },
    async restore(path, image) {
      try {
        await throughClosed(dirname(path), () => restoreImage(path, image, { blobs, sealing, durable }));
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
    const dress = { uid: stats.uid, gid: stats.gid, mtimeNs: timeOf(path) };
    if (stats.isSymbolicLink()) return { kind: "link", target: await readlink(path), ...dress };
    if (stats.isDirectory()) return { kind: "directory", mode: ownMode(stats), ...dress };
    if (stats.isFIFO()) return { kind: "pipe", mode: stats.mode & 0o7777, ...dress };
    if (!stats.isFile()) throw unusable({ asked: path, kind: kindOf(stats) });
    return {
      kind: "file",
      ...(await content(stats)),
      ...(await meaningOf(path, stats)),
      mode: stats.mode & 0o7777,
      mtimeMs: stats.mtimeMs,
      ...dress,
      inode: inodeOf(stats),
    };
  } catch (error) {
    if (isMissing(error)) return { kind: "absent" };
    throw fileFailure(error, path);
  }
}

/** Nothing when it changed while it was read. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  const fd = await openOwn(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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

async function hashOf(path: string, stats: fs.Stats, known?: Fingerprint): Promise<{ hash: string; size: number }> {
  if (known?.hash !== undefined && known.size === stats.size && known.mtimeMs === stats.mtimeMs) {
    return { hash: known.hash, size: stats.size };
  }
  return hashAt(path, stats.size);
}
