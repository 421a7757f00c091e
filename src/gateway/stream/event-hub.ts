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
  /** The session is not there any more. */
  removed(): void;
}

export interface Subscription {
  /** The reader has drained. */
  resume(): void;
  stop(): void;
}

interface Tail {
  /** Last event that is known of; live readers have had it. */
  last: number;
  readonly readers: Set<Reader>;
  refreshing: boolean;
}

interface Reader {
  readonly sessionId: string;
  readonly target: EventReader;
  seq: number;
  /** Its position was looked at: it is one of this stream. */
  checked: boolean;
  state: "live" | "behind" | "reading" | "stopped";
}

const pageSize = 200;
/** Other processes are looked for this often at most. */
const lookMs = 100;
/** In the place of the last event of a session that is not there any more. */
const gone = -1;

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
    const tail = this.#tails.get(sessionId) ?? { last: 0, readers: new Set(), refreshing: false };
    this.#tails.set(sessionId, tail);
    const reader: Reader = { sessionId, target, seq: after, checked: false, state: "behind" };
    tail.readers.add(reader);
    void this.#catchUp(tail, reader);
    void this.#look();
    return {
      resume: () => void this.#catchUp(tail, reader),
      stop: () => {
        reader.state = "stopped";
        tail.readers.delete(reader);
        if (tail.readers.size === 0 && this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId);
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
    // Whoever is not live yet reads up to `last` before it is.
    if (event.seq === tail.last + 1 || !hasLive(tail)) this.#publish(tail, new EncodedEvent(event, this.#encode));
    else void this.#refresh(event.sessionId, tail);
  }

  #publish(tail: Tail, encoded: EncodedEvent): void {
    tail.last = encoded.event.seq;
    for (const reader of tail.readers) if (reader.state === "live") this.#give(reader, encoded);
  }

  /** A reader came with a position that is new here: those who are live read what is before it. */
  #raise(tail: Tail, seq: number): void {
    if (seq <= tail.last) return;
    tail.last = seq;
    for (const reader of tail.readers) {
      if (reader.state !== "live") continue;
      reader.state = "behind";
      void this.#catchUp(tail, reader);
    }
  }

  #give(reader: Reader, encoded: EncodedEvent): void {
    if (encoded.event.seq <= reader.seq) return;
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
      if (!reader.checked && !(await this.#check(reader))) return;
      for (;;) {
        const page = await this.#source.read(reader.sessionId, reader.seq, pageSize);
        if (isStopped(reader) || this.#closed.signal.aborted) return;
        const [oldest] = page;
        if (oldest === undefined && reader.seq < tail.last) throw new Error("events that were heard of are not there any more");
        if (oldest !== undefined && oldest.seq > reader.seq + 1 && !this.#tellLost(reader, oldest.seq)) return;
        for (const event of page) {
          const encoded = new EncodedEvent(event, this.#encode);
          reader.seq = event.seq;
          const isReady = reader.target.deliver(encoded);
          // Nobody told of this one yet: it is new to those who are live, too.
          if (event.seq > tail.last) this.#publish(tail, encoded);
          if (isReady) continue;
          reader.state = "behind";
          return;
        }
        if (page.length < pageSize && reader.seq >= tail.last) break;
      }
      this.#raise(tail, reader.seq);
      reader.state = "live";
      reader.target.caughtUp?.();
    } catch (error) {
      if (isStopped(reader)) return;
      reader.state = "behind";
      reader.target.failed(error);
    }
  }

  /** A position beyond the last event is of another stream: of a session that was removed, or of events that a crash took. */
  async #check(reader: Reader): Promise<boolean> {
    const head = (await this.#source.heads([reader.sessionId])).get(reader.sessionId);
    if (isStopped(reader)) return false;
    reader.checked = true;
    return reader.seq <= (head?.last ?? 0) || this.#tellLost(reader, head?.first ?? 1);
  }

  /** The reader goes on with event `first`. False if it is behind now. */
  #tellLost(reader: Reader, first: number): boolean {
    const isReady = reader.target.lost?.(reader.seq, first) ?? true;
    reader.seq = first - 1;
    if (!isReady) reader.state = "behind";
    return isReady;
  }

  async #refresh(sessionId: string, tail: Tail): Promise<void> {
    if (tail.refreshing) return;
    tail.refreshing = true;
    try {
      for (;;) {
        const page = await this.#source.read(sessionId, tail.last, pageSize);
        for (const event of page) if (event.seq > tail.last) this.#publish(tail, new EncodedEvent(event, this.#encode));
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
        const asked = new Set(this.#tails.keys());
        const heads = await this.#source.heads([...asked]);
        for (const [sessionId, tail] of this.#tails) {
          const last = asked.has(sessionId) ? (heads.get(sessionId)?.last ?? gone) : tail.last;
          if (last === gone) for (const { target } of tail.readers) target.removed();
          else if (last > tail.last && hasLive(tail)) await this.#refresh(sessionId, tail);
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

function hasLive({ readers }: Tail): boolean {
  for (const { state } of readers) if (state === "live") return true;
  return false;
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
