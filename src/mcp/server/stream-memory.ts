/**
 * What was sent on the streams of one HTTP session, so that a client whose line broke gets the rest by `Last-Event-ID`. Holds the
 * newest messages only; a position that was forgotten is told as unknown, never skipped over.
 */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface Sent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

const maxMessages = 1_000;
const maxCharacters = 4_000_000;

export class StreamMemory implements EventStore {
  readonly #sent = new Map<string, Sent>();
  #last = 0;
  #characters = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#last += 1;
    const id = String(this.#last);
    const { length } = JSON.stringify(message);
    this.#sent.set(id, { stream, message, length });
    this.#characters += length;
    for (const [oldest, { length: left }] of this.#sent) {
      if (oldest === id || (this.#sent.size <= maxMessages && this.#characters <= maxCharacters)) break;
      this.#sent.delete(oldest);
      this.#characters -= left;
    }
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#sent.get(id)?.stream;
  }

  async replayEventsAfter(
    id: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const from = this.#sent.get(id);
    if (from === undefined) throw new Error("that position is not known any more");
    let isAfter = false;
    for (const [each, { stream, message }] of this.#sent) {
      // The first event of a stream says nothing: it only gives a position.
      if (isAfter && stream === from.stream && "jsonrpc" in message) await send(each, message);
      isAfter ||= each === id;
    }
    return from.stream;
  }
}
