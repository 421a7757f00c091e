/** `/sessions/ID/calls`: a call, its record, its undo. A failed call is a Result with 200; one that waits for a person is 202. */

import { callerText } from "../auth/scopes.ts";
import { pageOf } from "../page.ts";
import { notFound } from "../problem.ts";
import { wireCall, wireResult, wireUnsettled } from "../wire/convert.ts";
import { callBody, callList, callParams, pageQuery, resultSchema, sessionIdParam, undoBody } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const result = { description: "The Result; a failed call is one too.", schema: resultSchema };

export function addCallRoutes(routes: Routes): void {
  const { router, sessions, engine, now } = routes;

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/calls",
      operationId: "callTool",
      summary: "Calls a tool. The same call_id runs once.",
      scope: "call",
      params: sessionIdParam,
      body: callBody,
      answers: { 200: result, 202: { description: "It waits for a person.", schema: resultSchema } },
    },
    async ({ caller, params, body, connection }) => {
      const session = await sessions.open(caller, params.id);
      const ended = await session.begin(
        {
          name: body.tool,
          input: body.input ?? {},
          by: callerText(caller, connection),
          ...(body.call_id === undefined ? {} : { id: body.call_id }),
        },
        {
          signal: AbortSignal.any([connection.gone, routes.closing]),
          ...(body.dry_run === undefined ? {} : { dryRun: body.dry_run }),
          ...(body.keep === undefined ? {} : { keep: body.keep }),
        },
      );
      return { status: ended.status === "suspended" ? 202 : 200, body: wireResult(ended) };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/calls",
      operationId: "listCalls",
      summary: "What was called, newest first.",
      scope: "read",
      params: sessionIdParam,
      query: pageQuery,
      answers: { 200: { description: "A page of calls.", schema: callList } },
    },
    async ({ caller, params, query }) => {
      const session = await sessions.open(caller, params.id);
      const { items, nextCursor } = pageOf(await session.history(), ({ id }) => id, query);
      return { status: 200, body: { calls: items.map(wireCall), next_cursor: nextCursor } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/calls/{call}",
      operationId: "getCall",
      summary: "The Result of a call; 202 until it has ended.",
      scope: "read",
      params: callParams,
      answers: { 200: result, 202: { description: "It runs, or waits for a person.", schema: resultSchema } },
    },
    async ({ caller, params }) => {
      const { id } = await sessions.get(caller, params.id);
      const record = await engine.call(params.call);
      if (record === undefined || record.sessionId !== id) throw notFound("There is no such call in this session.");
      if (record.result) return { status: 200, body: wireResult(record.result) };
      const pending = record.phase === "asked" ? (await engine.approvals("pending")).find(({ callId }) => callId === record.id) : undefined;
      return { status: 202, body: wireUnsettled(record, now(), pending?.id) };
    },
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/calls/{call}/undo",
      operationId: "undoCall",
      summary: "Takes a call back, or shows what that would change.",
      scope: "call",
      params: callParams,
      body: undoBody,
      bodyOptional: true,
      answers: { 200: result },
    },
    async ({ caller, params, body }) => {
      const session = await sessions.open(caller, params.id);
      const ended = await session.undo(params.call, { dryRun: body?.dry_run ?? false, force: body?.force ?? false });
      return { status: 200, body: wireResult(ended) };
    },
  );
}
