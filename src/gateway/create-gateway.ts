/**
 * The gateway: one table of routes under guards. A request passes, in this order: host, origin, caller, rate, route,
 * scope, body, input. Everything it answers has the same error shape and a request id.
 */
import { setMaxListeners } from "node:events";
import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Connection, Duplex, UpgradeAnswer, UpgradeRequest } from "../contract/index.ts";
import { Authenticator } from "./auth/authenticate.ts";
import { BrowserSessions } from "./auth/browser-sessions.ts";
import { type Caller, may } from "./auth/scopes.ts";
import { TokenBook } from "./auth/token-book.ts";
import { addConsole } from "./console.ts";
import { limitBody } from "./guard/body-limit.ts";
import { dataHeaders } from "./guard/headers.ts";
import { checkHost, checkOrigin, ownNames } from "./guard/host-origin.ts";
import { RateLimit } from "./guard/rate-limit.ts";
import { Metrics } from "./metrics.ts";
import type { GatewayOptions } from "./ports.ts";
import { invalid, lacksScope, notFound, Problem, problemOf } from "./problem.ts";
import { addProcessRoute } from "./process/route.ts";
import { type App, type GatewayEnv, Router } from "./router.ts";
import { addApprovalRoutes } from "./routes/approvals.ts";
import { addArtifactRoutes } from "./routes/artifacts.ts";
import { addAuditRoutes } from "./routes/audit.ts";
import { addCallRoutes } from "./routes/calls.ts";
import { addChangeRoutes } from "./routes/changes.ts";
import type { Routes } from "./routes/context.ts";
import { addEventRoutes } from "./routes/events.ts";
import { addLogin } from "./routes/login.ts";
import { addOverviewRoutes } from "./routes/overview.ts";
import { addPolicyRoutes } from "./routes/policy.ts";
import { addRunRoutes } from "./routes/runs.ts";
import { addSessionLifeRoutes } from "./routes/session-life.ts";
import { addSessionRoutes } from "./routes/sessions.ts";
import { addTicketRoutes } from "./routes/tickets.ts";
import { addTokenRoutes } from "./routes/tokens.ts";
import { addValueRoutes } from "./routes/values.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import { addWorkRoutes } from "./routes/work.ts";
import { Sessions } from "./sessions.ts";
import { EventHub } from "./stream/event-hub.ts";
import { Inbox } from "./stream/inbox.ts";
import { encodeEvent } from "./stream/sse.ts";
import { TerminalRoom } from "./terminal.ts";
import { Webhooks } from "./webhooks.ts";
import { wireEvent, wireSessionId } from "./wire/convert.ts";

export interface Gateway {
  fetch(request: Request, connection: Connection): Promise<Response>;
  upgrade(request: UpgradeRequest): Promise<UpgradeAnswer>;
  /** The answer to what could not be read as a request. */
  malformed(status: number): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
  /** Goes on with the runs that an earlier server left unfinished. */
  goOn(): Promise<void>;
  /** A link that logs a browser in once, as the token of this name. */
  loginLink(token: string): string;
  /** Streams end, and calls that are under way are told to. */
  close(): Promise<void>;
}

const prefix = "/api/v1";
const terminalPath = /^\/api\/v1\/sessions\/([^/?]+)\/terminal(?:\?.*)?$/;
/** Reached without a token: the address of a ticket says by itself who comes. */
const open = /^\/api\/v1\/(?:login|tickets\/[^/]+)$/;

