/**
 * Owns the writing of new bytes into a file itself, for files whose identity must not change: from the first difference
 * on, with a copy kept until it is done. Whoever dies in between leaves what `rescue.ts` puts back; a disk that is full
 * is noticed before the first byte changes.
 */
import * as fs from "node:fs";
import { close, fchmod, fstat, fsync, ftruncate, open, readFully, writeFully } from "./calls.ts";
import { staleFile } from "./failures.ts";
import { healFile, keepRescue, maxRescuedBytes, type RescuePlace } from "./rescue.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDWR } = fs.constants;

export interface InPlace extends RescuePlace {
  readonly asked: string;
}

export async function writeInPlace(place: InPlace, bytes: Uint8Array, before: fs.Stats, durable: boolean): Promise<fs.Stats> {
  const fd = await open(place.at, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!isSame(await fstat(fd), before)) throw staleFile(place.asked);
    if (before.size > maxRescuedBytes || bytes.byteLength > maxRescuedBytes) return await write(fd, bytes, 0, before, durable);
    // A copy that a dead writer left is about what is here now: it must not be covered.
    await healFile(place.real);
    const old = Buffer.allocUnsafe(before.size);
    const count = await readFully(fd, old, 0, before.size);
    if (count !== before.size || !isSame(await fstat(fd), before)) throw staleFile(place.asked);
    const drop = await keepRescue(place, old, bytes, before, durable);
    let written: fs.Stats;
    try {
      written = await write(fd, bytes, commonStart(old, bytes), before, durable);
    } catch (error) {
      // Where even this fails the copy stays, for whoever looks after this process is gone.
      await write(fd, old, 0, before, durable).then(drop, () => undefined);
      throw error;
    }
    await drop();
    return written;
  } finally {
    await close(fd);
  }
}

async function write(fd: number, bytes: Uint8Array, start: number, before: fs.Stats, durable: boolean): Promise<fs.Stats> {
  await writeFully(fd, bytes.subarray(start), start);
  if ((await fstat(fd)).size > bytes.byteLength) await ftruncate(fd, bytes.byteLength);
  // Writing clears the set-uid bits.
  if (((await fstat(fd)).mode & 0o7777) !== (before.mode & 0o7777)) await fchmod(fd, before.mode & 0o7777);
  if (durable) await fsync(fd);
  return fstat(fd);
}

/** How many leading bytes both share. */
function commonStart(old: Buffer, bytes: Uint8Array): number {
  const length = Math.min(old.length, bytes.byteLength);
  const block = 4096;
  let at = 0;
  while (at + block <= length && old.compare(bytes, at, at + block, at, at + block) === 0) at += block;
  while (at < length && old[at] === bytes[at]) at += 1;
  return at;
}

/** Still the same file, and nobody changed it. */
export function isSame(a: fs.Stats, b: fs.Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}
