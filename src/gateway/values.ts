/**
 * Values that somebody was asked for and nobody has given yet. A value goes from the request straight to the one who
 * asked: it is in no log, no event and no list.
 */
import type { AskValue, SessionRecord, ValueReply, ValueRequest } from "../contract/index.ts";

export interface PendingValue {
  readonly id: string;
  /** Internal id. */
  readonly sessionId: string;
  readonly owner: string;
  readonly request: ValueRequest;
  readonly createdAt: number;
}

interface Waiting extends PendingValue {
  readonly answer: (reply: ValueReply) => void;
}

export class ValueDesk {
  readonly #waiting = new Map<string, Waiting>();
  readonly #newId: () => string;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();

  constructor(newId: () => string, now: () => number) {
    this.#newId = newId;
    this.#now = now;
  }

  /** How a session asks for a value here. */
  askerOf({ id, key }: Pick<SessionRecord, "id" | "key">): AskValue {
    return (request, signal) =>
      new Promise<ValueReply>((resolve) => {
        const requestId = request.id ?? this.#newId();
        const done = (reply: ValueReply): void => {
          signal.removeEventListener("abort", cancel);
          if (this.#waiting.delete(requestId)) this.#tell();
          resolve(reply);
        };
        const cancel = (): void => done({ kind: "refused", words: "Nobody waits for it any more." });
        this.#waiting.set(requestId, { id: requestId, sessionId: id, owner: key.owner, request, createdAt: this.#now(), answer: done });
        signal.addEventListener("abort", cancel);
        if (signal.aborted) cancel();
        this.#tell();
      });
  }

  list(owner: string): readonly PendingValue[] {
    return [...this.#waiting.values()].filter((one) => one.owner === owner);
  }

  /** False if it was answered before, or is somebody else's. */
  answer(owner: string, id: string, reply: ValueReply): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting?.owner !== owner) return false;
    waiting.answer(reply);
    return true;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
