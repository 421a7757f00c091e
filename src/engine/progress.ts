/**
 * Live text of a running call: masked, handed to the caller at once, and kept as `tool_progress`
 * events in bounded amount: a tool that prints for ever fills neither memory nor disk.
 */
import type { Call, Masker } from "../contract/index.ts";
import type { EventFeed } from "./event-feed.ts";

const flushEveryMs = 100;
const maxKeptBytes = 64 * 1024;
const maxPendingBytes = 16 * 1024;

export class Progress {
  readonly #call: Pick<Call, "id">;
  readonly #sessionId: string;
  readonly #feed: Pick<EventFeed, "appendSoon">;
  readonly #stream: ReturnType<Masker["stream"]>;
  readonly #onProgress: ((text: string) => void) | undefined;
  #pending = "";
  #kept = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    call: Pick<Call, "id">,
    sessionId: string,
    feed: Pick<EventFeed, "appendSoon">,
    masker: Pick<Masker, "stream">,
    onProgress?: (text: string) => void,
  ) {
    this.#call = call;
    this.#sessionId = sessionId;
    this.#feed = feed;
    this.#stream = masker.stream();
    this.#onProgress = onProgress;
  }

  push(text: string): void {
    this.accept(this.#stream.push(text));
  }

  /** Text that is masked already. */
  accept(masked: string): void {
    if (masked === "" || this.#closed) return;
    this.#onProgress?.(masked);
    if (this.#kept + this.#pending.length > maxKeptBytes || this.#pending.length > maxPendingBytes) {
      this.#dropped += masked.length;
      return;
    }
    this.#pending += masked.length > maxPendingBytes ? masked.slice(0, maxPendingBytes) : masked;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, flushEveryMs);
  }

  /** Everything pushed so far is in the stream of events when this resolves. */
  async close(): Promise<void> {
    this.accept(this.#stream.end());
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    if (this.#pending === "" && (!this.#closed || this.#dropped === 0)) return;
    const body = { text: this.#pending, ...(this.#dropped > 0 ? { dropped: this.#dropped } : {}) };
    this.#kept += this.#pending.length;
    this.#pending = "";
    this.#dropped = 0;
    this.#writing = this.#writing.then(() =>
      this.#feed.appendSoon(this.#sessionId, [{ type: "tool_progress", callId: this.#call.id, body }]),
    );
    // Whoever closes hears of it; until then nobody listens, which would end the process.
    this.#writing.catch(() => undefined);
  }
}
