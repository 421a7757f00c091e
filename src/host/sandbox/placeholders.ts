/**
 * What stands in place of something that a command must not read: a file or directory that nobody may open, with the size and time
 * of what it hides. A program that would record or copy it fails and says so; an empty one would be taken for the truth. For root
 * they belong to an id that its keeper does not map, since its rights over files reach every other.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { setTime, timeOf } from "../files/times.ts";
import { unmappedId } from "./keeper-program.ts";

/** Each version of a hidden file gets one: old ones go when there are so many. */
const maxKept = 512;
const oldMs = 3_600_000;

export class Placeholders {
  readonly #directory: string;
  readonly #made = new Set<string>();

  /** `base`: a private directory that outlives runs. */
  constructor(base: string) {
    this.#directory = join(base, "placeholders");
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  for(path: string): { readonly path: string; readonly isDirectory: boolean } {
    const stats = lstatSync(path);
    const isDirectory = stats.isDirectory();
    const place = join(this.#directory, isDirectory ? "directory" : `${stats.size}-${timeOf(path)}`);
    if (!this.#made.has(place)) this.#make(place, path, stats);
    return { path: place, isDirectory };
  }

  #make(place: string, path: string, stats: Stats): void {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) {
      // Made under another name: whoever finds it by its own finds it whole.
      const draft = `${place}.${process.pid}`;
      rmSync(draft, { recursive: true, force: true });
      if (stats.isDirectory()) mkdirSync(draft);
      else {
        writeHole(draft, stats.isFile() ? stats.size : 0);
        setTime(draft, timeOf(path));
      }
      chmodSync(draft, 0);
      if (process.getuid?.() === 0) chownSync(draft, unmappedId, unmappedId);
      renameSync(draft, place);
      this.#sweep();
    }
    this.#made.add(place);
  }

  #sweep(): void {
    const names = readdirSync(this.#directory);
    if (names.length < maxKept) return;
    for (const name of names) {
      const place = join(this.#directory, name);
      const stats = lstatSync(place, { throwIfNoEntry: false });
      if (stats !== undefined && Date.now() - stats.ctimeMs > oldMs) rmSync(place, { recursive: true, force: true });
    }
    this.#made.clear();
  }
}

/** Of the size, without anything in it. */
function writeHole(path: string, size: number): void {
  const fd = openSync(path, "wx", 0o600);
  try {
    ftruncateSync(fd, size);
  } finally {
    closeSync(fd);
  }
}
