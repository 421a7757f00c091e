/**
 * `POST /agent/process` (H1): one of the four tools, or a message to the session's agent. Answers at once as a whole, or
 * with `stream` as server-sent events that end with `run_end`.
 */
import { z } from "@hono/zod-openapi";
import {
  type Connection,
  type JsonObject,
  type KaryiEvent,
  type RunOutcome,
  type SessionHandle,
  ToolFailure,
} from "../../contract/index.ts";
import { type Caller, callerText } from "../auth/scopes.ts";
import { Problem, problemOf, problemOfFailure } from "../problem.ts";
import type { RouteAnswer } from "../router.ts";
import type { Routes } from "../routes/context.ts";
import { SseStream } from "../stream/sse.ts";
import { wireEvent } from "../wire/convert.ts";
import { runDirectTool } from "./direct-tools.ts";
import { Queue } from "./queue.ts";
import { type DirectTool, directToolOf, type ProcessBody, processBody, promptOf } from "./request.ts";

const object = z.record(z.string(), z.unknown());
const replySchema = z
  .object({ reply: z.string(), tool_result: object.optional(), events: z.array(object), run: object.optional() })
  .openapi("ProcessReply");
const waitingSchema = z
  .object({
    approval_id: z.string().optional(),
    /** In its place if a value is asked for: answered with `POST /api/v1/values/ID`. */
    request_id: z.string().optional(),
    status: z.literal("waiting"),
    reply: z.string(),
    run_id: z.string().optional(),
    events: z.array(object),
  })
  .openapi("ProcessWaiting");

interface Exchange {
  readonly session: SessionHandle;
  /** As the client named it. */
  readonly sessionId: string;
  /** The client went away. */
  readonly gone: AbortSignal;
  readonly by: string;
  onEvent(event: JsonObject): void;
}

export function addProcessRoute(routes: Routes): void {
  const queue = new Queue();
  routes.router.add(
    {
      method: "post",
      root: true,
      path: "/agent/process",
      operationId: "process",
      summary: "Runs one of the four gateway tools, or hands a message to the session's agent.",
      scope: "call",
      body: processBody,
      answers: {
        200: { description: "The reply; with `stream` server-sent events, the last of them `run_end`.", schema: replySchema, stream: true },
        202: { description: "The agent waits for a person.", schema: waitingSchema },
        499: { description: "The client went away." },
        504: { description: "The command's time was over." },
      },
    },
    async ({ caller, body, connection }) => {
      const tool = directToolOf(body, routes);
      const prompt = tool === undefined ? promptOf(body.input) : "";
      const exchange = {
        session: await openSession(routes, caller, body),
        sessionId: body.session_id,
        gone: connection.gone,
        by: callerText(caller, connection),
      };
      const work = (on: Exchange["onEvent"]) =>
        tool === undefined
          ? askAgent(routes, prompt, { ...exchange, onEvent: on }, body.stream === true)
          : callTool(routes, queue, tool, { ...exchange, onEvent: on });
      return body.stream === true ? streamed(routes, caller, connection, work) : whole(work);
    },
  );
}

interface Outcome {
  readonly status: number;
  readonly body: JsonObject;
}

async function whole(work: (on: Exchange["onEvent"]) => Promise<Outcome>): Promise<RouteAnswer> {
  const events: JsonObject[] = [];
  const { status, body } = await work((event) => events.push(event));
  return { status, body: { ...body, events } };
}

/** Everything that can be refused beforehand was; a call that fails now is told in the stream. */
async function streamed(
  routes: Routes,
  caller: Caller,
  connection: Connection,
  work: (on: Exchange["onEvent"]) => Promise<Outcome>,
): Promise<RouteAnswer> {
  const stream = new SseStream(connection, {
    stallMs: routes.limits.stallMs,
    isStillAllowed: () => routes.isStillAllowed(caller),
  });
  try {
    const { body } = await work((event) => {
      if (event.type !== "run_end") stream.tell(String(event.type), event);
    });
    stream.tell("run_end", { type: "run_end", status: "done", ...(body.run as JsonObject | undefined), ...body });
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "internal") routes.log.error({ err: error, path: "/agent/process" }, "a streamed request failed");
    const { error: shape } = problem.toJson();
    const told = shape as unknown as JsonObject;
    stream.tell("run_end", {
      type: "run_end",
      status: "failed",
      reply: problem.message,
      tool_result: { ok: false, error: told },
      error: told,
    });
  }
  stream.end();
  return "streamed";
}

