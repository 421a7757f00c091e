/** `/approvals`: what waits for a person, and the person's answer. An answer needs the nonce of exactly the plan that was shown. */
import { timingSafeEqual } from "node:crypto";
import type { ApprovalRecord, JsonObject, Result, SessionRecord } from "../../contract/index.ts";
import { type Caller, callerText, may } from "../auth/scopes.ts";
import { byId, topOf } from "../family.ts";
import { pageOf } from "../page.ts";
import { notFound, Problem } from "../problem.ts";
import { wireApproval, wireResult, wireSessionId } from "../wire/convert.ts";
import { answerBody, answeredSchema, approvalList, approvalSchema, approvalsQuery, idParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

/** An answer is told at once; a call that ends this soon is told with it. */
const shortWaitMs = 300;

export function addApprovalRoutes(routes: Routes): void {
  const { router, sessions, engine } = routes;

  router.add(
    {
      method: "get",
      path: "/approvals",
      operationId: "listApprovals",
      summary: "Questions, oldest first.",
      scope: "read",
      query: approvalsQuery,
      answers: { 200: { description: "A page of approvals.", schema: approvalList } },
    },
    async ({ caller, query }) => {
      const mine = await ownSessions(routes, caller);
      const only = query.session_id === undefined ? undefined : (await sessions.get(caller, query.session_id)).id;
      const all = (await engine.approvals(query.status)).filter(
        ({ sessionId }) => mine.has(sessionId) && (only === undefined || sessionId === only),
      );
      const { items, nextCursor } = pageOf(all, ({ id }) => id, query);
      const shown = await Promise.all(items.map((record) => (record.status === "pending" ? engine.refreshApproval(record) : record)));
      return {
        status: 200,
        body: { approvals: await Promise.all(shown.map((record) => wire(routes, caller, record, mine))), next_cursor: nextCursor },
      };
    },
  );

  router.add(
    {
      method: "get",
      path: "/approvals/{id}",
      operationId: "getApproval",
      summary: "One question.",
      scope: "read",
      params: idParam,
      answers: { 200: { description: "The card.", schema: approvalSchema } },
    },
    async ({ caller, params }) => {
      const mine = await ownSessions(routes, caller);
      const record = await find(routes, mine, params.id);
      const shown = record.status === "pending" ? await engine.refreshApproval(record) : record;
      return { status: 200, body: await wire(routes, caller, shown, mine) };
    },
  );

  router.add(
    {
      method: "post",
      path: "/approvals/{id}/answer",
      operationId: "answerApproval",
      summary: "Answers a question once; the call goes on by itself.",
      scope: "approve",
      params: idParam,
      body: answerBody,
      answers: { 200: { description: "The answer was taken.", schema: answeredSchema } },
    },
    async ({ caller, params, body, connection }) => {
      const mine = await ownSessions(routes, caller);
      const asked = await find(routes, mine, params.id);
      if (asked.status !== "pending") throw answeredBefore(asked);
      const record = await engine.refreshApproval(asked);
      if (!sameText(record.nonce, body.nonce)) throw staleNonce(asked, body.nonce);
      const answered = await engine.answer(
        record.id,
        { answer: body.answer, nonce: record.nonce, ...(body.words === undefined ? {} : { words: body.words }) },
        callerText(caller, connection),
      );
      if (answered === undefined) throw answeredBefore((await engine.approval(record.id)) ?? record);
      const goesOn = engine.finishAnswered(answered);
      routes.later("a call after its answer", goesOn);
      const result = await soon(goesOn);
      return {
        status: 200,
        body: { approval: await wire(routes, caller, answered, mine), ...(result === undefined ? {} : { result: wireResult(result) }) },
      };
    },
  );
}

async function ownSessions({ sessions }: Routes, caller: Caller): Promise<ReadonlyMap<string, SessionRecord>> {
  return byId(await sessions.list(caller));
}

async function find({ engine }: Routes, mine: ReadonlyMap<string, SessionRecord>, id: string): Promise<ApprovalRecord> {
  const record = await engine.approval(id);
  if (record === undefined || !mine.has(record.sessionId)) throw notFound("There is no such approval.");
  return record;
}

async function wire(routes: Routes, caller: Caller, record: ApprovalRecord, mine: ReadonlyMap<string, SessionRecord>): Promise<JsonObject> {
  const session = mine.get(record.sessionId);
  const top = topOf(record.sessionId, mine) ?? session;
  return wireApproval(record, {
    sessionId: session === undefined ? record.sessionId : wireSessionId(session),
    rootSessionId: top === undefined ? record.sessionId : wireSessionId(top),
    workspace: session?.workspace ?? "",
    withNonce: may(caller, "approve"),
    call: await routes.engine.call(record.callId),
  });
}

async function soon(work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), shortWaitMs);
  });
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function answeredBefore({ status, answer }: ApprovalRecord): Problem {
  return new Problem(409, "conflict", `This question is ${status} already.`, {
    details: { reason: "answered", status, ...(answer === undefined ? {} : { answer }) },
  });
}

/** The nonce of an earlier plan is stale; any other was never given out. */
function staleNonce(asked: ApprovalRecord, given: string): Problem {
  if (sameText(asked.nonce, given)) {
    return new Problem(409, "stale", "What the call would do has changed since the card was shown. Look at it again.", {
      details: { reason: "plan_changed" },
    });
  }
  return new Problem(409, "stale", "The nonce is not the one of the card as it is now. Look at it again.", {
    details: { reason: "nonce" },
  });
}

function sameText(kept: string, given: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
