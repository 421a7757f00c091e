/**
 * Server-sent events on one answer: `id:`, `event:`, `data:`, a comment every 15 s so that a dead line is noticed. A
 * reader that takes nothing for a while is dropped; its position is the last `id:` it read, and nothing is lost.
 */
import type { ByteSink, Connection, KaryiEvent } from "../../contract/index.ts";

const sseHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

const keepAliveMs = 15_000;
const keepAlive = ": keep-alive\n\n";

export interface SseOptions {
  /** A reader that has not drained for so long is dropped. */
  readonly stallMs: number;
  /** Asked with every keep-alive: false ends the stream (the token was removed). */
  isStillAllowed(): Promise<boolean>;
}

export class SseStream {
  readonly #sink: ByteSink;
  readonly #drained: (() => void)[] = [];
  readonly #closed: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;
  #ready = true;
  #ended = false;
  #behindSince = 0;

  constructor(connection: Connection, options: SseOptions) {
    this.#sink = connection.stream(200, sseHeaders);
    this.#timer = setInterval(() => void this.#beat(options), keepAliveMs);
    this.#timer.unref();
    const stall = setInterval(
      () => {
        if (!this.#ready && performance.now() - this.#behindSince > options.stallMs) this.#sink.destroy();
      },
      Math.min(5000, options.stallMs),
    );
    stall.unref();
    this.#sink.onDrain(() => {
      this.#ready = true;
      for (const listener of this.#drained) listener();
    });
    this.#sink.onClose(() => {
      this.#ended = true;
      clearInterval(this.#timer);
      clearInterval(stall);
      for (const listener of this.#closed) listener();
    });
  }

  /** False if the reader is behind: nothing more before `onDrain`. */
  get isReady(): boolean {
    return this.#ready && !this.#ended;
  }

  /** `bytes` are whole events. Answers whether more may be written. */
  write(bytes: Uint8Array): boolean {
    return !this.#ended && this.#note(this.#sink.write(bytes));
  }

  /** An event of the stream itself: it has no place in the order, and so no `id:`. */
  tell(event: string, data: unknown, id?: string): boolean {
    if (this.#ended) return false;
    return this.#note(this.#sink.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  onDrain(listener: () => void): void {
    this.#drained.push(listener);
  }

  onClose(listener: () => void): void {
    this.#closed.push(listener);
  }

  end(): void {
    if (!this.#ended) this.#sink.end();
  }

  #note(ready: boolean): boolean {
    if (!ready && this.#ready) this.#behindSince = performance.now();
    this.#ready = ready;
    return ready;
  }

  async #beat(options: SseOptions): Promise<void> {
    if (this.#ended) return;
    if (!(await options.isStillAllowed())) return this.end();
    if (this.isReady) this.#note(this.#sink.write(keepAlive));
  }
}

/** The lines of an event without its `id:`; JSON has no line breaks of its own. */
export function encodeEvent(event: KaryiEvent, wire: (event: KaryiEvent) => unknown): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(wire(event))}\n\n`);
}
