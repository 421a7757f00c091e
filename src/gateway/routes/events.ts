/** Streams of events: one of a session, and one for many sessions and the inbox. */
import { z } from "@hono/zod-openapi";
import { type Connection, type EventType, eventTypes, type KaryiEvent, type SessionRecord } from "../../contract/index.ts";
import type { Caller } from "../auth/scopes.ts";
import { decodeCursor, encodeCursor } from "../page.ts";
import { invalid } from "../problem.ts";
import { SseStream } from "../stream/sse.ts";
import { wireEvent, wireSessionId } from "../wire/convert.ts";
import { eventList, eventsQuery, sessionIdParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const streamed = "streamed" as const;
const defaultPage = 1000;
const maxSessions = 100;
const sse = { description: "Server-sent events.", contentType: "text/event-stream", schema: z.string() };

const manyQuery = z.object({
  sessions: z.string().max(21_000).optional(),
  inbox: z.enum(["0", "1"]).optional(),
  after: z.string().max(15_000).optional(),
});

export function addEventRoutes(routes: Routes): void {
  const { router, sessions } = routes;

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/events",
      operationId: "streamEvents",
      summary: "The session's events from the first or after a position, then live; with Accept: application/json those that are there.",
      scope: "read",
      params: sessionIdParam,
      query: eventsQuery,
      answers: { 200: { description: "Events: `text/event-stream`, or JSON if that is asked for.", schema: eventList, stream: true } },
    },
    async ({ caller, params, query, connection, header }) => {
      const record = await sessions.get(caller, params.id);
      const types = typesOf(query.types);
      const after = positionOf(header("last-event-id")) ?? query.after ?? 0;
      if (wantsJson(header("accept"))) return { status: 200, body: await page(routes, record, { ...query, after, types }) };
      const stream = newStream(routes, caller, connection);
      const subscription = routes.hub.subscribe(record.id, after, {
        deliver: (encoded) => (types === undefined || types.has(encoded.event.type) ? stream.write(encoded.numbered) : stream.isReady),
        lost: (asked, first) => (asked > 0 ? stream.tell("events_lost", { after: asked, first_seq: first }) : true),
        failed: () => stream.end(),
        removed: () => stream.end(),
      });
      stream.onDrain(() => subscription.resume());
      stream.onClose(() => subscription.stop());
      return streamed;
    },
  );

  router.add(
    {
      method: "get",
      path: "/events",
      operationId: "streamMany",
      summary: "One stream for many sessions (`sessions=A,B`) and all that waits (`inbox=1`); `id:` is a cursor over all.",
      scope: "read",
      query: manyQuery,
      answers: { 200: sse },
    },
    async ({ caller, query, connection, header }) => {
      const ids = [...new Set((query.sessions ?? "").split(",").filter((id) => id !== ""))];
      if (ids.length > maxSessions) throw invalid(`At most ${maxSessions} sessions in one stream.`, { parameter: "sessions" });
      const records = await Promise.all(ids.map((id) => sessions.get(caller, id)));
      const places = placesOf(header("last-event-id") ?? query.after);
      const stream = newStream(routes, caller, connection);
      streamMany(routes, caller, stream, records, places, query.inbox === "1");
      return streamed;
    },
  );
}

function streamMany(
  routes: Routes,
  { user }: Caller,
  stream: SseStream,
  records: readonly SessionRecord[],
  places: ReadonlyMap<string, number>,
  withInbox: boolean,
): void {
  const at = new Map(records.map((record) => [wireSessionId(record), places.get(wireSessionId(record)) ?? 0]));
  const cursor = (): string => encodeCursor([...at].map(([id, seq]) => `${id} ${seq}`).join("\n"));
  const subscriptions = records.map((record) => {
    const id = wireSessionId(record);
    return routes.hub.subscribe(record.id, at.get(id) ?? 0, {
      deliver: (encoded) => {
        at.set(id, encoded.event.seq);
        return stream.write(Buffer.concat([Buffer.from(`id: ${cursor()}\n`), encoded.bytes]));
      },
      lost: (asked, first) => {
        at.set(id, first - 1);
        return asked > 0 ? stream.tell("events_lost", { session_id: id, after: asked, first_seq: first }) : true;
      },
      failed: () => stream.end(),
      // The others go on; whoever comes back with this session among them gets 404.
      removed: () => {
        if (at.delete(id)) stream.tell("session_removed", { session_id: id });
      },
    });
  });
  stream.onDrain(() => {
    for (const subscription of subscriptions) subscription.resume();
  });
  let unwatch = (): void => {};
  if (withInbox) {
    let last = "";
    const show = (view: unknown): void => {
      const text = JSON.stringify(view);
      if (text === last || !stream.isReady) return;
      last = text;
      stream.tell("inbox", view, cursor());
    };
    unwatch = routes.inbox.watch(user, show);
    routes.later("the first look into the inbox", routes.inbox.viewOf(user).then(show));
    stream.onDrain(() => routes.inbox.noteChange());
  }
  stream.onClose(() => {
    unwatch();
    for (const subscription of subscriptions) subscription.stop();
  });
}

function newStream(routes: Routes, caller: Caller, connection: Connection): SseStream {
  const stream = new SseStream(connection, {
    stallMs: routes.limits.stallMs,
    isStillAllowed: () => routes.isStillAllowed(caller),
  });
  const stop = (): void => stream.end();
  routes.closing.addEventListener("abort", stop);
  stream.onClose(() => routes.closing.removeEventListener("abort", stop));
  return stream;
}

async function page(
  { desk }: Routes,
  record: SessionRecord,
  query: {
    readonly after: number;
    readonly before?: number | undefined;
    readonly limit?: number | undefined;
    readonly types: Set<EventType> | undefined;
  },
) {
  const limit = query.limit ?? defaultPage;
  const { first = 1, last = 0 } = (await desk.eventHeads([record.id])).get(record.id) ?? {};
  const events =
    query.before === undefined
      ? await desk.readEvents(record.id, query.after, limit)
      : await desk.readEventsBefore(record.id, query.before, limit);
  const chosen = query.types === undefined ? events : events.filter(({ type }) => query.types?.has(type));
  const id = wireSessionId(record);
  return { events: chosen.map((event: KaryiEvent) => wireEvent(event, id)), first_seq: first, last_seq: last };
}

function wantsJson(accept: string | undefined): boolean {
  const types = accept ?? "";
  return types.includes("application/json") && !types.includes("text/event-stream");
}

function typesOf(text: string | undefined): Set<EventType> | undefined {
  if (text === undefined) return undefined;
  const asked = text.split(",").filter((one) => one !== "");
  const known = asked.filter((one): one is EventType => (eventTypes as readonly string[]).includes(one));
  if (known.length !== asked.length) throw invalid(`Unknown event type; known: ${eventTypes.join(", ")}.`, { parameter: "types" });
  return new Set(known);
}

function positionOf(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (!/^\d{1,15}$/.test(header)) throw invalid("Last-Event-ID is not a position of this stream.", { header: "Last-Event-ID" });
  return Number(header);
}

/** Positions by session; a session that is new in the stream begins at its first event. */
function placesOf(cursor: string | undefined): ReadonlyMap<string, number> {
  if (cursor === undefined || cursor === "") return new Map();
  const places = decodeCursor(cursor)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /^(\S+) (\d{1,15})$/.exec(line));
  if (places.includes(null)) throw invalid("The cursor is not of this stream.", { parameter: "after" });
  return new Map(places.map((match) => [match?.[1] ?? "", Number(match?.[2])]));
}
