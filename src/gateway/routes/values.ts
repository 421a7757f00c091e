/** `/values`: secure variables that somebody is asked for. A value goes straight to the one who asked; it is in no log and no list. */
import { z } from "@hono/zod-openapi";
import { callerText } from "../auth/scopes.ts";
import { notFound } from "../problem.ts";
import { wireSessionId } from "../wire/convert.ts";
import { idParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const requestSchema = z
  .object({
    id: z.string(),
    session_id: z.string(),
    key: z.string(),
    reason: z.string(),
    note: z.string().optional(),
    /** A program in the terminal asks: the value is typed there and kept nowhere. */
    once: z.boolean(),
    created_at: z.number(),
  })
  .openapi("ValueRequest");

const valueBody = z
  .strictObject({
    value: z.string().max(100_000).optional(),
    /** Where it is kept; without it only for this session. */
    save: z.union([z.boolean(), z.enum(["session", "project", "global"])]).optional(),
    note: z.string().max(1000).optional(),
    /** Refuses instead of giving. */
    refuse: z.boolean().optional(),
    words: z.string().max(10_000).optional(),
  })
  .refine(({ value, refuse }) => (value === undefined) === (refuse === true), "either `value`, or `refuse: true`")
  .openapi("ValueAnswer");

export function addValueRoutes(routes: Routes): void {
  const { router, sessions, values, desk } = routes;

  router.add(
    {
      method: "get",
      path: "/values",
      operationId: "listValues",
      summary: "Values that somebody waits for.",
      scope: "read",
      answers: { 200: { description: "The requests.", schema: z.object({ values: z.array(requestSchema) }).openapi("ValueRequestList") } },
    },
    async ({ caller }) => {
      const names = new Map((await sessions.list(caller)).map((record) => [record.id, wireSessionId(record)]));
      return {
        status: 200,
        body: {
          values: values.list(caller.user).map(({ id, sessionId, request, createdAt }) => ({
            id,
            session_id: names.get(sessionId) ?? sessionId,
            key: request.key,
            reason: request.reason,
            ...(request.note === undefined ? {} : { note: request.note }),
            once: request.once === true,
            created_at: createdAt,
          })),
        },
      };
    },
  );

  router.add(
    {
      method: "post",
      path: "/values/{id}",
      operationId: "giveValue",
      summary: "Gives or refuses a value, once.",
      scope: "approve",
      params: idParam,
      body: valueBody,
      answers: { 204: { description: "It was taken." } },
    },
    async ({ caller, params, body, connection }) => {
      const known = values.list(caller.user).find(({ id }) => id === params.id);
      if (known === undefined) throw notFound("Nobody waits for such a value; it was given, refused, or is somebody else's.");
      const scope = body.save === true ? "global" : body.save === undefined || body.save === false ? "session" : body.save;
      const reply =
        body.value === undefined
          ? ({ kind: "refused", ...(body.words === undefined ? {} : { words: body.words }) } as const)
          : ({ kind: "given", value: body.value, scope, ...(body.note === undefined ? {} : { note: body.note }) } as const);
      if (!values.answer(caller.user, params.id, reply)) throw notFound("Nobody waits for such a value any more.");
      await desk.audit(known.sessionId, "value_answered", {
        request_id: params.id,
        key: known.request.key,
        given: body.value !== undefined,
        answered_by: callerText(caller, connection),
      });
      return { status: 204 };
    },
  );
}
