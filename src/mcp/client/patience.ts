/** A server's time: it passes while the server works, and stands still while the server waits for the person. */
export class Patience {
  readonly #controller = new AbortController();
  #leftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
    this.#run();
  }

  /** Aborts when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#controller.signal.aborted;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#since;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#pauses += 1;
  }

  #run(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(new Error("the time is over")), Math.max(0, this.#leftMs));
  }
}
