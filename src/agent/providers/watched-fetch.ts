/** Watches the bytes of one streamed response: that it is alive, and that its last event came. */

const tailLength = 64;

export class WatchedFetch {
  readonly #endMark: RegExp | undefined;
  #tail = "";
  #ended = false;
  #waiting: (() => void) | undefined;
  #came = false;

  /** Without an end mark every clean end is one. */
  constructor(endMark: RegExp | undefined) {
    this.#endMark = endMark;
  }

  /** Whether the provider's own end mark was seen; `undefined` if its bytes have none that is known. */
  get hasEnded(): boolean | undefined {
    return this.#endMark === undefined ? undefined : this.#ended;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body || !response.ok) return response;
    const decoder = new TextDecoder();
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          this.#look(decoder.decode(chunk, { stream: true }));
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(watched, { status: response.status, statusText: response.statusText, headers: response.headers });
  };

  /** Resolves when further bytes come. */
  bytes(): Promise<void> {
    if (this.#came) {
      this.#came = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  #look(text: string): void {
    const seen = this.#tail + text;
    this.#ended ||= this.#endMark?.test(seen) === true;
    // A tail that begins within a line must not look like the beginning of one.
    this.#tail = seen.length > tailLength ? `.${seen.slice(-tailLength)}` : seen;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting();
    else this.#came = true;
  }
}