async function callTool(routes: Routes, queue: Queue, tool: DirectTool, exchange: Exchange): Promise<Outcome> {
  const { engine, desk, newId, closing } = routes;
  const { session, sessionId, gone, by } = exchange;
  const signal = AbortSignal.any([gone, closing]);
  const callId = newId();
  const stop = engine.onEvent((event) => {
    if (event.sessionId === session.id && event.callId === callId) exchange.onEvent(wireEvent(event, sessionId));
  });
  try {
    const result = await runDirectTool(tool, { session, desk, queue, callId, signal, by });
    return { status: 200, body: { reply: String(result.text), tool_result: result } };
  } catch (error) {
    throw error instanceof ToolFailure ? problemOfFailure(error) : error;
  } finally {
    stop();
  }
}

async function askAgent({ engine, desk, closing }: Routes, prompt: string, exchange: Exchange, isStreamed: boolean): Promise<Outcome> {
  const { session, sessionId, gone } = exchange;
  const { agent, model } = await desk.defaultsOf(session.record);
  const cancelled = new AbortController();
  const over = new AbortController();
  const once = { once: true, signal: over.signal };
  // Whoever goes away does not want the run any more. A server that stops leaves it to the next one.
  const leave = (): void => {
    if (!closing.aborted) cancelled.abort();
  };
  const stops = new Promise<"stops">((resolve) => closing.addEventListener("abort", () => resolve("stops"), once));
  gone.addEventListener("abort", leave, once);
  if (gone.aborted) leave();
  const run = engine.runner.run(session, {
    prompt,
    served: true,
    signal: cancelled.signal,
    ...(agent && { agent }),
    ...(model && { model }),
  });
  let runId: string | undefined;
  const known = () => (runId === undefined ? {} : { run_id: runId });
  try {
    for (;;) {
      const next = await Promise.race([run.next(), stops]);
      if (next === "stops") {
        goOn(run);
        throw new Problem(503, "unavailable", "The server stops. The run goes on when it is started again.", { details: known() });
      }
      if (next.done) return ended(next.value);
      const event: KaryiEvent = next.value;
      if (event.type === "run_start") runId = event.body.run_id;
      exchange.onEvent(wireEvent(event, sessionId));
      // Whoever reads a stream sees the question there and the answer after it; a whole answer cannot wait for a person.
      const question = isStreamed ? undefined : questionOf(event);
      if (question === undefined) continue;
      goOn(run);
      return { status: 202, body: { ...question, status: "waiting", ...known() } };
    }
  } finally {
    over.abort();
  }
}

/** What a person has to answer before the run goes on. */
function questionOf({ type, body }: KaryiEvent): JsonObject | undefined {
  if (type === "permission_request") return { approval_id: body.approval_id, reply: `Waiting for a person: ${body.summary}` };
  if (type === "value_request" && body.status === "asked") {
    return { request_id: body.request_id, reply: `Waiting for a person to give ${body.key}: ${body.reason}` };
  }
  return undefined;
}

/** The run itself goes on in the background; only this request is over. */
function goOn(run: AsyncGenerator<KaryiEvent, RunOutcome>): void {
  void (async () => {
    try {
      for (;;) if ((await run.next()).done) return;
    } catch {
      // Its end is in the session's stream.
    }
  })();
}

function ended(outcome: RunOutcome): Outcome {
  const { text, error, status } = outcome;
  if (status === "cancelled") throw new Problem(499, "cancelled", "The run was cancelled.");
  return { status: 200, body: { reply: text === "" ? (error?.message ?? "") : text, run: outcome as unknown as JsonObject } };
}

/** Told apart by the token's user, `user_id`, `channel` and `session_id`. */
async function openSession({ engine, desk }: Routes, { user }: Caller, body: ProcessBody): Promise<SessionHandle> {
  const key = {
    owner: user,
    channel: `process:${encodeURIComponent(body.user_id)}:${encodeURIComponent(body.channel)}`,
    externalId: body.session_id,
  };
  const known = await desk.sessionByKey(key);
  if (known !== undefined) return desk.handle(known);
  const opened = await engine.openSession({ id: key.externalId, owner: key.owner, channel: key.channel, approvals: "record" });
  return desk.handle(opened.record);
}
