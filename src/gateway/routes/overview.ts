/** `/counts` and `/tools`: small figures and lists that pages begin with. */
import { z } from "@hono/zod-openapi";
import { countsSchema } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const traitsSchema = z.object({
  concurrency_safe: z.boolean(),
  read_only: z.boolean(),
  destructive: z.boolean(),
  search_hint: z.string(),
  permission: z.enum(["auto", "confirm"]),
});

const toolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    aliases: z.array(z.string()),
    input_schema: z.record(z.string(), z.unknown()),
    traits: traitsSchema,
    safety_level: z.number().int(),
    example: z.unknown().optional(),
  })
  .openapi("Tool");

export function addOverviewRoutes(routes: Routes): void {
  const { router, sessions, inbox, desk, engine } = routes;

  router.add(
    {
      method: "get",
      path: "/counts",
      operationId: "getCounts",
      summary: "Figures for badges.",
      scope: "read",
      answers: { 200: { description: "The figures.", schema: countsSchema } },
    },
    async ({ caller }) => {
      const all = await sessions.list(caller);
      const [{ counts }, facts] = await Promise.all([inbox.viewOf(caller.user), desk.sessionFacts(all.map(({ id }) => id))]);
      const running = [...facts.values()].filter(({ isRunning }) => isRunning).length;
      return { status: 200, body: { sessions: all.length, running, ...counts } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/tools",
      operationId: "listTools",
      summary: "Every tool with its input schema and traits.",
      scope: "read",
      answers: { 200: { description: "The tools.", schema: z.object({ tools: z.array(toolSchema) }).openapi("ToolList") } },
    },
    () => ({
      status: 200,
      body: {
        tools: engine.tools().flatMap(({ name }) => {
          const tool = engine.describeTool(name);
          if (tool === undefined) return [];
          const { traits } = tool;
          return [
            {
              name: tool.name,
              description: tool.description,
              aliases: tool.aliases,
              input_schema: tool.inputSchema,
              traits: {
                concurrency_safe: traits.concurrencySafe,
                read_only: traits.readOnly,
                destructive: traits.destructive,
                search_hint: traits.searchHint,
                permission: traits.permission,
              },
              safety_level: tool.safetyLevel,
              ...(tool.example === undefined ? {} : { example: tool.example }),
            },
          ];
        }),
      },
    }),
  );
}
