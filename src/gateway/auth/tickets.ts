/**
 * Tickets for what cannot send a header, such as a frame or a download: one fetches one address once, with the rights of
 * whoever asked for it, within a minute. The address that holds a ticket opens nothing else and soon nothing at all.
 */
import { OneTimeCodes } from "./one-time-codes.ts";
import type { Caller } from "./scopes.ts";

interface Ticket {
  readonly caller: Caller;
  /** With its query. */
  readonly path: string;
}

const lifeMs = 60_000;

export class Tickets {
  readonly #codes: OneTimeCodes<Ticket>;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#codes = new OneTimeCodes(lifeMs, now);
  }

  make(ticket: Ticket): { readonly code: string; readonly until: number } {
    return { code: this.#codes.make(ticket), until: this.#now() + lifeMs };
  }

  take(code: string): Ticket | undefined {
    return this.#codes.take(code);
  }
}
