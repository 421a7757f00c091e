/**
 * Gathers what a content search finds, in whatever order it comes, and keeps the first lines (or files) in the order of the
 * paths. Counts everything; holds a few times the limit at most.
 */
import type { GrepAnswer, GrepLine, GrepRequest } from "../../contract/index.ts";

export interface FoundFile {
  readonly path: string;
  readonly matches: number;
  readonly matchingLines: number;
  /** At most the limit. */
  readonly lines: readonly GrepLine[];
}

type Totals = Pick<GrepAnswer, "lines" | "files" | "totalMatches" | "totalLines" | "totalFiles">;

export class GrepResults {
  readonly #limit: number;
  readonly #content: boolean;
  #files: FoundFile[] = [];
  #held = 0;
  /** Past this path nothing can be shown any more. */
  #last: string | undefined;
  #totalMatches = 0;
  #totalLines = 0;
  #totalFiles = 0;

  constructor({ limit, mode }: Pick<GrepRequest, "limit" | "mode">) {
    this.#limit = limit;
    this.#content = mode === "content";
  }

  /** False when the lines of this file would be thrown away. */
  wants(path: string): boolean {
    return this.#last === undefined || path <= this.#last;
  }

  add(file: FoundFile): void {
    this.#totalFiles++;
    this.#totalMatches += file.matches;
    this.#totalLines += file.matchingLines;
    if (!this.wants(file.path)) return;
    this.#files.push(file);
    this.#held += this.#weight(file);
    if (this.#held > 4 * this.#limit + 1_024) this.#shrink();
  }

  finish(): Totals {
    this.#shrink();
    const lines = this.#files.flatMap((file) => file.lines).slice(0, this.#limit);
    return {
      lines: this.#content ? lines : [],
      files: this.#files.map(({ path, matches }) => ({ path, matches })),
      totalMatches: this.#totalMatches,
      totalLines: this.#content ? this.#totalLines : 0,
      totalFiles: this.#totalFiles,
    };
  }

  #weight(file: FoundFile): number {
    return this.#content ? Math.max(1, file.lines.length) : 1;
  }

  #shrink(): void {
    this.#files.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.matches - b.matches));
    let held = 0;
    let keep = 0;
    while (keep < this.#files.length && held < this.#limit) held += this.#weight(this.#files[keep++] as FoundFile);
    this.#files.length = keep;
    this.#held = held;
    if (held >= this.#limit) this.#last = this.#files.at(-1)?.path ?? "";
  }
}
