/**
 * One table of routes: each names its scope, its inputs and every answer it can give. The table is at once what is
 * served, what is checked and what `openapi.json` says. Refuses (in this order) a foreign caller, a scope that is
 * missing, input that does not fit.
 */
import { createRoute, type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { Connection } from "../contract/index.ts";
import { type Caller, may, type Scope } from "./auth/scopes.ts";
import { depthOf, maxDepth } from "./guard/depth.ts";
import { invalid, lacksScope, Problem } from "./problem.ts";

export interface GatewayEnv {
  readonly Bindings: {
    readonly connection: Connection;
    readonly requestId: string;
    /** Of an answer that went straight to the connection. */
    sentStatus?: number;
    /** Whose ticket brought the request here. */
    readonly ticketHolder?: Caller;
  };
  readonly Variables: { caller: Caller };
}

export type App = OpenAPIHono<GatewayEnv>;

type Method = "get" | "post" | "patch" | "delete";

interface AnswerSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Server-sent events instead, if they are asked for. */
  readonly stream?: true;
}

export interface RouteSpec<P, Q, B> {
  readonly method: Method;
  /** Below `/api/v1`, parameters as `{id}`. */
  readonly path: string;
  /** The path is the whole path. */
  readonly root?: true;
  readonly operationId: string;
  readonly summary: string;
  /** `open`: reached without a token. */
  readonly scope: Scope | "open";
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  readonly body?: z.ZodType<B>;
  /** A body may be left out. */
  readonly bodyOptional?: boolean;
  /** A frame or a download may fetch it, by a ticket. */
  readonly byTicket?: true;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
}

export interface RouteRequest<P, Q, B> {
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly connection: Connection;
  readonly requestId: string;
  header(name: string): string | undefined;
  readonly env: GatewayEnv["Bindings"];
}

export type RouteAnswer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | Response
  /** The handler writes the answer itself, through `connection.stream`. */
  | "streamed";

const errorSchema = z
  .object({ error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }) })
  .openapi("Error");

const commonErrors: Readonly<Record<number, string>> = {
  400: "The request does not fit: `invalid_request`.",
  401: "No valid token: `unauthorized`.",
  403: "The token lacks the scope, or the request came from a foreign page.",
  404: "There is no such thing, or it belongs to another user.",
  405: "This path does not know the method; `Allow` says which ones it knows.",
  409: "It is no longer as the request supposes.",
  413: "The body is too long.",
  415: "The body is not JSON.",
  421: "The request was meant for another host.",
  429: "Too many requests; `Retry-After` says when to come back.",
  500: "A defect of Karyi.",
  503: "The state cannot be reached right now.",
};

/** An empty answer with the mark by which the server knows that everything was written already. */
const alreadySent = (): Response => new Response(null, { headers: { "x-hono-already-sent": "true" } });

/** Straight to the connection: a `Response` and the stream of its body cost more than the rest of a short request. */
function sendJson({ env }: Context<GatewayEnv>, status: number, headers: Readonly<Record<string, string>>, body: object): Response {
  env.connection.answer(status, { "content-type": "application/json", ...headers }, JSON.stringify(body));
  env.sentStatus = status;
  return alreadySent();
}

export class Router {
  readonly app: App;
  readonly #routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  readonly #byTicket: RegExp[] = [];
  readonly #prefix: string;

  constructor(app: App, prefix: string) {
    this.app = app;
    this.#prefix = prefix;
  }

