/**
 * Finds the links in a tree, whatever is ignored, without following any: what a program that follows them would reach.
 * Synchronous inside a slice of a few milliseconds, as every walk here. Where it cannot look it says that it is not sure.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { LinksAnswer, LinksRequest } from "../../contract/index.ts";

const sliceMs = 5;

export async function findLinks({ directory, depth, limit, signal, deadlineMs }: LinksRequest): Promise<LinksAnswer> {
  const paths: string[] = [];
  const end = performance.now() + deadlineMs;
  let slice = performance.now() + sliceMs;
  const pending = [{ path: directory, left: depth }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const now = performance.now();
    if (now > end || signal.aborted || paths.length > limit) return { paths, partial: true };
    if (now > slice) {
      await new Promise(setImmediate);
      slice = performance.now() + sliceMs;
    }
    try {
      for (const entry of readdirSync(next.path, { withFileTypes: true })) {
        if (entry.isSymbolicLink()) paths.push(join(next.path, entry.name));
        else if (next.left > 1 && entry.isDirectory()) pending.push({ path: join(next.path, entry.name), left: next.left - 1 });
      }
    } catch (error) {
      // What nobody may list, nobody follows links in.
      if (!(error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "ENOENT")))
        return { paths, partial: true };
    }
  }
  return { paths, partial: false };
}
