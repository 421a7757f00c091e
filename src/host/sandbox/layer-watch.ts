/**
 * Owns the size of a layer while its command runs: a command that is only tried must not fill the disk. Looks again and again,
 * the less often the longer a look takes. Refuses to be exact: between two looks a layer can outgrow its limit.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const firstLookMs = 200;
/** A look takes at most this part of the time. */
const share = 20;

export interface LayerWatch {
  /** No look begins after this. */
  stop(): void;
}

export function watchLayers(uppers: readonly string[], maxBytes: number, onFull: () => void): LayerWatch {
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const begin = performance.now();
    const full = (await bytesBelow(uppers, maxBytes, () => stopped)) > maxBytes;
    if (stopped) return;
    if (full) return onFull();
    next(Math.max(firstLookMs, (performance.now() - begin) * share));
  };
  const next = (ms: number): void => {
    timer = setTimeout(() => void look(), ms);
    timer.unref();
  };
  next(firstLookMs);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** What lies on disk, holes not counted; stops as soon as it is more than `enough`. */
async function bytesBelow(directories: readonly string[], enough: number, isStopped: () => boolean): Promise<number> {
  let bytes = 0;
  const left = [...directories];
  for (let directory = left.pop(); directory !== undefined; directory = left.pop()) {
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (isStopped()) return 0;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) left.push(path);
      else if (entry.isFile()) bytes += ((await lstat(path).catch(() => undefined))?.blocks ?? 0) * 512;
      if (bytes > enough) return bytes;
    }
  }
  return bytes;
}
