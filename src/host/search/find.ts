/**
 * Files by name, newest first. One implementation for every machine: walking here is faster than starting `rg --files` and
 * reading its answer, and links to files are listed, which ripgrep leaves out.
 * Memory is bounded by the limit, not by the tree.
 */
import { statSync } from "node:fs";
import type { FileHit, FindAnswer, FindRequest } from "../../contract/index.ts";
import { toBytePath, toDisplay, toSystemPath } from "./byte-path.ts";
import { type FileTimes, FileTimesQueue } from "./file-times.ts";
import { compileGlob } from "./glob.ts";
import { Limits } from "./limits.ts";
import { SkipList } from "./skip-list.ts";
import { type WalkedFile, walk } from "./walk.ts";

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
    mayTake: (_, relative) => glob.matches(toDisplay(relative)),
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
    const files = batch.filter((file) => !file.isLink || leadsToFile(file));
    if (files.length === 0) continue;
    looked.push({ files, times: queue.add(files.map(({ path }) => path)) });
    waiting += files.length;
    if (waiting > held) await gather();
  }
  const partial = limits.passed;
  await gather();
  return { hits, total, partial, backend: "javascript", skipped: skipped.list() };
}

/** The size and time of a link are its own: what it points to may lie outside of what the caller may see. */
function leadsToFile({ path }: WalkedFile): boolean {
  try {
    return statSync(toSystemPath(path), { throwIfNoEntry: false })?.isFile() === true;
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
    hits.push({ path: toDisplay((files[i] as WalkedFile).relative), size, mtimeMs: values[2 * i + 1] as number });
  }
  return found;
}

function newest(hits: FileHit[], limit: number): FileHit[] {
  hits.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return hits.length > limit ? hits.slice(0, limit) : hits;
}
