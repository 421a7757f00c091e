/** One at a time by key, first come, first served: what looks first and acts then must not be overtaken by its own kind. */
export class Queue {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => {});
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }
}
