/** `/sessions/ID/runs`: runs of agents, started, looked at, spoken to and cancelled. The agent room runs them. */
import { z } from "@hono/zod-openapi";
import type { JsonObject, RunState } from "../../contract/index.ts";
import { notFound, Problem } from "../problem.ts";
import { sessionIdParam, sessionSchema } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";
import { wireSession } from "./sessions.ts";

const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_write_tokens: z.number(),
});

const runSchema = z
  .object({
    run_id: z.string(),
    session_id: z.string(),
    status: z.enum(["queued", "running", "waiting", "done", "failed", "max_rounds", "max_cost", "max_tokens", "refused", "cancelled"]),
    text: z.string(),
    rounds: z.number().int(),
    usage,
    cost_usd: z.number().optional(),
    cache_saved_usd: z.number().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    started_at: z.number(),
  })
  .openapi("Run");

const newRunBody = z
  .strictObject({
    prompt: z.string().min(1).max(1_000_000),
    run_id: z
      .string()
      .regex(/^[A-Za-z0-9._~-]{1,200}$/)
      .optional(),
    agent: z.string().min(1).max(100).optional(),
    model: z.string().min(1).max(200).optional(),
    max_rounds: z.number().int().min(1).max(10_000).optional(),
    max_cost_usd: z.number().positive().optional(),
  })
  .openapi("NewRun");

const messageBody = z.strictObject({ text: z.string().min(1).max(1_000_000), when: z.enum(["now", "after"]) }).openapi("RunMessage");
const runParams = sessionIdParam.extend({ run: z.string().min(1).max(200) });
const started = z.object({ run_id: z.string(), status: z.string() }).openapi("RunStarted");
const nothing = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

export function addRunRoutes(routes: Routes): void {
  const { router, sessions, engine, desk } = routes;

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/runs",
      operationId: "startRun",
      summary: "Starts a run of an agent that goes on by itself; the same run_id starts nothing again.",
      scope: "call",
      params: sessionIdParam,
      body: newRunBody,
      answers: { 202: { description: "It was started, or was there already.", schema: started } },
    },
    async ({ caller, params, body }) => {
      const session = await sessions.open(caller, params.id);
      const defaults = await desk.defaultsOf(session.record);
      const { prompt, run_id: runId, max_rounds: maxRounds, max_cost_usd: maxCostUsd } = body;
      const [agent, model] = [body.agent ?? defaults.agent, body.model ?? defaults.model];
      const state = await engine.runner.start(session, {
        prompt,
        served: true,
        ...(runId === undefined ? {} : { runId }),
        ...(agent === undefined ? {} : { agent }),
        ...(model === undefined ? {} : { model }),
        ...(maxRounds === undefined ? {} : { maxRounds }),
        ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      });
      if (state.sessionId !== session.id) {
        throw new Problem(409, "conflict", "This run_id was used in another session.", { details: { reason: "run_id_taken" } });
      }
      return { status: 202, body: { run_id: state.runId, status: state.status } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/runs",
      operationId: "listRuns",
      summary: "The session's runs, newest first.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: { description: "The runs.", schema: z.object({ runs: z.array(runSchema) }).openapi("RunList") } },
    },
    async ({ caller, params }) => {
      const { id } = await sessions.get(caller, params.id);
      const runs = await engine.runner.list(id);
      return { status: 200, body: { runs: runs.map((state) => wireRun(state, params.id)) } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/runs/{run}",
      operationId: "getRun",
      summary: "How a run goes, or how it ended.",
      scope: "read",
      params: runParams,
      answers: { 200: { description: "The run.", schema: runSchema } },
    },
    async ({ caller, params }) => ({ status: 200, body: wireRun(await find(caller, params), params.id) }),
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/runs/{run}/cancel",
      operationId: "cancelRun",
      summary: "Ends a run; what it has done stays. 409 if it has ended.",
      scope: "call",
      params: runParams,
      answers: { 200: { description: "It ends.", schema: runSchema } },
    },
    async ({ caller, params }) => {
      const state = await find(caller, params);
      if (!(await engine.runner.cancel(state.sessionId, state.runId))) throw over(state);
      return { status: 200, body: wireRun((await engine.runner.state(state.sessionId, state.runId)) ?? state, params.id) };
    },
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/runs/{run}/messages",
      operationId: "messageRun",
      summary: "Says something to a run: `now` after the current results, `after` when it has ended.",
      scope: "call",
      params: runParams,
      body: messageBody,
      answers: { 202: { description: "It was taken.", schema: started } },
    },
    async ({ caller, params, body }) => {
      const state = await find(caller, params);
      if (!(await engine.runner.message(state.sessionId, state.runId, body.text, body.when))) throw over(state);
      return { status: 202, body: { run_id: state.runId, status: state.status } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/demo",
      operationId: "startDemo",
      summary: "A new session in a temporary workspace of its own, in which the demo agent shows what Karyi does.",
      scope: "call",
      answers: { 201: { description: "The session.", schema: sessionSchema } },
    },
    async ({ caller, header }) => {
      const language = /^\s*zh\b/i.test(header("accept-language") ?? "") ? "zh" : "en";
      const { model, workspace, prompt } = await desk.demoTour(language);
      const { handle } = await sessions.create(caller, { workspace });
      await desk.setDefaults(handle, { model });
      await engine.runner.start(await desk.handle(handle.record), { prompt, model, served: true });
      return { status: 201, body: await wireSession(routes, handle.record) };
    },
  );

  async function find(
    caller: Parameters<typeof sessions.get>[0],
    params: { readonly id: string; readonly run: string },
  ): Promise<RunState> {
    const { id } = await sessions.get(caller, params.id);
    const state = await engine.runner.state(id, params.run);
    if (state === undefined) throw notFound("There is no such run in this session.");
    return state;
  }
}

function over({ status }: RunState): Problem {
  return new Problem(409, "conflict", `The run is ${status} already.`, { details: { reason: "run_ended", status } });
}

/** The object of `karyi run --json`; of a run that goes on what is known of it. */
function wireRun({ runId, status, startedAt, outcome }: RunState, sessionId: string): JsonObject {
  const known = (outcome as unknown as JsonObject | undefined) ?? { status, text: "", rounds: 0, usage: nothing };
  return { ...known, run_id: runId, session_id: sessionId, started_at: startedAt };
}
