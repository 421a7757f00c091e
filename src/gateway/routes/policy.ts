/** `/rules` and `/policy/explain`: what decides, what would be decided, and how past calls would have gone with another rule. */
import { z } from "@hono/zod-openapi";
import { type Decision, modes, type SessionHandle } from "../../contract/index.ts";
import { callerText } from "../auth/scopes.ts";
import type { RuleEntry } from "../ports.ts";
import { notFound } from "../problem.ts";
import { wireEffectVerdict, wireSessionId } from "../wire/convert.ts";
import { becauseSchema, effectVerdictSchema, idParam, modeSchema } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const listName = z.enum(["allow", "ask", "deny"]);
const ruleText = z.string().min(1).max(2000);

const ruleSchema = z
  .object({
    id: z.string(),
    rule: z.string(),
    list: listName,
    origin: z.enum(["home", "project", "always", "environment", "flags"]),
    offline: z.boolean().optional(),
    in_force: z.boolean(),
  })
  .openapi("Rule");

const newRuleBody = z
  .strictObject({ rule: ruleText, list: listName.default("allow"), origin: z.enum(["home", "always"]).default("always") })
  .openapi("NewRule");

const replayBody = z
  .strictObject({
    rule: ruleText,
    list: listName.default("allow"),
    session_id: z.string().min(1).max(200).optional(),
    limit: z.number().int().min(1).max(1000).default(200),
  })
  .openapi("ReplayRule");

const verdict = z.enum(["allow", "rehearse", "ask", "deny"]);

const replaySchema = z
  .object({
    total: z.number().int(),
    /** Only calls that would be decided otherwise. */
    calls: z.array(
      z.object({
        call_id: z.string(),
        session_id: z.string(),
        tool: z.string(),
        summary: z.string(),
        before: verdict,
        after: verdict,
        answer: z.string().optional(),
      }),
    ),
    fewer_questions: z.number().int(),
    more_questions: z.number().int(),
    /** Calls that a person denied and that would run. */
    denied_would_run: z.number().int(),
  })
  .openapi("Replay");

const explainBody = z
  .strictObject({
    tool: z.string().min(1).max(200),
    input: z.unknown().optional(),
    mode: modeSchema.optional(),
    session_id: z.string().min(1).max(200).optional(),
  })
  .openapi("Explain");

const explainedSchema = z
  .object({
    tool: z.string(),
    mode: modeSchema,
    decision: verdict,
    verdict,
    rule: z.string(),
    reason: z.string(),
    because: becauseSchema.optional(),
    code: z.string().optional(),
    /** The decision in words. */
    text: z.string(),
    summary: z.string(),
    class: z.string().optional(),
    preview: z.record(z.string(), z.unknown()).nullable(),
    effects: z.array(effectVerdictSchema),
    /** The same call in each mode. */
    modes: z.record(modeSchema, z.object({ verdict, rule: z.string(), reason: z.string(), because: becauseSchema.optional() })),
  })
  .openapi("Explained");

