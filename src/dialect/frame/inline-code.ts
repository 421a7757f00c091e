/**
 * Inline code of Markdown, as far as it matters: between backticks on one line nothing is a call. A run of
 * backticks that never closes counts to the end of its line, which errs on the side of text.
 */
import type { CharFinder } from "./char-finder.ts";
import { runLength } from "./fence.ts";

/** Longer runs are decoration; they are never held back. */
const maxRun = 256;

export class InlineCode {
  /** Length of the run that opened it; 0 outside. */
  private ticks = 0;
  private end = 0;
  /** Code of the character whose long run the last text ended with; 0 otherwise. */
  private longRun = 0;

  constructor(private readonly finder: CharFinder) {}

  /** A new piece of text begins. */
  resume(): void {
    if (this.ticks > 0) this.end = this.finder.lineEnd(0);
  }

  /** The text at hand is done with up to `to`; a line that ended before takes its code along. */
  suspend(to: number): void {
    if (this.end < to) this.ticks = 0;
  }

  leave(): void {
    this.ticks = 0;
  }

  covers(at: number): boolean {
    if (this.ticks > 0 && at >= this.end) this.ticks = 0;
    return this.ticks > 0;
  }

  /** The run at `at`: `decoration` is passed over, `wait` may still grow, a number is its length. */
  run(text: string, at: number, final: boolean): number | "decoration" | "wait" {
    const length = runLength(text, at);
    const touchesEnd = at + length === text.length;
    const code = text.charCodeAt(at);
    if ((this.longRun === code && at === 0) || length >= maxRun) {
      this.longRun = touchesEnd ? code : 0;
      return "decoration";
    }
    return touchesEnd && !final ? "wait" : length;
  }

  toggle(at: number, length: number): void {
    if (!this.covers(at)) {
      this.ticks = length;
      this.end = this.finder.lineEnd(at + length);
    } else if (this.ticks === length) this.ticks = 0;
  }
}
