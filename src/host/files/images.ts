/**
 * Owns images of paths: what is there now, kept so that it can be there again (`restore-image.ts`).
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { setImmediate as breath } from "node:timers/promises";
import type { Attributes, Blobs, FileImage, Fingerprint, Images } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { attributesOf, giveAttributes } from "./attributes.ts";
import { close, fstat, readlink, readWarm } from "./calls.ts";
import { openOwn, ownMode, throughClosed } from "./closed.ts";
import { fileFailure, isMissing } from "./failures.ts";
import { isGitIndex, meaningOfIndex } from "./git-index.ts";
import { sha256 } from "./replace.ts";
import { healFile } from "./rescue.ts";
import { checkImage, hashAt, type Kept, LastDirectory, look, restoreImage } from "./restore-image.ts";
import { type Sealing, sealBytes } from "./sealing.ts";
import { Expectation, inodeOf, MovedMeanwhile } from "./still.ts";
import { syncEverywhere } from "./sync-written.ts";
import { timeImage, timeOf } from "./times.ts";

/** Up to here a row of the journal is a better place than a file of its own: it needs no sync for itself. */
const shortBytes = 32 * 1024;
/** Of many files at once, whose rows must stay short together. */
const batchedBytes = 512;
/** Others get their turn after so many files. */
const breathEvery = 100;
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
  const restore = async (
    path: string,
    image: FileImage,
    durable: boolean,
    last: LastDirectory,
    twin?: string,
    expected?: Expectation,
  ): Promise<void> => {
    try {
      await throughClosed(dirname(path), () => restoreImage(path, image, { blobs, sealing, durable, expected }, last, twin));
    } catch (error) {
      throw error instanceof MovedMeanwhile ? error : fileFailure(error, path);
    }
  };
  const dressAll = async (wanted: readonly Attributed[]): Promise<void> => {
    const [failed] = await giveAttributes(wanted);
    if (failed === undefined) return;
    throw new ToolFailure("tool_error", `${failed}: its extended attributes could not be given back`, {
      details: { reason: "attributes_lost", path: failed },
    });
  };
  return {
    async capture(path) {
      const { image, onDisk } = await throughClosed(dirname(path), () => beginCapture(path, blobs, sealing));
      await onDisk;
      return image;
    },
    batch: () => {
      const { blobs: batched, onDisk } = blobs.batch();
      const restored: string[] = [];
      const groups = new Map<string, string>();
      const attributed: Attributed[] = [];
      const last = new LastDirectory();
      const shared = new Set<string>();
      let steps = 0;
      return {
        capture: async (path) =>
          (await throughClosed(dirname(path), () => beginCapture(path, batched, sealing, undefined, batchedBytes))).image,
        restore: async (path, image, _callId, expected) => {
          if (++steps % breathEvery === 0) await breath();
          try {
            const expectation = expected === undefined ? undefined : new Expectation(path, expected, shared);
            await restore(path, image, false, last, groups.get(groupOf(image) ?? ""), expectation);
          } catch (error) {
            if (error instanceof MovedMeanwhile) return false;
            await last.release();
            throw error;
          }
          // A change under one name shows in the time of the file under every other.
          if (expected?.kind === "file" && expected.inode !== undefined) shared.add(expected.inode);
          const group = groupOf(image);
          if (group !== undefined) groups.set(group, path);
          attributed.push(...attributedOf(path, image));
          if (durable) restored.push(path, dirname(path));
          return true;
        },
        onDisk: async () => {
          await last.release();
          await onDisk();
          await dressAll(attributed.splice(0));
          await syncEverywhere(restored.splice(0));
        },
      };
    },
    check: (image) => checkImage(image, { blobs, sealing }),
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
    attributes: attributesOf,
    async restore(path, image) {
      const last = new LastDirectory();
      await restore(path, image, durable, last).finally(() => last.release());
      await dressAll(attributedOf(path, image));
    },
  };
}

interface Attributed {
  readonly path: string;
  readonly attributes: Attributes;
}

function attributedOf(path: string, image: FileImage): readonly Attributed[] {
  if ((image.kind !== "file" && image.kind !== "directory") || image.attributes === undefined) return [];
  return [{ path, attributes: image.attributes }];
}

/** Equal for two names of one file, as they were when their images were taken. */
function groupOf(image: FileImage): string | undefined {
  if (image.kind !== "file" || image.inode === undefined) return undefined;
  const { inode, hash, mode, uid, gid, mtimeNs } = image;
  return [inode, hash, mode, uid, gid, mtimeNs].join(" ");
}

async function beginCapture(
  path: string,
  blobs: Pick<Blobs, "keepFile">,
  sealing?: Sealing,
  known?: Fingerprint,
  inRowBytes = shortBytes,
): Promise<{ image: FileImage; onDisk: Promise<void> }> {
  let onDisk = Promise.resolve();
  const keep = async (): Promise<Content> => {
    const { onDisk: written, ...kept } = await blobs.keepFile(path, known);
    onDisk = written;
    return kept;
  };
  const image = await imageOf(path, async ({ size }) => {
    const looksInside = sealing?.isNeeded() === true && size <= longestSealed;
    const content = size <= inRowBytes || looksInside ? await contentOf(path) : undefined;
    if (content === undefined) return keep();
    if (looksInside && sealing.holdsSecret(content.toString())) {
      return { ...described(content), bytes: (await sealBytes(content, sealing.keyFile)).toString("base64"), sealed: true };
    }
    return size <= inRowBytes ? { ...described(content), bytes: content.toString("base64") } : keep();
  });
  return { image, onDisk };
}

async function meaningOf(path: string, { size }: fs.Stats): Promise<{ meaning?: string }> {
  const content = isGitIndex(path) && size <= longestIndex ? await contentOf(path) : undefined;
  const meaning = content === undefined ? undefined : meaningOfIndex(content);
  return meaning === undefined ? {} : { meaning };
}

type Content = Pick<Kept, "hash" | "size" | "bytes" | "packed" | "sealed">;

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
    // A socket or device holds nothing that could be brought back.
    if (!stats.isFile()) return { kind: "absent" };
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
