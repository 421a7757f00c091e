/**
 * `/tokens`: the caller's own tokens. A token is shown once, when it is made; afterwards nobody can get it back. Tokens of
 * other users are theirs: they are not listed, and only the command of the machine makes them.
 */
import { z } from "@hono/zod-openapi";
import { callerText, scopes, type TokenEntry } from "../auth/scopes.ts";
import { makeTokenEntry, ownTokenName, tokenNamePattern } from "../auth/token-book.ts";
import { notFound, Problem } from "../problem.ts";
import type { Routes } from "./context.ts";

const tokenSchema = z
  .object({
    name: z.string(),
    scopes: z.array(z.enum(scopes)),
    user_id: z.string(),
    created_at: z.number(),
    /** `server`: made or given when the server started, so it ends with it and cannot be removed here. */
    origin: z.enum(["home", "server"]),
    /** The one that this request came with. */
    current: z.boolean(),
  })
  .openapi("Token");
const madeSchema = tokenSchema.extend({ token: z.string() }).openapi("MadeToken");
const newTokenBody = z
  .strictObject({
    name: z.string().regex(tokenNamePattern, "must be 1 to 64 letters, digits, `.`, `_` and `-`"),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
  })
  .openapi("NewToken");
const nameParam = z.object({ name: z.string().min(1).max(400) });

export function addTokenRoutes({ router, tokens, ownTokens, desk, now }: Routes): void {
  router.add(
    {
      method: "get",
      path: "/tokens",
      operationId: "listTokens",
      summary: "The caller's tokens, without the tokens themselves.",
      scope: "admin",
      answers: { 200: { description: "The tokens.", schema: z.object({ tokens: z.array(tokenSchema) }).openapi("TokenList") } },
    },
    async ({ caller }) => {
      const kept = (await tokens.list()).map((entry) => wireToken(entry, "home", caller.token));
      const own = ownTokens.map((entry) => wireToken(entry, "server", caller.token));
      return { status: 200, body: { tokens: [...own, ...kept].filter(({ user_id }) => user_id === caller.user) } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/tokens",
      operationId: "addToken",
      summary: "Makes a token for the caller. Only this answer holds it.",
      scope: "admin",
      body: newTokenBody,
      answers: { 201: { description: "The token.", schema: madeSchema } },
    },
    async ({ caller, body, connection }) => {
      const { token, entry } = makeTokenEntry({ ...body, user: caller.user }, now());
      if (body.name === ownTokenName || !(await tokens.add(body.name, entry))) {
        throw new Problem(409, "conflict", `There is a token '${body.name}' already.`, { details: { reason: "token_exists" } });
      }
      await desk.audit("", "token_added", { token: entry.name, scopes: [...entry.scopes], by: callerText(caller, connection) });
      return { status: 201, body: { ...wireToken(entry, "home", caller.token), token } };
    },
  );

  router.add(
    {
      method: "delete",
      path: "/tokens/{name}",
      operationId: "removeToken",
      summary: "Removes a token of the caller; what it opened ends.",
      scope: "admin",
      params: nameParam,
      answers: { 204: { description: "It is gone." } },
    },
    async ({ caller, params: { name }, connection }) => {
      if (ownTokens.some((entry) => entry.name === name && entry.user === caller.user)) {
        const message = "This token belongs to the running server; it ends when the server is started with another.";
        throw new Problem(409, "conflict", message, { details: { reason: "token_of_server" } });
      }
      const known = (await tokens.list()).find((entry) => entry.name === name && entry.user === caller.user);
      if (known === undefined || !(await tokens.remove(name))) throw notFound("There is no such token.");
      await desk.audit("", "token_removed", { token: name, by: callerText(caller, connection) });
      return { status: 204 };
    },
  );
}

function wireToken({ name, scopes: may, user, createdAt }: TokenEntry, origin: "home" | "server", current: string) {
  return { name, scopes: [...may], user_id: user, created_at: createdAt, origin, current: name === current };
}