export function addPolicyRoutes(routes: Routes): void {
  const { router, sessions, desk, engine } = routes;

  router.add(
    {
      method: "get",
      path: "/rules",
      operationId: "listRules",
      summary: "The rules by origin.",
      scope: "read",
      answers: { 200: { description: "The rules.", schema: z.object({ rules: z.array(ruleSchema) }).openapi("RuleList") } },
    },
    async () => ({ status: 200, body: { rules: (await desk.rules.list()).map(wireRule) } }),
  );

  router.add(
    {
      method: "post",
      path: "/rules",
      operationId: "addRule",
      summary: "Adds a rule to the home's config, or to those chosen with `always` for this project.",
      scope: "admin",
      body: newRuleBody,
      answers: { 201: { description: "The rule; it holds from the next call on.", schema: ruleSchema } },
    },
    async ({ caller, body, connection }) => {
      const added = await desk.rules.add(body.rule, body.list, body.origin);
      await desk.audit("", "rule_added", { rule: added.rule, list: added.list, origin: added.origin, by: callerText(caller, connection) });
      return { status: 201, body: wireRule(added) };
    },
  );

  router.add(
    {
      method: "delete",
      path: "/rules/{id}",
      operationId: "removeRule",
      summary: "Removes a rule of the home or one chosen with `always`.",
      scope: "admin",
      params: idParam,
      answers: { 204: { description: "It is gone." } },
    },
    async ({ caller, params, connection }) => {
      const known = (await desk.rules.list()).find(({ id }) => id === params.id);
      if (known === undefined || !(await desk.rules.remove(params.id))) throw notFound("There is no such rule that could be removed here.");
      await desk.audit("", "rule_removed", {
        rule: known.rule,
        list: known.list,
        origin: known.origin,
        by: callerText(caller, connection),
      });
      return { status: 204 };
    },
  );

  router.add(
    {
      method: "post",
      path: "/rules/replay",
      operationId: "replayRule",
      summary: "How the latest calls would be decided with one more rule.",
      scope: "read",
      body: replayBody,
      answers: { 200: { description: "The calls that would be decided otherwise.", schema: replaySchema } },
    },
    async ({ caller, body }) => {
      const chosen = body.session_id === undefined ? await sessions.list(caller) : [await sessions.get(caller, body.session_id)];
      const names = new Map(chosen.map((record) => [record.id, wireSessionId(record)]));
      const all = await desk.rules.replay(body.rule, body.list, chosen, body.limit);
      const asks = (word: string): boolean => word === "ask" || word === "rehearse";
      const changed = all.filter(({ before, after }) => before !== after);
      return {
        status: 200,
        body: {
          total: all.length,
          calls: changed.map(({ callId, sessionId, ...one }) => ({
            call_id: callId,
            session_id: names.get(sessionId) ?? sessionId,
            ...one,
          })),
          fewer_questions: changed.filter(({ before, after }) => asks(before) && !asks(after)).length,
          more_questions: changed.filter(({ before, after }) => !asks(before) && asks(after)).length,
          denied_would_run: changed.filter(({ after, answer }) => after === "allow" && answer === "deny").length,
        },
      };
    },
  );

  router.add(
    {
      method: "post",
      path: "/policy/explain",
      operationId: "explainPolicy",
      summary: "What would happen to a call and why, effect by effect and in each mode; runs nothing.",
      scope: "read",
      body: explainBody,
      answers: { 200: { description: "The decision.", schema: explainedSchema } },
    },
    async ({ caller, body }) => {
      const session = body.session_id === undefined ? await sessions.forExplaining(caller) : await sessions.open(caller, body.session_id);
      await desk.lookAtSandbox();
      const input = body.input ?? {};
      const mode = body.mode ?? session.mode;
      const { tool, decision, plan } = await session.explain(body.tool, input, mode);
      return {
        status: 200,
        body: {
          tool,
          mode,
          decision: decision.verdict,
          ...wireDecision(decision),
          text: engine.explainDecision(decision),
          summary: plan.summary,
          ...(plan.class === undefined ? {} : { class: plan.class }),
          preview: plan.preview === undefined ? null : JSON.parse(desk.mask(JSON.stringify(plan.preview))),
          effects: decision.effects.map((one) => wireEffectVerdict(one, session.workspace)),
          modes: await inEachMode(session, body.tool, input),
        },
      };
    },
  );
}

async function inEachMode(session: SessionHandle, tool: string, input: unknown) {
  const all = await Promise.all(
    modes.map(async (mode) => [mode, wireDecision((await session.explain(tool, input, mode)).decision)] as const),
  );
  return Object.fromEntries(all);
}

function wireDecision({ verdict: word, rule, reason, because, code }: Decision) {
  return {
    verdict: word,
    rule,
    reason,
    ...(because === undefined ? {} : { because: because as { code: string; params?: Record<string, unknown> } }),
    ...(code === undefined ? {} : { code }),
  };
}

function wireRule({ inForce, ...rule }: RuleEntry) {
  return { ...rule, in_force: inForce };
}
