/**
 * Live terminals over WebSocket. Everybody who may read watches; one person at a time drives, which needs the scope
 * `approve`, because what is typed there is asked about nowhere. While a person drives, the agent's calls wait. A watcher
 * never resizes the terminal.
 *
 * To the client: binary messages are output, text messages are JSON: `state {live, rows, columns, driver, you}`, `error`.
 * From the client JSON: `take`, `give`, `interrupt`, `input {data}`, `size {rows, columns}`.
 */
import { z } from "@hono/zod-openapi";
import type { Duplex, KaryiEvent, SessionRecord } from "../contract/index.ts";
import { type Caller, may } from "./auth/scopes.ts";
import type { GatewayOptions, WatchedTerminal } from "./ports.ts";

const message = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("take") }),
  z.strictObject({ type: z.literal("give") }),
  z.strictObject({ type: z.literal("interrupt") }),
  z.strictObject({ type: z.literal("input"), data: z.string().max(100_000) }),
  z.strictObject({ type: z.literal("size"), rows: z.number().int().min(2).max(1000), columns: z.number().int().min(2).max(1000) }),
]);
type Message = z.infer<typeof message>;

/** How often it is looked at whether those who only watch may still do so. */
const recheckMs = 15_000;
/** A client that is this far behind is let go; it is painted anew when it comes back. */
const maxBehindBytes = 8 * 1024 * 1024;
const interrupt = Uint8Array.of(3);

interface Watcher {
  readonly duplex: Duplex;
  readonly caller: Caller;
  /** Messages are handled one after the other, each after its sender's token was looked at. */
  handled: Promise<void>;
}

interface TerminalRoomOptions extends Pick<GatewayOptions, "desk" | "engine" | "log"> {
  /** Whether the caller's token is still in force. */
  isStillAllowed(caller: Caller): Promise<boolean>;
  /** A person typed into a session's terminal, or it ended: what waited there does not wait any more. */
  goesOn(sessionId: string): void;
}

interface Place {
  readonly record: SessionRecord;
  readonly watchers: Set<Watcher>;
  terminal: WatchedTerminal | undefined;
  joining: boolean;
  driver: Watcher | undefined;
  rows: number;
  columns: number;
}

export class TerminalRoom {
  readonly #options: TerminalRoomOptions;
  readonly #places = new Map<string, Place>();
  readonly #stop: () => void;
  readonly #recheck: NodeJS.Timeout;

