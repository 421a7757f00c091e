/** Appends events to a session's stream and hands them to whoever listens, in `seq` order. */
import type { EventDraft, KaryiEvent, Store } from "../contract/index.ts";

export type EventListener = (event: KaryiEvent) => void;

const pageSize = 500;

export class EventFeed {
  readonly #store: Pick<Store, "appendEvents" | "readEvents" | "changed">;
  readonly #listeners = new Set<EventListener>();

  constructor(store: Pick<Store, "appendEvents" | "readEvents" | "changed">) {
    this.#store = store;
  }

  async append(sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
    this.publish(await this.#store.appendEvents(sessionId, drafts));
  }

  /**
   * For what nobody waits for unless somebody listens: in order with whatever is asked of the store later. A store that
   * cannot take it cannot take the end of its call either, and that is reported.
   */
  async appendSoon(sessionId: string, drafts: readonly EventDraft[]): Promise<void> {
    if (this.isHeard) return this.append(sessionId, drafts);
    this.#store.appendEvents(sessionId, drafts, true).then(
      (events) => this.publish(events),
      () => {},
    );
  }

  /** Hands on what is already in the store. */
  publish(events: readonly KaryiEvent[]): void {
    if (this.#listeners.size === 0) return;
    for (const event of events) for (const listener of this.#listeners) listener(event);
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** What this process does, live. */
  listen(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
