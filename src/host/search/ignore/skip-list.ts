/** Collects what could not be looked at: counted exactly, listed up to a bound. */
import type { Skipped, SkippedPath } from "../../../contract/index.ts";

const maxHeld = 5_000;
const maxListed = 50;

export class SkipList {
  readonly #paths: SkippedPath[] = [];
  #total = 0;

  add(path: string, reason: SkippedPath["reason"]): void {
    this.#total++;
    if (this.#paths.length < maxHeld) this.#paths.push({ path, reason });
  }

  list(): Skipped {
    const sorted = this.#paths.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    return { paths: sorted.slice(0, maxListed), total: this.#total };
  }
}
