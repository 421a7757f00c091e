/** Tasks and sub-agents of a session. */
import { z } from "@hono/zod-openapi";
import type { SubagentState, TaskRecord } from "../../contract/index.ts";
import { notFound, Problem } from "../problem.ts";
import { sessionIdParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const taskSchema = z
  .object({
    id: z.string(),
    kind: z.string(),
    title: z.string(),
    description: z.string().optional(),
    status: z.enum(["pending", "in_progress", "done", "failed", "cancelled", "lost"]),
    started_at: z.number(),
    ended_at: z.number().optional(),
    exit_code: z.number().optional(),
    output_bytes: z.number(),
  })
  .openapi("Task");

const agentSchema = z
  .object({
    id: z.string(),
    parent_id: z.string().optional(),
    agent: z.string(),
    description: z.string(),
    mode: z.enum(["sync", "background", "worktree"]),
    status: z.enum(["running", "waiting", "done", "failed", "cancelled", "max_rounds"]),
    calls: z.number().int(),
    usage: z.record(z.string(), z.number()),
    started_at: z.number(),
    last_activity_at: z.number(),
    ended_at: z.number().optional(),
  })
  .openapi("Subagent");

const agentParams = sessionIdParam.extend({ agent: z.string().min(1).max(200) });

export function addWorkRoutes(routes: Routes): void {
  const { router, sessions } = routes;

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/tasks",
      operationId: "listTasks",
      summary: "To-do items and background work.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: { description: "The tasks.", schema: z.object({ tasks: z.array(taskSchema) }).openapi("TaskList") } },
    },
    async ({ caller, params }) => {
      const { tasks } = await sessions.open(caller, params.id);
      return { status: 200, body: { tasks: (await tasks.list()).map(wireTask) } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/terminal",
      operationId: "openTerminal",
      summary: "WebSocket: watches the live terminal; `take` and `give` say who drives. Token as sub-protocol `karyi.token.TOKEN`.",
      scope: "read",
      params: sessionIdParam,
      answers: { 101: { description: "It is a WebSocket now." }, 426: { description: "Asked without an upgrade." } },
    },
    async ({ caller, params }) => {
      await sessions.get(caller, params.id);
      throw new Problem(426, "invalid_request", "This is a WebSocket.", { headers: { upgrade: "websocket" } });
    },
  );

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/agents",
      operationId: "listAgents",
      summary: "The sub-agents of the session, children with their parent's id.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: { description: "The agents.", schema: z.object({ agents: z.array(agentSchema) }).openapi("SubagentList") } },
    },
    async ({ caller, params }) => {
      const { agents } = await sessions.open(caller, params.id);
      return { status: 200, body: { agents: (await agents.list()).map(wireAgent) } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/agents/{agent}/cancel",
      operationId: "cancelAgent",
      summary: "Ends a sub-agent, with `subtree` everything below it too.",
      scope: "call",
      params: agentParams,
      body: z.strictObject({ subtree: z.boolean().optional() }).openapi("CancelAgent"),
      bodyOptional: true,
      answers: { 200: { description: "It ends.", schema: agentSchema } },
    },
    async ({ caller, params, body }) => {
      const { agents } = await sessions.open(caller, params.id);
      const known = await agents.find(params.agent);
      if (known === undefined) throw notFound("There is no such agent in this session.");
      if (!(await agents.cancel(params.agent, { subtree: body?.subtree ?? false }))) {
        throw new Problem(409, "conflict", `The agent is ${known.status} already.`, {
          details: { reason: "agent_ended", status: known.status },
        });
      }
      return { status: 200, body: wireAgent((await agents.find(params.agent)) ?? known) };
    },
  );
}

function wireTask({ id, kind, title, description, status, startedAt, endedAt, exitCode, outputBytes }: TaskRecord) {
  return {
    id,
    kind,
    title,
    ...(description === undefined ? {} : { description }),
    status,
    started_at: startedAt,
    ...(endedAt === undefined ? {} : { ended_at: endedAt }),
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    output_bytes: outputBytes,
  };
}

function wireAgent({ id, parentId, agent, description, mode, status, calls, usage, startedAt, lastActivityAt, endedAt }: SubagentState) {
  return {
    id,
    ...(parentId === undefined ? {} : { parent_id: parentId }),
    agent,
    description,
    mode,
    status,
    calls,
    usage: { ...usage },
    started_at: startedAt,
    last_activity_at: lastActivityAt,
    ...(endedAt === undefined ? {} : { ended_at: endedAt }),
  };
}
