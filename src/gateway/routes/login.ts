/** How a browser becomes a caller: a link that works once, or a token typed into the console. */
import { z } from "@hono/zod-openapi";
import type { Authenticator } from "../auth/authenticate.ts";
import type { BrowserSessions } from "../auth/browser-sessions.ts";
import type { Caller } from "../auth/scopes.ts";
import { scopes } from "../auth/scopes.ts";
import { Problem } from "../problem.ts";
import type { App, Router } from "../router.ts";

export interface LoginParts {
  readonly app: App;
  readonly router: Router;
  readonly browsers: BrowserSessions;
  readonly authenticator: Authenticator;
  /** Where links lead. */
  origin(): string;
}

const meSchema = z
  .object({
    user_id: z.string(),
    scopes: z.array(z.enum(scopes)),
  })
  .openapi("Me");

/** Sent with every request as `X-CSRF-Token`, reads included. It is never given out again. */
const loggedInSchema = meSchema.extend({ csrf_token: z.string() }).openapi("LoggedIn");

const loginSchema = z
  .union([z.strictObject({ token: z.string().min(1).max(4096) }), z.strictObject({ claim: z.string().min(1).max(200) })])
  .openapi("Login");

export function addLogin({ app, router, browsers, authenticator, origin }: LoginParts): void {
  /**
   * The code leaves the address bar at once: the answer leads to the page itself. The page fetches its half of the session
   * by the claim, which is in the fragment, so that no server sees it; it works once, with the cookie.
   */
  app.get("/login", async (c) => {
    const token = browsers.redeem(c.req.query("code") ?? "");
    if (token === undefined)
      throw new Problem(403, "forbidden", "This link was used already, or is too old.", { details: { reason: "link" } });
    const opened = await browsers.open(await authenticator.sealed(token));
    return c.body(null, 303, { location: `/#claim=${browsers.makeClaim(opened)}`, "set-cookie": opened.cookie });
  });

  router.add(
    {
      method: "post",
      path: "/login",
      operationId: "login",
      summary: "Makes a browser a caller: by a token that was typed in, or by the claim of a login link that it followed.",
      scope: "open",
      body: loginSchema,
      answers: { 200: { description: "Cookie and CSRF token hold together.", schema: loggedInSchema } },
    },
    async ({ body, header }) => {
      if ("claim" in body) {
        const csrf = browsers.claim(header("cookie"), body.claim);
        const caller = await authenticator.callerOf({ method: "GET", authorization: undefined, cookie: header("cookie"), csrf });
        return { status: 200, body: { ...whoIs(caller), csrf_token: csrf } };
      }
      const bearer = { method: "POST", authorization: `Bearer ${body.token}`, cookie: undefined, csrf: undefined };
      const caller = await authenticator.callerOf(bearer);
      const { cookie, csrf } = await browsers.open(await authenticator.sealed(caller.token));
      return { status: 200, body: { ...whoIs(caller), csrf_token: csrf }, headers: { "set-cookie": cookie } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/logout",
      operationId: "logout",
      summary: "Ends the browser's session.",
      scope: "read",
      answers: { 204: { description: "The cookie is gone." } },
    },
    async ({ header }) => ({ status: 204, headers: { "set-cookie": await browsers.close(header("cookie")) } }),
  );

  router.add(
    {
      method: "get",
      path: "/me",
      operationId: "getMe",
      summary: "Who the caller is.",
      scope: "read",
      answers: { 200: { description: "The caller.", schema: meSchema } },
    },
    ({ caller }) => ({ status: 200, body: whoIs(caller) }),
  );

  router.add(
    {
      method: "post",
      path: "/login-links",
      operationId: "makeLoginLink",
      summary: "A link that logs one browser in once, with the rights of this token.",
      scope: "admin",
      answers: { 201: { description: "The link.", schema: z.object({ url: z.string() }).openapi("LoginLink") } },
    },
    ({ caller }) => ({ status: 201, body: { url: `${origin()}/login?code=${browsers.makeLink(caller.token)}` } }),
  );
}

function whoIs({ user, scopes: held }: Caller) {
  return { user_id: user, scopes: [...held] };
}
