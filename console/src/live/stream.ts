/**
 * One stream of many sessions and the inbox, read with `fetch`: the status of a refusal is known, a silent line is dead
 * after 35 s, and it comes back by itself from the last position. Knows nothing of tabs.
 */
import { csrfToken, errorOf } from "../api/client.ts";
import type { InboxView } from "../api/types.ts";
import type { WireEvent } from "../state/wire-event.ts";
import { SseParser } from "./sse-parser.ts";

export type LinkState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  | { readonly kind: "lost"; readonly since: number; readonly reason: "offline" | "unauthorized" | "busy" | "ended" };

export interface StreamListener {
  onEvents(events: readonly WireEvent[]): void;
  onInbox(view: InboxView): void;
  onState(state: LinkState): void;
}

const deadAfterMs = 35_000;
const firstBackOffMs = 500;
const longestBackOffMs = 15_000;

export class LiveStream {
  readonly #listener: StreamListener;
  #places: ReadonlyMap<string, number> = new Map();
  #stop: AbortController | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #backOffMs = firstBackOffMs;
  #lostSince: number | undefined;
  #closed = false;

  constructor(listener: StreamListener) {
    this.#listener = listener;
  }

  /** Begins again with these sessions, each after its position. */
  watch(places: ReadonlyMap<string, number>): void {
    this.#places = new Map(places);
    this.connect();
  }

  /** At once, whatever the back-off says. */
  connect(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    void this.#read(stop);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#stop?.abort();
  }

  async #read(stop: AbortController): Promise<void> {
    let watchdog = setTimeout(() => stop.abort("silent"), deadAfterMs);
    let reason: Extract<LinkState, { readonly kind: "lost" }>["reason"] = "offline";
    let wait = 0;
    try {
      const query = new URLSearchParams({ inbox: "1" });
      if (this.#places.size > 0) {
        query.set("sessions", [...this.#places.keys()].join(","));
        query.set("after", cursorOf(this.#places));
      }
      const headers = { accept: "text/event-stream", "x-csrf-token": csrfToken() };
      const answer = await fetch(`/api/v1/events?${query}`, { headers, signal: stop.signal });
      if (!answer.ok || answer.body === null) {
        const error = await errorOf(answer);
        reason = error.status === 401 ? "unauthorized" : error.status === 429 || error.status === 503 ? "busy" : "ended";
        wait = Number(answer.headers.get("retry-after") ?? 0) * 1000;
        throw error;
      }
      this.#backOffMs = firstBackOffMs;
      this.#lostSince = undefined;
      this.#listener.onState({ kind: "open" });
      const parser = new SseParser();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(watchdog);
        watchdog = setTimeout(() => stop.abort("silent"), deadAfterMs);
        this.#take(parser.push(value));
      }
      reason = "ended";
    } catch {
      // Said by `onState`; the next attempt follows.
    } finally {
      clearTimeout(watchdog);
    }
    if (this.#stop === stop && !this.#closed) this.#again(reason, wait);
  }

  #take(messages: readonly { readonly event: string; readonly data: string }[]): void {
    const events: WireEvent[] = [];
    const places = new Map(this.#places);
    for (const { event, data } of messages) {
      if (event === "inbox") this.#listener.onInbox(JSON.parse(data) as InboxView);
      else if (event !== "events_lost" && event !== "session_removed") {
        const one = JSON.parse(data) as WireEvent;
        events.push(one);
        places.set(one.session_id, one.seq);
      }
    }
    this.#places = places;
    if (events.length > 0) this.#listener.onEvents(events);
  }

  #again(reason: Extract<LinkState, { readonly kind: "lost" }>["reason"], waitMs: number): void {
    this.#lostSince ??= Date.now();
    this.#listener.onState({ kind: "lost", since: this.#lostSince, reason });
    const jitter = 0.75 + Math.random() * 0.5;
    this.#retry = setTimeout(() => this.connect(), Math.max(waitMs, this.#backOffMs * jitter));
    this.#backOffMs = Math.min(longestBackOffMs, this.#backOffMs * 2);
  }
}

/** The cursor of the stream: each session and its position. */
function cursorOf(places: ReadonlyMap<string, number>): string {
  const text = [...places].map(([id, seq]) => `${id} ${seq}`).join("\n");
  const bytes = new TextEncoder().encode(text);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
