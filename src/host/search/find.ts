/**
 * Files by name, newest first. One implementation for every machine: walking here is faster than starting `rg --files` and
 * reading its answer, and links to files are listed, which ripgrep leaves out.
 * Memory is bounded by the limit, not by the tree.
 */
import { statSync } from "node:fs";
import type { FileHit, FindAnswer, FindRequest, Readable } from "../../contract/index.ts";
import { toBytePath, toSystemPath } from "./byte-path.ts";
import { type FileTimes, FileTimesQueue } from "./file-times.ts";
import { compileGlob } from "./glob.ts";
import { SkipList } from "./ignore/skip-list.ts";
import { Limits } from "./limits.ts";
import { pathOf, shownOf, type WalkedFile, walk } from "./walk.ts";

interface Looked {
  readonly files: readonly WalkedFile[];
  readonly times: FileTimes;
}

export async function find(request: FindRequest, readable: Readable): Promise<FindAnswer> {
  const limits = new Limits(request.signal, request.deadlineMs);
  const skipped = new SkipList();
  const glob = compileGlob(request.pattern, { anyDepth: false });
  const { only } = request;
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
    mayTake: only === undefined ? glob.matchesIn : (way, name) => glob.matchesIn(way, name) && only(way + name),
    ...(request.unreadable === "shown" ? {} : { mayLookInto: (path: string) => readable.mayRead(path, true) }),
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

/**
 * Numbers sort many times faster than objects do: the times are sorted alone, then every hit goes to the place of its time.
 * Hits of one time are in the order of their paths.
 */
function newest(hits: readonly FileHit[], limit: number): FileHit[] {
  const times = new Float64Array(hits.length);
  for (const [index, { mtimeMs }] of hits.entries()) times[index] = mtimeMs;
  times.sort();
  const taken = new Uint32Array(hits.length);
  const ascending = new Array<FileHit>(hits.length);
  for (const hit of hits) {
    const first = firstOf(times, hit.mtimeMs);
    ascending[first + (taken[first] as number)] = hit;
    taken[first] = (taken[first] as number) + 1;
  }
  const ordered: FileHit[] = [];
  for (let end = hits.length; end > 0 && ordered.length < limit; ) {
    const start = firstOf(times, times[end - 1] as number);
    if (start === end - 1) ordered.push(ascending[start] as FileHit);
    else for (const hit of ascending.slice(start, end).sort(byPath)) ordered.push(hit);
    end = start;
  }
  return ordered.length > limit ? ordered.slice(0, limit) : ordered;
}

/** Where this time stands first. */
function firstOf(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byPath(a: FileHit, b: FileHit): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
