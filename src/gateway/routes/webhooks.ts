/** `/webhooks`: where questions and ends of runs are told. The secret is shown once. */
import { z } from "@hono/zod-openapi";
import { parsedUrl } from "../../contract/index.ts";
import { callerText } from "../auth/scopes.ts";
import { notFound } from "../problem.ts";
import { makeSecret, type Webhook, webhookEvents } from "../webhooks.ts";
import { idParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const hookSchema = z
  .object({ id: z.string(), url: z.string(), events: z.array(z.enum(webhookEvents)), created_at: z.number() })
  .openapi("Webhook");
const madeSchema = hookSchema.extend({ secret: z.string() }).openapi("NewWebhookSecret");
const newHookBody = z
  .strictObject({
    url: z
      .string()
      .max(2000)
      .refine((text) => /^https?:$/.test(parsedUrl(text)?.protocol ?? ""), "must be an http or https address"),
    events: z
      .array(z.enum(webhookEvents))
      .min(1)
      .default([...webhookEvents]),
    secret: z.string().min(16).max(200).optional(),
  })
  .openapi("NewWebhook");

export function addWebhookRoutes(routes: Routes): void {
  const { router, webhooks, desk, newId, now } = routes;

  router.add(
    {
      method: "get",
      path: "/webhooks",
      operationId: "listWebhooks",
      summary: "The caller's webhooks.",
      scope: "admin",
      answers: { 200: { description: "The webhooks.", schema: z.object({ webhooks: z.array(hookSchema) }).openapi("WebhookList") } },
    },
    async ({ caller }) => {
      const mine = (await webhooks.files.list()).filter(({ user }) => user === caller.user);
      return { status: 200, body: { webhooks: mine.map(wireHook) } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/webhooks",
      operationId: "addWebhook",
      summary:
        "Adds a webhook. Deliveries are signed: X-Karyi-Signature is sha256= and HMAC-SHA256(secret, X-Karyi-Timestamp + '.' + body).",
      scope: "admin",
      body: newHookBody,
      answers: { 201: { description: "The webhook with its secret.", schema: madeSchema } },
    },
    async ({ caller, body, connection }) => {
      const hook: Webhook = {
        id: newId(),
        url: body.url,
        events: body.events,
        user: caller.user,
        secret: body.secret ?? makeSecret(),
        createdAt: now(),
      };
      await webhooks.files.add(hook.id, hook);
      await desk.audit("", "webhook_added", { webhook: hook.id, by: callerText(caller, connection) });
      return { status: 201, body: { ...wireHook(hook), secret: hook.secret } };
    },
  );

  router.add(
    {
      method: "delete",
      path: "/webhooks/{id}",
      operationId: "removeWebhook",
      summary: "Removes a webhook.",
      scope: "admin",
      params: idParam,
      answers: { 204: { description: "It is gone." } },
    },
    async ({ caller, params, connection }) => {
      const known = (await webhooks.files.list()).find(({ id, user }) => id === params.id && user === caller.user);
      if (known === undefined || !(await webhooks.files.remove(known.id))) throw notFound("There is no such webhook.");
      await desk.audit("", "webhook_removed", { webhook: known.id, by: callerText(caller, connection) });
      return { status: 204 };
    },
  );
}

function wireHook({ id, url, events, createdAt }: Webhook) {
  return { id, url, events: [...events], created_at: createdAt };
}
