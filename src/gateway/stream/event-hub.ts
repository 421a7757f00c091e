/**
 * Hands events of sessions to many readers. Each event is encoded once. A reader that is behind gets nothing more
 * until it has drained; then it goes on from the store, so memory does not grow with slow readers.
 *
 * An event of this process comes by `onEvent` at once; those of other processes are looked for if something was
 * committed. Numbers are gapless, so a hole always means: read the store.
 */
import type { EventHead, KaryiEvent } from "../../contract/index.ts";

export interface EventSource {
  onEvent(listener: (event: KaryiEvent) => void): () => void;
  changed(signal: AbortSignal): Promise<void>;
  heads(sessionIds: readonly string[]): Promise<ReadonlyMap<string, EventHead>>;
  read(sessionId: string, after: number, limit: number): Promise<readonly KaryiEvent[]>;
}

/** An event with its bytes, made when the first reader needs them. */
export class EncodedEvent {
  readonly event: KaryiEvent;
  readonly #encode: (event: KaryiEvent) => Buffer;
  #bytes: Buffer | undefined;
  #numbered: Buffer | undefined;

  constructor(event: KaryiEvent, encode: (event: KaryiEvent) => Buffer) {
    this.event = event;
    this.#encode = encode;
  }

  /** `event:` and `data:` lines with the empty line that ends them; the `id:` line is the reader's. */
  get bytes(): Buffer {
    this.#bytes ??= this.#encode(this.event);
    return this.#bytes;
  }

  /** The same after the `id:` line of a stream of one session. */
  get numbered(): Buffer {
    this.#numbered ??= Buffer.concat([Buffer.from(`id: ${this.event.seq}\n`), this.bytes]);
    return this.#numbered;
  }
}

export interface EventReader {
  /** False if the reader is behind; `EventHub.resume` continues it. */
  deliver(event: EncodedEvent): boolean;
  /** Everything that was there has been delivered; from now on events come live. */
  caughtUp?(): void;
  /** Events that the reader asked for are no longer kept. */
  lost?(after: number, first: number): boolean;
  failed(error: unknown): void;
}

export interface Subscription {
  /** The reader has drained. */
  resume(): void;
  stop(): void;
}

interface Tail {
  /** Last event that was handed to live readers. */
  last: number;
  readonly readers: Set<Reader>;
  refreshing: boolean;
}

interface Reader {
  readonly sessionId: string;
  readonly target: EventReader;
  seq: number;
  state: "live" | "behind" | "reading" | "stopped";
}

const pageSize = 200;
/** Other processes are looked for this often at most. */
const lookMs = 100;

export class EventHub {
  readonly #source: EventSource;
  readonly #encode: (event: KaryiEvent) => Buffer;
  readonly #tails = new Map<string, Tail>();
  readonly #stopListening: () => void;
  readonly #closed = new AbortController();
  #looking = false;

  constructor(source: EventSource, encode: (event: KaryiEvent) => Buffer) {
    this.#source = source;
    this.#encode = encode;
    this.#stopListening = source.onEvent((event) => this.#hear(event));
  }

  subscribe(sessionId: string, after: number, target: EventReader): Subscription {
    const tail = this.#tails.get(sessionId) ?? { last: after, readers: new Set(), refreshing: false };
    this.#tails.set(sessionId, tail);
    const reader: Reader = { sessionId, target, seq: after, state: "behind" };
    tail.readers.add(reader);
    void this.#catchUp(tail, reader);
    void this.#look();
    return {
      resume: () => void this.#catchUp(tail, reader),
      stop: () => {
        reader.state = "stopped";
        tail.readers.delete(reader);
        if (tail.readers.size === 0) this.#tails.delete(sessionId);
      },
    };
  }

  /** Sessions that somebody reads now. */
  get watched(): number {
    return this.#tails.size;
  }

  close(): void {
    this.#closed.abort();
    this.#stopListening();
    this.#tails.clear();
  }

  #hear(event: KaryiEvent): void {
    const tail = this.#tails.get(event.sessionId);
    if (tail === undefined || event.seq <= tail.last) return;
    if (event.seq === tail.last + 1) this.#publish(tail, event);
    else void this.#refresh(event.sessionId, tail);
  }

  #publish(tail: Tail, event: KaryiEvent): void {
    tail.last = event.seq;
    const encoded = new EncodedEvent(event, this.#encode);
    for (const reader of tail.readers) if (reader.state === "live") this.#give(reader, encoded);
  }

  #give(reader: Reader, encoded: EncodedEvent): void {
    if (encoded.event.seq !== reader.seq + 1 && reader.seq !== 0) {
      // A live reader is always at the tail; a hole means that the store has to be read.
      reader.state = "behind";
      const tail = this.#tails.get(reader.sessionId);
      if (tail) void this.#catchUp(tail, reader);
      return;
    }
    reader.seq = encoded.event.seq;
    if (!reader.target.deliver(encoded)) reader.state = "behind";
  }

  /** Reads what the reader has not had yet; ends when it is live, behind again, or stopped. */
  async #catchUp(tail: Tail, reader: Reader): Promise<void> {
    if (reader.state !== "behind") return;
    reader.state = "reading";
    try {
      let first = true;
      for (;;) {
        const page = await this.#source.read(reader.sessionId, reader.seq, pageSize);
        if (isStopped(reader) || this.#closed.signal.aborted) return;
        const [oldest] = page;
        if (first && oldest !== undefined && oldest.seq > reader.seq + 1 && reader.target.lost?.(reader.seq, oldest.seq) === false) {
          reader.state = "behind";
          return;
        }
        first = false;
        for (const event of page) {
          reader.seq = event.seq;
          if (reader.target.deliver(new EncodedEvent(event, this.#encode))) continue;
          reader.state = "behind";
          return;
        }
        tail.last = Math.max(tail.last, reader.seq);
        if (page.length < pageSize && reader.seq >= tail.last) break;
      }
      reader.state = "live";
      reader.target.caughtUp?.();
    } catch (error) {
      if (isStopped(reader)) return;
      reader.state = "behind";
      reader.target.failed(error);
    }
  }

  async #refresh(sessionId: string, tail: Tail): Promise<void> {
    if (tail.refreshing) return;
    tail.refreshing = true;
    try {
      for (;;) {
        const page = await this.#source.read(sessionId, tail.last, pageSize);
        for (const event of page) if (event.seq > tail.last) this.#publish(tail, event);
        if (page.length < pageSize) return;
      }
    } catch (error) {
      for (const reader of tail.readers) reader.target.failed(error);
    } finally {
      tail.refreshing = false;
    }
  }

  /** Looks for what other processes appended, as long as anybody reads. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { signal } = this.#closed;
    try {
      while (this.#tails.size > 0 && !signal.aborted) {
        const changed = this.#source.changed(signal);
        const heads = await this.#source.heads([...this.#tails.keys()]);
        for (const [sessionId, { last }] of heads) {
          const tail = this.#tails.get(sessionId);
          if (tail !== undefined && last > tail.last && [...tail.readers].some(({ state }) => state === "live")) {
            await this.#refresh(sessionId, tail);
          }
        }
        await changed;
        await pause(lookMs, signal);
      }
    } catch {
      // The state cannot be read: readers meet the same error and are told.
    } finally {
      this.#looking = false;
    }
  }
}

function isStopped(reader: Reader): boolean {
  return reader.state === "stopped";
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