  add<P = unknown, Q = unknown, B = unknown>(
    spec: RouteSpec<P, Q, B>,
    handle: (request: RouteRequest<P, Q, B>) => Promise<RouteAnswer> | RouteAnswer,
  ): void {
    const path = spec.root ? spec.path : `${this.#prefix}${spec.path}`;
    this.note(spec.method, path);
    if (spec.byTicket) this.#byTicket.push(patternOf(path));
    const route = createRoute(routeConfig(spec, path));
    const run = async (c: Context<GatewayEnv>): Promise<Response> => {
      const valid = (part: "param" | "query" | "json") => c.req.valid(part as never) as unknown;
      const body = spec.body === undefined ? undefined : valid("json");
      const answer = await handle({
        caller: c.get("caller"),
        params: (spec.params === undefined ? {} : valid("param")) as P,
        query: (spec.query === undefined ? {} : valid("query")) as Q,
        body: body as B,
        connection: c.env.connection,
        requestId: c.env.requestId,
        header: (name) => c.req.header(name),
        env: c.env,
      });
      if (answer === "streamed") return alreadySent();
      if (answer instanceof Response) return answer;
      const headers = answer.headers ?? {};
      if (answer.body === undefined) return c.body(null, answer.status as 204, headers);
      if (typeof answer.body === "string") return c.body(answer.body, answer.status as 200, headers);
      return sendJson(c, answer.status, headers, answer.body as object);
    };
    // The table's own types say what a handler may answer, so hono's inference of it is not needed.
    this.app.openapi({ ...route, middleware: [requireScope(spec.scope), checkBody(spec)] }, run as never);
  }

  /** A path that is served, so that its other methods are told apart from what is not there. */
  note(method: Method, path: string): void {
    this.#routes.push({ method: method.toUpperCase(), pattern: patternOf(path) });
  }

  takesTicket(path: string): boolean {
    return this.#byTicket.some((pattern) => pattern.test(path));
  }

  /** Methods of the routes that a path fits; empty if it fits none. */
  methodsOf(path: string): readonly string[] {
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
  }
}

function requireScope(scope: RouteSpec<unknown, unknown, unknown>["scope"]): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    if (scope !== "open" && !may(c.get("caller"), scope)) throw lacksScope(scope);
    await next();
  };
}

/** A body is JSON of bounded depth: recursive code everywhere else may rely on that. */
function checkBody({ body, bodyOptional }: Pick<RouteSpec<unknown, unknown, unknown>, "bodyOptional"> & { readonly body?: unknown }) {
  const check: MiddlewareHandler<GatewayEnv> = async (c, next) => {
    if (body === undefined) return next();
    const isThere = Number(c.req.header("content-length") ?? 0) > 0 || c.req.header("transfer-encoding") !== undefined;
    if (!isThere) {
      if (bodyOptional !== true) throw invalid("A JSON body is needed.");
      // An announced type without a body means no more than nothing at all.
      c.req.bodyCache.text = "{}";
      return next();
    }
    if (!isJson(c.req.header("content-type"))) {
      throw new Problem(415, "unsupported_media_type", "The body must be JSON: Content-Type: application/json.");
    }
    let parsed: unknown;
    try {
      parsed = await c.req.json();
    } catch {
      throw invalid("The body is not JSON.");
    }
    if (depthOf(parsed) > maxDepth) throw invalid(`The body is nested more than ${maxDepth} levels deep.`);
    await next();
  };
  return check;
}

function isJson(type: string | undefined): boolean {
  return /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i.test(type ?? "");
}

function routeConfig<P, Q, B>(spec: RouteSpec<P, Q, B>, path: string): RouteConfig {
  const answers = Object.entries(spec.answers).map(([status, { description, schema: given, contentType = "application/json", stream }]) => {
    const schema = given ?? (Number(status) >= 400 ? errorSchema : undefined);
    const content = schema === undefined ? {} : { [contentType]: { schema } };
    const all = stream === true ? { ...content, "text/event-stream": { schema: z.string() } } : content;
    return [status, { description, ...(Object.keys(all).length === 0 ? {} : { content: all }) }];
  });
  const errors = Object.entries(commonErrors).map(([status, description]) => [
    status,
    { description, content: { "application/json": { schema: errorSchema } } },
  ]);
  return {
    method: spec.method,
    path,
    operationId: spec.operationId,
    summary: spec.summary,
    description: spec.scope === "open" ? "Needs no token." : `Scope: \`${spec.scope}\`.`,
    security: spec.scope === "open" ? [] : [{ bearer: [] }],
    request: {
      ...(spec.params === undefined ? {} : { params: spec.params as never }),
      ...(spec.query === undefined ? {} : { query: spec.query as never }),
      ...(spec.body === undefined
        ? {}
        : { body: { required: spec.bodyOptional !== true, content: { "application/json": { schema: spec.body } } } }),
    },
    responses: { ...Object.fromEntries(errors), ...Object.fromEntries(answers) },
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+").replaceAll(".", "\\.")}$`);
}