export function createGateway(options: GatewayOptions): Gateway {
  const { engine, desk, log, limits } = options;
  const closing = new AbortController();
  // Every open stream listens.
  setMaxListeners(0, closing.signal);
  const names = ownNames(options.host, options.port, options.hostNames);
  const tokens = new TokenBook(options.tokens, options.ownTokens);
  const browsers = new BrowserSessions(options.browserSessions, options.now, options.port);
  const authenticator = new Authenticator(tokens, browsers);
  const rate = new RateLimit(limits.requestsPerMinute, options.now);
  const origin = (): string => `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${options.port()}`;
  const wireNames = new Map<string, string>();
  const underWay = new Set<Promise<unknown>>();

  const hub = new EventHub(
    {
      onEvent: (listener) => engine.onEvent(listener),
      changed: (signal) => engine.changed(signal),
      heads: (ids) => desk.eventHeads(ids),
      read: async (id, after, limit) => {
        if (!wireNames.has(id)) {
          const record = await desk.session(id);
          if (record === undefined) throw notFound("There is no such session.");
          wireNames.set(id, wireSessionId(record));
        }
        return desk.readEvents(id, after, limit);
      },
    },
    (event) => encodeEvent(event, () => wireEvent(event, wireNames.get(event.sessionId) ?? event.sessionId)),
  );
  const inbox = new Inbox({
    engine,
    values: options.values,
    sessionsOf: (owner) => desk.sessionsOf(owner),
    isRunning: async (id) => (await engine.runner.list(id)).some(({ outcome }) => outcome === undefined),
    log: (err) => log.error({ err }, "the inbox could not be read"),
  });

  const app: App = new OpenAPIHono<GatewayEnv>({
    strict: true,
    defaultHook: (result) => {
      if (result.success) return;
      const problems = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
      throw invalid(problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "), { problems });
    },
  });
  const router = new Router(app, prefix);

  app.onError((error, c) => {
    const problem = error instanceof HTTPException ? fromHono(error) : problemOf(error);
    if (problem.status >= 500) log.error({ err: error, request_id: c.env.requestId, path: c.req.path }, "a request failed");
    return c.json(problem.toJson(), problem.status as 400, problem.headers);
  });
  app.notFound((c) => {
    const methods = router.methodsOf(c.req.path);
    const problem =
      methods.length > 0
        ? new Problem(405, "method_not_allowed", `Here only ${methods.join(", ")} work.`, { headers: { allow: methods.join(", ") } })
        : notFound();
    return c.json(problem.toJson(), problem.status as 404, problem.headers);
  });

  app.use(async (c, next) => {
    checkHost(c.req.header("host"), names);
    checkOrigin(c.req.header("origin"), names);
    await next();
  });
  const letIn: MiddlewareHandler<GatewayEnv> = async (c, next) => {
    const { ticketHolder } = c.env;
    if (ticketHolder !== undefined) c.set("caller", ticketHolder);
    else if (!open.test(c.req.path)) {
      const caller = await authenticator.callerOf({
        method: c.req.method,
        authorization: c.req.header("authorization"),
        cookie: c.req.header("cookie"),
        csrf: c.req.header("x-csrf-token"),
      });
      c.set("caller", caller);
      rate.take(caller.token);
    } else rate.take(`open ${c.env.connection.remoteAddress}`);
    await next();
  };
  for (const path of ["/metrics", "/api/*", "/agent/*", "/mcp", "/mcp/*"]) app.use(path, letIn, limitBody(limits.maxBodyBytes));

  for (const path of ["/healthz", "/metrics", "/login"]) router.note("get", path);
  app.get("/healthz", (c) => c.json({ status: "ok", version: options.version }));

  const metrics = new Metrics([
    { name: "karyi_watched_sessions", help: "Sessions whose events somebody reads now.", read: () => hub.watched },
    {
      name: "karyi_pending_approvals",
      help: "Questions that wait for a person.",
      read: async () => (await engine.approvals("pending")).length,
    },
    { name: "karyi_sessions", help: "Sessions of all users.", read: async () => (await engine.listSessions()).length },
    { name: "karyi_resident_bytes", help: "Memory of the server.", read: () => options.residentBytes() },
  ]);
  const webhooks = new Webhooks(options);
  const isStillAllowed = (caller: Caller): Promise<boolean> => authenticator.isStillAllowed(caller);
  const terminals = new TerminalRoom({ ...options, isStillAllowed, goesOn: (sessionId) => inbox.terminalGoesOn(sessionId) });
  const routes: Routes = {
    ...options,
    router,
    sessions: new Sessions(options),
    hub,
    inbox,
    closing: closing.signal,
    isStillAllowed,
    later: (what, work) => {
      const watched = work.catch((err: unknown) => log.error({ err }, `${what} failed`)).finally(() => underWay.delete(watched));
      underWay.add(watched);
    },
  };
  addSessionRoutes(routes);
  addCallRoutes(routes);
  addApprovalRoutes(routes);
  addEventRoutes(routes);
  addOverviewRoutes(routes);
  addSessionLifeRoutes(routes);
  addRunRoutes(routes);
  addArtifactRoutes(routes);
  addWorkRoutes(routes);
  addValueRoutes(routes);
  addChangeRoutes(routes);
  addPolicyRoutes(routes);
  addAuditRoutes(routes);
  addWebhookRoutes(routes);
  addTokenRoutes(routes);
  addProcessRoute(routes);
  addLogin({ app, router, browsers, authenticator, origin });
  addTicketRoutes(routes, (path, headers, env) => app.fetch(new Request(`${origin()}${path}`, { headers }), env));
  router.add(
    {
      method: "get",
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "This document.",
      scope: "read",
      answers: { 200: { description: "OpenAPI 3.1.", schema: z.record(z.string(), z.unknown()) } },
    },
    () => ({ status: 200, body: openApiDocument(app, options.version) }),
  );
  app.get("/metrics", async (c) => {
    if (!may(c.get("caller"), "read")) throw lacksScope("read");
    return c.text(await metrics.text(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
  const { mcp } = options;
  if (mcp !== undefined) {
    app.all("/mcp", async (c) => {
      const caller = c.get("caller");
      if (!may(caller, "call")) throw lacksScope("call");
      return mcp(c.req.raw, caller);
    });
  }
  addConsole(app, options.console);

  return {
    async fetch(request, connection) {
      const requestId = options.newId();
      connection.header("x-request-id", requestId);
      for (const [name, value] of Object.entries(dataHeaders)) connection.header(name, value);
      const began = performance.now();
      const env: GatewayEnv["Bindings"] = { connection, requestId };
      const answer = await app.fetch(request, env);
      const status = env.sentStatus ?? answer.status;
      const seconds = (performance.now() - began) / 1000;
      metrics.note(request.method, status, seconds);
      options.onSpan?.({ name: `${request.method} ${pathOf(request)}`, status, seconds, requestId });
      if (request.method !== "GET")
        log.info(
          { request_id: requestId, method: request.method, path: pathOf(request), status, ms: Math.round(seconds * 1000) },
          "request",
        );
      return answer;
    },
    async upgrade(request) {
      try {
        checkHost(request.headers.host, names);
        checkOrigin(request.headers.origin, names);
        const { caller, protocol } = await authenticator.upgradeCallerOf(request.headers);
        rate.take(caller.token);
        const match = terminalPath.exec(request.url);
        if (match?.[1] === undefined) return refuseUpgrade(notFound());
        if (!may(caller, "read")) throw lacksScope("read");
        const record = await routes.sessions.get(caller, decodedName(match[1]));
        const connected = (duplex: Duplex): void => terminals.enter(record, caller, duplex);
        return { kind: "accepted", ...(protocol === undefined ? {} : { protocol }), connected };
      } catch (error) {
        return refuseUpgrade(problemOf(error));
      }
    },
    malformed: (status) => {
      const code = status === 431 ? "headers_too_large" : status === 408 ? "request_timeout" : "invalid_request";
      const body = JSON.stringify(new Problem(status, code, "This is not a request that can be read.").toJson());
      return { body, headers: { ...dataHeaders, "content-type": "application/json", "x-request-id": options.newId() } };
    },
    async goOn() {
      for (const { sessionId, runId } of await engine.runner.leftByServers()) {
        try {
          const record = await desk.session(sessionId);
          if (record !== undefined) await engine.runner.start(await desk.handle(record), { resume: true, runId });
        } catch (err) {
          // Such as a model without its key: the run stays as it is, for a later start.
          log.error({ err }, "a run could not go on");
        }
      }
    },
    loginLink: (token) => `${origin()}/login?code=${browsers.makeLink(token)}`,
    async close() {
      closing.abort();
      webhooks.close();
      terminals.close();
      inbox.close();
      hub.close();
      await Promise.all(underWay);
    },
  };

  function refuseUpgrade(problem: Problem): UpgradeAnswer {
    const headers = { ...dataHeaders, ...problem.headers, "content-type": "application/json", "x-request-id": options.newId() };
    return { kind: "refused", status: problem.status, body: JSON.stringify(problem.toJson()), headers };
  }
}

/** What is no name is the name of nothing. */
function decodedName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notFound("There is no such session.");
  }
}

/** Without the query, which may hold anything. */
function pathOf({ url }: Request): string {
  return new URL(url).pathname;
}

function fromHono(error: HTTPException): Problem {
  if (error.status === 415) return new Problem(415, "unsupported_media_type", "The body must be JSON: Content-Type: application/json.");
  return error.status === 400 ? invalid("The body is not JSON.") : problemOf(error);
}

function openApiDocument(app: App, version: string): object {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Karyi", version, description: "The tool engine for AI agents over HTTP." },
    servers: [{ url: "/" }],
  });
}
