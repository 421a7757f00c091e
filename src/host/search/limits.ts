/** The two ways a search ends early: its deadline (what was found is kept) and its cancellation (nothing is). */
import { setImmediate } from "node:timers/promises";
import { ToolFailure } from "../../contract/index.ts";

/** What is searched as one text must fit into memory. */
export const maxWholeBytes = 256 * 1024 * 1024;

/** How long the event loop may be held at a stretch. */
const sliceMs = 12;

export class Limits {
  readonly signal: AbortSignal;
  readonly #end: number;
  #sliceEnd = performance.now() + sliceMs;

  constructor(signal: AbortSignal, deadlineMs: number) {
    this.signal = signal;
    this.#end = performance.now() + deadlineMs;
  }

  get remainingMs(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** True once the deadline has come. Throws once the search is cancelled. */
  get passed(): boolean {
    this.throwIfCancelled();
    return performance.now() >= this.#end;
  }

  throwIfCancelled(): void {
    if (this.signal.aborted) throw new ToolFailure("cancelled", "The search was cancelled.");
  }

  /** True when it is time to `rest`. */
  get sliceOver(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  /** Lets everybody else run. */
  async rest(): Promise<void> {
    await setImmediate();
    this.#sliceEnd = performance.now() + sliceMs;
  }
}
