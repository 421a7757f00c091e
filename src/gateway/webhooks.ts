/**
 * Tells other servers that a question waits or a run has ended: signed, retried, never in anybody's way. A hook hears of the
 * sessions of the user who made it, and of no other's.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { KaryiEvent } from "../contract/index.ts";
import type { GatewayOptions } from "./ports.ts";
import { wireEvent, wireSessionId } from "./wire/convert.ts";

export const webhookEvents = ["permission_request", "value_request", "run_end"] as const;
type WebhookEvent = (typeof webhookEvents)[number];

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly user: string;
  /** Signs what is sent; shown once. */
  readonly secret: string;
  readonly createdAt: number;
}

/** The hooks kept in the home. */
export interface WebhookFiles {
  list(): Promise<readonly Webhook[]>;
  add(id: string, hook: Webhook): Promise<boolean>;
  remove(id: string): Promise<boolean>;
}

/** More deliveries than this do not wait at once: a dead server must not fill the memory. */
const maxWaiting = 1000;
const sendMs = 10_000;

export class Webhooks {
  readonly #options: Pick<GatewayOptions, "engine" | "desk" | "webhooks" | "log" | "newId" | "now">;
  readonly #stop: () => void;
  readonly #closed = new AbortController();
  #waiting = 0;

  constructor(options: Pick<GatewayOptions, "engine" | "desk" | "webhooks" | "log" | "newId" | "now">) {
    this.#options = options;
    this.#stop = options.engine.onEvent((event) => {
      if (isTold(event)) void this.#tell(event).catch((err: unknown) => options.log.error({ err }, "a webhook could not be told"));
    });
  }

  close(): void {
    this.#stop();
    this.#closed.abort();
  }

  async #tell(event: KaryiEvent): Promise<void> {
    const { webhooks, desk, newId, now } = this.#options;
    const hooks = await webhooks.files.list();
    if (hooks.length === 0) return;
    const session = await desk.session(event.sessionId);
    if (session === undefined) return;
    for (const hook of hooks) {
      if (hook.user !== session.key.owner || !hook.events.includes(event.type as WebhookEvent)) continue;
      const id = newId();
      const told = {
        id,
        type: event.type,
        time: now(),
        session_id: wireSessionId(session),
        event: wireEvent(event, wireSessionId(session)),
      };
      void this.#deliver(hook, id, JSON.stringify(told));
    }
  }

  async #deliver(hook: Webhook, delivery: string, body: string): Promise<void> {
    const { webhooks, log, now } = this.#options;
    if (this.#waiting >= maxWaiting) return log.warn({ webhook: hook.id }, "a webhook is too far behind; a delivery was dropped");
    this.#waiting += 1;
    try {
      for (const pauseMs of [0, ...webhooks.retriesMs]) {
        await pause(pauseMs, this.#closed.signal);
        if (this.#closed.signal.aborted) return;
        const timestamp = String(Math.floor(now() / 1000));
        const headers = {
          "x-karyi-delivery": delivery,
          "x-karyi-timestamp": timestamp,
          "x-karyi-signature": `sha256=${createHmac("sha256", hook.secret).update(`${timestamp}.${body}`).digest("hex")}`,
        };
        const status = await webhooks.post(hook.url, body, { headers, timeoutMs: sendMs }).catch(() => 0);
        if (status >= 200 && status < 300) return;
      }
      log.warn({ webhook: hook.id, delivery }, "a webhook did not answer; the delivery was given up");
    } finally {
      this.#waiting -= 1;
    }
  }
}

export function makeSecret(): string {
  return `whsec_${randomBytes(24).toString("base64url")}`;
}

function isTold({ type, body }: KaryiEvent): boolean {
  if (type === "value_request") return (body as { readonly status?: string }).status === "asked";
  return (webhookEvents as readonly string[]).includes(type);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
