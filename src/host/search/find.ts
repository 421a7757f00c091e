/**
 * Files by name, newest first. One implementation for every machine: walking here is faster than starting `rg --files` and
 * reading its answer, and links to files are listed, which ripgrep leaves out.
 * Memory is bounded by the limit, not by the tree.
 */
import { statSync } from "node:fs";
import type { FileHit, FindAnswer, FindRequest } from "../../contract/index.ts";
import { toBytePath, toSystemPath } from "./byte-path.ts";
import { type FileTimes, FileTimesQueue } from "./file-times.ts";
import { compileGlob } from "./glob.ts";
import { Limits } from "./limits.ts";
import { SkipList } from "./skip-list.ts";
import { pathOf, shownOf, type WalkedFile, walk } from "./walk.ts";

interface Looked {
  readonly files: readonly WalkedFile[];
  readonly times: FileTimes;
}

export async function find(request: FindRequest): Promise<FindAnswer> {
  const limits = new Limits(request.signal, request.deadlineMs);
  const skipped = new SkipList();
  const glob = compileGlob(request.pattern, { anyDepth: false });
  const held = Math.max(request.limit * 4, 50_000);
  const rest = async (): Promise<void> => {
    if (limits.sliceOver) await limits.rest();
    limits.throwIfCancelled();
  };
  const batches = walk({
    root: toBytePath(request.directory),
    includeIgnored: request.includeIgnored,
    limits,
    skipped,
    mayEnter: glob.mayEnter,
    mayTake: glob.matchesIn,
  });
  const queue = new FileTimesQueue();
  let looked: Looked[] = [];
  let hits: FileHit[] = [];
  let waiting = 0;
  let total = 0;
  const gather = async (): Promise<void> => {
    await queue.finish(rest);
    for (const batch of looked) total += collect(batch, hits);
    hits = newest(hits, request.limit);
    looked = [];
    waiting = 0;
  };
  for await (const batch of batches) {
    const files = batch.some(({ isLink }) => isLink) ? batch.filter((file) => !file.isLink || leadsToFile(file)) : batch;
    if (files.length === 0) continue;
    looked.push({ files, times: queue.add(files) });
    waiting += files.length;
    if (waiting > held) await gather();
  }
  const partial = limits.passed;
  await gather();
  return { hits, total, partial, backend: "javascript", skipped: skipped.list() };
}

/** The size and time of a link are its own: what it points to may lie outside of what the caller may see. */
function leadsToFile(file: WalkedFile): boolean {
  try {
    return statSync(toSystemPath(pathOf(file)), { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

function collect({ files, times: { values } }: Looked, hits: FileHit[]): number {
  let found = 0;
  for (let i = 0; i < files.length; i++) {
    const size = values[2 * i] as number;
    if (size < 0) continue;
    found++;
    hits.push({ path: shownOf(files[i] as WalkedFile), size, mtimeMs: values[2 * i + 1] as number });
  }
  return found;
}

/** Numbers sort many times faster than objects do: the times are sorted alone, then the hits are put in their order. */
function newest(hits: readonly FileHit[], limit: number): FileHit[] {
  const times = new Float64Array(hits.length);
  const sameTime = new Map<number, FileHit | FileHit[]>();
  for (const [i, hit] of hits.entries()) {
    times[i] = hit.mtimeMs;
    const before = sameTime.get(hit.mtimeMs);
    if (before === undefined) sameTime.set(hit.mtimeMs, hit);
    else if (Array.isArray(before)) before.push(hit);
    else sameTime.set(hit.mtimeMs, [before, hit]);
  }
  times.sort();
  const ordered: FileHit[] = [];
  for (let i = times.length - 1; i >= 0 && ordered.length < limit; i--) {
    const at = sameTime.get(times[i] as number);
    if (Array.isArray(at)) {
      for (const hit of at.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) ordered.push(hit);
      i -= at.length - 1;
    } else if (at !== undefined) ordered.push(at);
  }
  return ordered.length > limit ? ordered.slice(0, limit) : ordered;
}
