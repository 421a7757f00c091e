/** Appends events to a session's stream and hands them to whoever listens, in `seq` order. */
import type { EventDraft, KaryiEvent, Listening, Store } from "../contract/index.ts";

export type EventListener = (event: KaryiEvent) => void;

const pageSize = 500;

export class EventFeed {
  readonly #store: Pick<Store, "appendEvents" | "readEvents" | "changed">;
  readonly #log: (message: string, cause?: unknown) => void;
  readonly #listeners = new Set<EventListener>();
  readonly #patient = new Set<EventListener>();

  constructor(store: Pick<Store, "appendEvents" | "readEvents" | "changed">, log: (message: string, cause?: unknown) => void) {
    this.#store = store;
    this.#log = log;
  }

  async append(sessionId: string, drafts: readonly EventDraft[]): Promise<readonly KaryiEvent[]> {
    const events = await this.#store.appendEvents(sessionId, drafts);
    this.publish(events);
    return events;
  }

  /**
   * For what nobody waits for unless somebody listens: in order with whatever is asked of the store later. A store that
   * cannot take it cannot take the end of its call either, and that is reported.
   */
  async appendSoon(sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
    if (this.isHeard) {
      await this.append(sessionId, drafts);
      return;
    }
    this.#store.appendEvents(sessionId, drafts, true).then(
      (events) => this.publish(events),
      () => {},
    );
  }

  /** Hands on what is already in the store. */
  publish(events: readonly KaryiEvent[]): void {
    for (const event of events) for (const listener of [...this.#listeners, ...this.#patient]) this.#tell(listener, event);
  }

  /** What a listener throws is its own defect: the call whose event it heard goes on. */
  #tell(listener: EventListener, event: KaryiEvent): void {
    try {
      listener(event);
    } catch (error) {
      this.#log("A listener of events failed", error);
    }
  }

  /** True if somebody wants events at once. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** What this process does, live. On account of a patient listener nothing is committed sooner. */
  listen(listener: EventListener, { patient = false }: Listening = {}): () => void {
    const listeners = patient ? this.#patient : this.#listeners;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Everything after `after`, then whatever comes, from any process, until the signal aborts. */
  async *watch(sessionId: string, after: number, signal: AbortSignal): AsyncGenerator<KaryiEvent> {
    let seen = after;
    while (!signal.aborted) {
      const changed = this.#store.changed(signal);
      const page = await this.#store.readEvents(sessionId, seen, pageSize);
      for (const event of page) {
        seen = event.seq;
        yield event;
      }
      if (page.length < pageSize) await changed;
    }
  }
}
