/**
 * Owns files with holes: their copies have the same holes, for a few kilobytes on disk may be a terabyte to read. Node's own copy
 * fills them; `cp` keeps them.
 */
import type { Stats } from "node:fs";
import { outputOf, plainEnvironment } from "../spawn.ts";
import { systemPath } from "./byte-name.ts";

/** Smaller ones are not worth a process. */
const leastBytes = 1 << 20;

export function isSparse({ size, blocks }: Stats): boolean {
  return size >= leastBytes && blocks * 512 < size - 4096;
}

/** A name through one of our handles means something else to another process. */
function forOthers(path: string): string | Buffer {
  return systemPath(path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`));
}

/** `target` must not exist. */
export async function copySparse(source: string, target: string): Promise<void> {
  const [from, to] = [source, target].map(forOthers);
  // Arguments of a program are text here: a name that is none cannot be handed over.
  if (typeof from !== "string" || typeof to !== "string") throw new Error(`${source} cannot be copied with its holes`);
  await outputOf("cp", ["--sparse=always", "--reflink=auto", "--no-clobber", "--", from, to], { env: plainEnvironment() });
}
