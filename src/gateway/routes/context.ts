/** What every group of routes gets. */
import type { Caller } from "../auth/scopes.ts";
import type { GatewayOptions } from "../ports.ts";
import type { Router } from "../router.ts";
import type { Sessions } from "../sessions.ts";
import type { EventHub } from "../stream/event-hub.ts";
import type { Inbox } from "../stream/inbox.ts";

export interface Routes extends GatewayOptions {
  readonly router: Router;
  readonly sessions: Sessions;
  readonly hub: EventHub;
  readonly inbox: Inbox;
  /** Aborted when the server stops. */
  readonly closing: AbortSignal;
  /** Whether a caller's token is still in force. */
  isStillAllowed(caller: Caller): Promise<boolean>;
  /** Work that goes on after its answer; a failure is logged. */
  later(what: string, work: Promise<unknown>): void;
}
