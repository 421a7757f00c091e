/** So many at once, the others in line; whoever gives up waiting leaves the line. */
export class Slots {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Answers how to give the slot back. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#line.shift();
      if (next) next();
      else this.#free += 1;
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        const at = this.#line.indexOf(enter);
        if (at !== -1) this.#line.splice(at, 1);
        reject(signal.reason);
      };
      this.#line.push(enter);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
