/** The sessions that are open in this tab as signals, kept up to date by the live link; and the inbox. */
import { type Signal, signal } from "@preact/signals";
import { api, pathOf } from "../api/client.ts";
import type { InboxView, Session } from "../api/types.ts";
import { GapError, reduceAll } from "../state/reduce.ts";
import { emptySession, type SessionState } from "../state/session-state.ts";
import type { WireEvent } from "../state/wire-event.ts";
import { LiveLink } from "./leader.ts";
import type { LinkState } from "./stream.ts";

export interface OpenSession {
  readonly id: string;
  readonly state: Signal<SessionState>;
  readonly loading: Signal<"loading" | "ready" | "missing" | "failed">;
}

export const link = signal<LinkState>({ kind: "connecting" });
export const inbox = signal<InboxView>({ items: [], counts: { approvals: 0, values: 0, inputs: 0, waiting: 0 } });
export const sessions = signal<readonly Session[] | undefined>(undefined);
/** Events that came after the line was back. */
export const caughtUp = signal<number | undefined>(undefined);
/** Time of the last event or sign of life. */
export const lastSign = signal(0);

const open = new Map<string, OpenSession>();
const queues = new Map<string, WireEvent[]>();
const pageSize = 5000;
const listPauseMs = 250;
let live: LiveLink | undefined;
let frame: number | undefined;
let isListDue = false;
let wasLost = false;
let counted = 0;

export function startLive(): void {
  live ??= new LiveLink({
    onEvents: (events) => {
      lastSign.value = Date.now();
      if (wasLost) counted += events.length;
      for (const event of events) {
        if (changesList.has(event.type)) refreshSessionsSoon();
        const queue = queues.get(event.session_id);
        if (queue) queue.push(event);
        else if (open.has(event.session_id)) queues.set(event.session_id, [event]);
      }
      // Pieces are joined per frame; a hidden tab has no frames and takes them at once.
      if (document.hidden) flush();
      else frame ??= requestAnimationFrame(flush);
    },
    onInbox: (view) => {
      lastSign.value = Date.now();
      inbox.value = view;
      refreshSessionsSoon();
    },
    onState: (state) => {
      if (state.kind === "lost") wasLost = true;
      if (state.kind === "open" && wasLost) noteReturn();
      link.value = state;
    },
    onPlaces: (places) => {
      for (const [id, seq] of places) {
        const one = open.get(id);
        if (one?.loading.value === "ready" && one.state.value.seq < seq) void fill(one);
      }
    },
  });
}

/** The agent that a session's runs are of. */
export function agentOfSession(sessionId: string): string {
  return sessions.value?.find(({ id }) => id === sessionId)?.agent ?? "general";
}

/** Kept open from then on: a session that was looked at once shows at once again. */
export function openSession(id: string): OpenSession {
  const known = open.get(id);
  if (known) return known;
  const made: OpenSession = { id, state: signal(emptySession(id)), loading: signal("loading") };
  open.set(id, made);
  void fill(made);
  return made;
}

export async function refreshSessions(): Promise<void> {
  const { sessions: list } = await api<{ readonly sessions: readonly Session[] }>("GET", "/sessions?limit=100&top=1");
  sessions.value = list;
}

const changesList = new Set<WireEvent["type"]>(["run_start", "run_end", "permission_request", "permission_result", "text"]);

function refreshSessionsSoon(): void {
  if (isListDue) return;
  isListDue = true;
  setTimeout(() => {
    isListDue = false;
    refreshSessions().catch(() => {});
  }, listPauseMs);
}

function noteReturn(): void {
  wasLost = false;
  for (const one of open.values()) if (one.loading.value === "failed") void fill(one);
  // Events that were missed come with the first moments of the new line.
  setTimeout(() => {
    caughtUp.value = counted;
    counted = 0;
  }, 700);
}

function flush(): void {
  if (frame !== undefined) cancelAnimationFrame(frame);
  frame = undefined;
  for (const [id, events] of queues) {
    const one = open.get(id);
    if (!one || one.loading.value === "loading") continue;
    queues.set(id, []);
    if (events.length > 0) apply(one, events);
  }
}

function apply(one: OpenSession, events: readonly WireEvent[]): void {
  try {
    one.state.value = reduceAll(one.state.value, events);
  } catch (error) {
    if (!(error instanceof GapError)) throw error;
    void fill(one);
  }
}

/** Reads what is missing, page by page, then asks for what comes. */
async function fill(one: OpenSession): Promise<void> {
  try {
    for (;;) {
      const { seq } = one.state.value;
      const page = await api<{ readonly events: readonly WireEvent[]; readonly last_seq: number }>(
        "GET",
        `${pathOf("sessions", one.id, "events")}?after=${seq}&limit=${pageSize}`,
      );
      const next = reduceAll(one.state.value, page.events);
      one.state.value = next;
      if (page.events.length < pageSize || next.seq >= page.last_seq) break;
    }
    one.loading.value = "ready";
    const waiting = queues.get(one.id) ?? [];
    queues.set(one.id, []);
    if (waiting.length > 0) apply(one, waiting);
    live?.watch(
      new Map([...open.values()].filter(({ loading }) => loading.value === "ready").map(({ id, state }) => [id, state.value.seq])),
    );
  } catch (error) {
    one.loading.value = (error as { readonly status?: number }).status === 404 ? "missing" : "failed";
  }
}
