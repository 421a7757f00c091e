/** `/sessions`: made, listed, looked at, changed. */
import type { EventHead, JsonObject, SessionHandle, SessionRecord } from "../../contract/index.ts";
import { byId, topOf } from "../family.ts";
import { pageOf } from "../page.ts";
import { wireChannel, wireSessionId } from "../wire/convert.ts";
import { changeSessionBody, newSessionBody, sessionIdParam, sessionList, sessionSchema, sessionsQuery } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

export function addSessionRoutes(routes: Routes): void {
  const { router, sessions, desk, engine } = routes;
  const session = { description: "The session.", schema: sessionSchema };

  router.add(
    {
      method: "post",
      path: "/sessions",
      operationId: "createSession",
      summary: "Opens a session; a known id of the same user opens that session again.",
      scope: "call",
      body: newSessionBody,
      bodyOptional: true,
      answers: { 200: { ...session, description: "It was there already." }, 201: { ...session, description: "It was made." } },
    },
    async ({ caller, body }) => {
      const { handle, created } = await sessions.create(caller, body ?? {}, (workspace) => engine.runner.demand(workspace, body ?? {}));
      if (body?.model !== undefined || body?.agent !== undefined) await desk.setDefaults(handle, { model: body.model, agent: body.agent });
      return { status: created ? 201 : 200, body: await wireSession(routes, handle.record) };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions",
      operationId: "listSessions",
      summary: "The user's sessions, newest first.",
      scope: "read",
      query: sessionsQuery,
      answers: { 200: { description: "A page of sessions.", schema: sessionList } },
    },
    async ({ caller, query }) => {
      const all = await sessions.list(caller);
      const known = byId(all);
      const listed = query.top === "1" ? all.filter(({ id }) => topOf(id, known)?.id === id) : all;
      const { items, nextCursor } = pageOf(listed, ({ id }) => id, query);
      return { status: 200, body: { sessions: await wireSessions(routes, items, known), next_cursor: nextCursor } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}",
      operationId: "getSession",
      summary: "One session.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: session },
    },
    async ({ caller, params }) => ({ status: 200, body: await wireSession(routes, await sessions.get(caller, params.id)) }),
  );

  router.add(
    {
      method: "patch",
      path: "/sessions/{id}",
      operationId: "changeSession",
      summary: "Changes mode or model; both hold from the next call or run on.",
      scope: "approve",
      params: sessionIdParam,
      body: changeSessionBody,
      answers: { 200: session },
    },
    async ({ caller, params, body }) => {
      const handle: SessionHandle = await sessions.open(caller, params.id);
      await engine.runner.demand(handle.workspace, { model: body.model });
      if (body.mode !== undefined) await handle.setMode(body.mode);
      if (body.model !== undefined) await desk.setDefaults(handle, { model: body.model });
      return { status: 200, body: await wireSession(routes, await sessions.get(caller, params.id)) };
    },
  );
}

export async function wireSession(routes: Routes, record: SessionRecord): Promise<JsonObject> {
  const known = byId(await routes.desk.sessionsOf(record.key.owner));
  const [wire] = await wireSessions(routes, [record], known);
  if (wire === undefined) throw new Error("a session has no wire form");
  return wire;
}

async function wireSessions(
  routes: Routes,
  records: readonly SessionRecord[],
  known: ReadonlyMap<string, SessionRecord>,
): Promise<readonly JsonObject[]> {
  const { desk, engine } = routes;
  const [heads, pending, questions, details] = await Promise.all([
    desk.eventHeads(records.map(({ id }) => id)),
    engine.approvals("pending"),
    routes.inbox.questions(),
    desk.sessionFacts(records.map(({ id }) => id)),
  ]);
  return records.map((record) => {
    const { key, workspace, createdAt, state } = record;
    const isOwn = ({ sessionId }: { readonly sessionId: string }): boolean =>
      sessionId === record.id || topOf(sessionId, known)?.id === record.id;
    const waiting = [...pending, ...routes.values.list(key.owner), ...questions].filter(isOwn).length;
    const parent = known.get(state.rights?.parent ?? "");
    const facts = details.get(record.id);
    const head: EventHead = heads.get(record.id) ?? { first: 1, last: 0 };
    return {
      id: wireSessionId(record),
      user_id: key.owner,
      channel: wireChannel(key),
      created_at: createdAt,
      workspace,
      cwd: state.cwd,
      mode: desk.modeOf(record),
      title: facts?.title ?? "",
      status: waiting > 0 ? "waiting" : facts?.isRunning === true ? "running" : facts?.hasFailed === true ? "failed" : "idle",
      waiting,
      last_seq: head.last,
      updated_at: facts?.updatedAt ?? createdAt,
      ...(parent === undefined ? {} : { parent_id: wireSessionId(parent) }),
      ...(facts?.agent === undefined ? {} : { agent: facts.agent }),
      ...(facts?.model === undefined ? {} : { model: facts.model }),
    };
  });
}
