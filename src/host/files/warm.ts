/**
 * What was looked at a moment ago: the kernel answers it from memory, so a direct call takes less than the way through the
 * thread pool. Remembers names only, never answers: every call asks the kernel again.
 */

/** Long enough for the steps of one call and for the next one in a row; short enough that memory still holds it. */
const warmMs = 1000;
const maxKeys = 256;

export class Warmth {
  readonly #since = new Map<string, number>();

  /** Whether `key` was noted a moment ago. */
  has(key: string): boolean {
    const since = this.#since.get(key);
    return since !== undefined && performance.now() - since < warmMs;
  }

  note(key: string): void {
    // Put at the end, so that the first one is the oldest.
    this.#since.delete(key);
    this.#since.set(key, performance.now());
    const [oldest] = this.#since.keys();
    if (this.#since.size > maxKeys && oldest !== undefined) this.#since.delete(oldest);
  }
}
