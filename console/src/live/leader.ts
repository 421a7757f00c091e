/**
 * One stream for all tabs of a browser: the tab that holds the lock reads it and tells the others, because six streams
 * would use up every connection that a browser opens to one server. If that tab closes, the next one takes over.
 */
import type { InboxView } from "../api/types.ts";
import type { WireEvent } from "../state/wire-event.ts";
import { type LinkState, LiveStream, type StreamListener } from "./stream.ts";

type Message =
  | { readonly kind: "watch"; readonly tab: string; readonly places: readonly (readonly [string, number])[] }
  | { readonly kind: "bye"; readonly tab: string }
  | { readonly kind: "who" }
  | { readonly kind: "retry" }
  | { readonly kind: "events"; readonly events: readonly WireEvent[] }
  | { readonly kind: "inbox"; readonly view: InboxView }
  | { readonly kind: "state"; readonly state: LinkState }
  | { readonly kind: "places"; readonly places: readonly (readonly [string, number])[] };

export interface LiveListener extends StreamListener {
  /** How far the stream is; events up to there that are missing here are to be fetched. */
  onPlaces(places: ReadonlyMap<string, number>): void;
}

const settleMs = 30;

export class LiveLink {
  readonly #tab = Math.random().toString(36).slice(2);
  readonly #listener: LiveListener;
  readonly #channel = new BroadcastChannel("karyi-live");
  readonly #watched = new Map<string, ReadonlyMap<string, number>>();
  #mine: ReadonlyMap<string, number> = new Map();
  #stream: LiveStream | undefined;
  #places = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | undefined;
  #lastInbox: InboxView | undefined;
  #lastState: LinkState = { kind: "connecting" };

  constructor(listener: LiveListener) {
    this.#listener = listener;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#hear(data);
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", ({ persisted }) => {
      if (persisted) this.#stand();
    });
    addEventListener("online", () => this.retry());
    addEventListener("focus", () => {
      if (this.#lastState.kind === "lost") this.retry();
    });
    this.#stand();
    this.#channel.postMessage({ kind: "watch", tab: this.#tab, places: [] } satisfies Message);
  }

  /** What this tab looks at, and how much of it it has. */
  watch(places: ReadonlyMap<string, number>): void {
    this.#mine = places;
    this.#tellWatch();
    this.#watched.set(this.#tab, places);
    this.#plan();
  }

  retry(): void {
    if (this.#stream) this.#stream.connect();
    else this.#channel.postMessage({ kind: "retry" } satisfies Message);
  }

  #stand(): void {
    const lead = (): Promise<void> =>
      new Promise<void>((resolve) => {
        this.#release = resolve;
        this.#lead();
      });
    if (navigator.locks === undefined) void lead();
    else void navigator.locks.request("karyi-live", lead);
  }

  #lead(): void {
    this.#stream = new LiveStream({
      onEvents: (events) => {
        for (const { session_id, seq } of events) this.#places.set(session_id, seq);
        this.#listener.onEvents(events);
        this.#channel.postMessage({ kind: "events", events } satisfies Message);
      },
      onInbox: (view) => {
        this.#lastInbox = view;
        this.#listener.onInbox(view);
        this.#channel.postMessage({ kind: "inbox", view } satisfies Message);
      },
      onState: (state) => {
        this.#lastState = state;
        this.#listener.onState(state);
        this.#channel.postMessage({ kind: "state", state } satisfies Message);
      },
    });
    this.#watched.set(this.#tab, this.#mine);
    this.#channel.postMessage({ kind: "who" } satisfies Message);
    this.#places = new Map(this.#mine);
    this.#stream.watch(this.#places);
  }

  #leave(): void {
    this.#channel.postMessage({ kind: "bye", tab: this.#tab } satisfies Message);
    this.#stream?.close();
    this.#stream = undefined;
    this.#release?.();
  }

  #hear(message: Message): void {
    switch (message.kind) {
      case "who":
        this.#tellWatch();
        return;
      case "watch":
        this.#watched.set(message.tab, new Map(message.places));
        this.#plan();
        if (this.#stream) {
          this.#channel.postMessage({ kind: "state", state: this.#lastState } satisfies Message);
          if (this.#lastInbox) this.#channel.postMessage({ kind: "inbox", view: this.#lastInbox } satisfies Message);
          this.#channel.postMessage({ kind: "places", places: [...this.#places] } satisfies Message);
        }
        return;
      case "bye":
        this.#watched.delete(message.tab);
        this.#plan();
        return;
      case "retry":
        this.#stream?.connect();
        return;
    }
    if (this.#stream) return;
    if (message.kind === "events") this.#listener.onEvents(message.events);
    else if (message.kind === "inbox") this.#listener.onInbox(message.view);
    else if (message.kind === "places") this.#listener.onPlaces(new Map(message.places));
    else {
      this.#lastState = message.state;
      this.#listener.onState(message.state);
    }
  }

  #tellWatch(): void {
    this.#channel.postMessage({ kind: "watch", tab: this.#tab, places: [...this.#mine] } satisfies Message);
  }

  /** The stream follows what all tabs look at. */
  #plan(): void {
    if (!this.#stream || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const wanted = new Map<string, number>();
      for (const places of this.#watched.values()) {
        for (const [id, seq] of places) wanted.set(id, this.#places.get(id) ?? Math.min(seq, wanted.get(id) ?? seq));
      }
      const same = wanted.size === this.#places.size && [...wanted.keys()].every((id) => this.#places.has(id));
      if (same) return;
      this.#places = wanted;
      this.#stream?.watch(wanted);
    }, settleMs);
  }
}
