/** What is done to a whole session: a fork, an export, its removal. */
import { z } from "@hono/zod-openapi";
import type { JsonObject, KaryiEvent } from "../../contract/index.ts";
import { wireCall, wireEvent, wireSessionId } from "../wire/convert.ts";
import { callRecordSchema, eventSchema, forkBody, sessionIdParam, sessionSchema } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";
import { wireSession } from "./sessions.ts";

const pageSize = 2000;

export function addSessionLifeRoutes(routes: Routes): void {
  const { router, sessions, desk } = routes;

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/fork",
      operationId: "forkSession",
      summary: "A new session that stands where this one stands; its calls stay with the old one.",
      scope: "call",
      params: sessionIdParam,
      body: forkBody,
      bodyOptional: true,
      answers: { 201: { description: "The new session.", schema: sessionSchema } },
    },
    async ({ caller, params, body }) => {
      const source = await sessions.get(caller, params.id);
      const made = await sessions.fork(caller, source, body?.id);
      return { status: 201, body: await wireSession(routes, made) };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/export",
      operationId: "exportSession",
      summary: "The session with all its calls and events.",
      scope: "read",
      byTicket: true,
      params: sessionIdParam,
      answers: {
        200: {
          description: "Everything that was said and done, oldest first.",
          schema: z
            .object({ session: sessionSchema, calls: z.array(callRecordSchema), events: z.array(eventSchema) })
            .openapi("SessionExport"),
        },
      },
    },
    async ({ caller, params }) => {
      const session = await sessions.open(caller, params.id);
      const id = wireSessionId(session.record);
      const events: JsonObject[] = [];
      for (let after = 0; ; ) {
        const page: readonly KaryiEvent[] = await session.readEvents(after, pageSize);
        events.push(...page.map((event) => wireEvent(event, id)));
        if (page.length < pageSize) break;
        after = page.at(-1)?.seq ?? after;
      }
      const calls = [...(await session.history())].reverse().map(wireCall);
      return { status: 200, body: { session: await wireSession(routes, session.record), calls, events } };
    },
  );

  router.add(
    {
      method: "delete",
      path: "/sessions/{id}",
      operationId: "deleteSession",
      summary: "Removes a session with all it holds; the audit chain keeps its rows. 409 while a call is under way.",
      scope: "admin",
      params: sessionIdParam,
      answers: { 204: { description: "It is gone." } },
    },
    async ({ caller, params }) => {
      await desk.removeSession(await sessions.get(caller, params.id));
      return { status: 204 };
    },
  );
}