  constructor(options: TerminalRoomOptions) {
    this.#options = options;
    // A terminal begins with a call: whoever waits for one joins it then.
    this.#stop = options.engine.onEvent((event) => this.#hear(event));
    this.#recheck = setInterval(() => {
      for (const { watchers } of this.#places.values()) for (const watcher of watchers) void this.#mayStay(watcher);
    }, recheckMs);
    this.#recheck.unref();
  }

  enter(record: SessionRecord, caller: Caller, duplex: Duplex): void {
    const place = this.#placeOf(record);
    const watcher: Watcher = { duplex, caller, handled: Promise.resolve() };
    place.watchers.add(watcher);
    duplex.onMessage((data, isText) => {
      const parsed = isText ? message.safeParse(jsonOf(data)) : undefined;
      if (parsed?.success) watcher.handled = watcher.handled.then(() => this.#heed(place, watcher, parsed.data));
      else tell(watcher, { type: "error", code: "invalid_request", message: "This message is not understood." });
    });
    duplex.onClose(() => this.#leave(place, watcher));
    this.#tellState(place);
    // A newcomer is painted by a connection of its own beginning, so all are joined anew.
    place.terminal?.end();
    place.terminal = undefined;
    void this.#join(place);
  }

  /** A token that was removed ends what it opened. */
  async #mayStay({ caller, duplex }: Watcher): Promise<boolean> {
    try {
      if (await this.#options.isStillAllowed(caller)) return true;
    } catch (err) {
      this.#options.log.error({ err }, "a token could not be looked at");
    }
    duplex.close(1008, "The token is not valid any more.");
    return false;
  }

  async #heed(place: Place, watcher: Watcher, asked: Message): Promise<void> {
    if ((await this.#mayStay(watcher)) && place.watchers.has(watcher)) this.#handle(place, watcher, asked);
  }

  close(): void {
    clearInterval(this.#recheck);
    this.#stop();
    for (const { watchers, terminal } of this.#places.values()) {
      for (const { duplex } of watchers) duplex.close(1001, "The server stops.");
      terminal?.end();
    }
    this.#places.clear();
  }

  #placeOf(record: SessionRecord): Place {
    const known = this.#places.get(record.id);
    if (known !== undefined) return known;
    const made: Place = { record, watchers: new Set(), terminal: undefined, joining: false, driver: undefined, rows: 24, columns: 80 };
    this.#places.set(record.id, made);
    return made;
  }

  #hear(event: KaryiEvent): void {
    const place = this.#places.get(event.sessionId);
    if (place !== undefined && place.terminal === undefined) void this.#join(place);
  }

  async #join(place: Place): Promise<void> {
    if (place.joining || place.watchers.size === 0) return;
    place.joining = true;
    // The first painting comes before the answer; it is shown after its size was told.
    let early: Uint8Array[] | undefined = [];
    try {
      const joined: WatchedTerminal | undefined = await this.#options.desk.watchTerminal(place.record, {
        output: (bytes) => {
          if (early !== undefined) early.push(bytes);
          else if (place.terminal === joined) this.#paint(place, bytes);
        },
        closed: () => {
          if (place.terminal !== joined) return;
          place.terminal = undefined;
          this.#options.goesOn(place.record.id);
          this.#tellState(place);
        },
      });
      place.terminal = joined;
      // Its output is made for the window it has, whoever gave it that.
      if (joined?.size !== undefined) Object.assign(place, joined.size);
      if (joined !== undefined) this.#tellState(place);
      const painting = early;
      early = undefined;
      for (const bytes of painting) this.#paint(place, bytes);
    } catch (err) {
      this.#options.log.error({ err }, "a terminal could not be joined");
    } finally {
      place.joining = false;
    }
  }

  #paint({ watchers }: Place, bytes: Uint8Array): void {
    for (const { duplex } of watchers) {
      if (duplex.behindBytes > maxBehindBytes) duplex.close(1013, "Too far behind; come back to be painted anew.");
      else duplex.send(bytes);
    }
  }

  #handle(place: Place, watcher: Watcher, asked: Message): void {
    if (!may(watcher.caller, "approve")) {
      return tell(watcher, { type: "error", code: "forbidden", message: "You can look, not type: this needs the scope 'approve'." });
    }
    if (asked.type === "take") this.#drive(place, watcher);
    else if (place.driver !== watcher && asked.type !== "interrupt") {
      return tell(watcher, { type: "error", code: "conflict", message: "Somebody else drives; take over first." });
    } else if (asked.type === "give") this.#drive(place, undefined);
    else if (asked.type === "interrupt") this.#type(place, interrupt);
    else if (asked.type === "input") return this.#type(place, Buffer.from(asked.data));
    else {
      place.rows = asked.rows;
      place.columns = asked.columns;
      place.terminal?.resize(asked.rows, asked.columns);
    }
    this.#tellState(place);
  }

  #type({ record, terminal }: Place, bytes: Uint8Array): void {
    if (terminal === undefined) return;
    terminal.type(bytes);
    this.#options.goesOn(record.id);
  }

  #drive(place: Place, driver: Watcher | undefined): void {
    place.driver = driver;
    this.#options.desk.setTerminalDriver(place.record, driver?.caller.user);
  }

  #leave(place: Place, watcher: Watcher): void {
    place.watchers.delete(watcher);
    if (place.driver === watcher) this.#drive(place, undefined);
    if (place.watchers.size > 0) return this.#tellState(place);
    place.terminal?.end();
    this.#places.delete(place.record.id);
  }

  #tellState(place: Place): void {
    const { rows, columns, driver, terminal } = place;
    for (const watcher of place.watchers) {
      const told = driver === undefined ? { kind: "agent" } : { kind: "person", name: driver.caller.user, token: driver.caller.token };
      tell(watcher, { type: "state", live: terminal !== undefined, rows, columns, driver: told, you: driver === watcher });
    }
  }
}

function tell({ duplex }: Watcher, value: object): void {
  duplex.send(JSON.stringify(value));
}

function jsonOf(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString("utf8"));
  } catch {
    return undefined;
  }
}
