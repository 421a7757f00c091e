/**
 * MCP over HTTP: each request of 2026 stands for itself; clients of 2025 get a session, kept while it is used. Sees requests
 * after host, origin and token were checked. Refuses a session to anybody but the user who began it.
 */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { JsonObject, JsonSchema } from "../../contract/index.ts";
import { headerMismatch } from "../parameter-headers.ts";
import { createServer } from "./create-server.ts";
import { StreamMemory } from "./stream-memory.ts";
import type { Surface } from "./surface.ts";

export interface HttpFrontOptions {
  /** The tools of a user. */
  surface(user: string): Promise<Surface>;
  readonly maxBodyBytes: number;
  now(): number;
  log(message: string): void;
}

interface OpenSession {
  readonly user: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  usedAt: number;
}

/** Of the protocol: `HeaderMismatch`. */
const headersDisagree = -32020;
const maxSessions = 500;
const idleMs = 60 * 60 * 1000;
/** When a client whose line broke comes back. */
const retryMs = 1_000;

export class HttpFront {
  readonly #options: HttpFrontOptions;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #modern: McpHttpHandler;

  constructor(options: HttpFrontOptions) {
    this.#options = options;
    this.#modern = createMcpHandler(async ({ authInfo }) => createServer(await options.surface(authInfo?.clientId ?? ""), "modern"), {
      legacy: "reject",
      maxRequestBodySize: options.maxBodyBytes,
      onerror: (error) => options.log(error.message),
    });
  }

  async handle(request: Request, user: string): Promise<Response> {
    const { maxBodyBytes } = this.#options;
    const isLegacy = await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes });
    if (!isLegacy) {
      const refusal = await this.#refusal(request, user);
      return refusal ?? this.#modern.fetch(request, { authInfo: { token: "", clientId: user, scopes: [] } });
    }
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request, user);
    const session = this.#sessions.get(id);
    if (session === undefined || session.user !== user) return gone();
    session.usedAt = this.#options.now();
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.close()));
    this.#sessions.clear();
  }

  /** Of a call whose headers say something else than its body. The size of the body was looked at before. */
  async #refusal(request: Request, user: string): Promise<Response | undefined> {
    if (request.headers.get("mcp-method") !== "tools/call") return undefined;
    const message = (await request
      .clone()
      .json()
      .catch(() => undefined)) as
      | { readonly id?: unknown; readonly params?: { readonly name?: unknown; readonly arguments?: unknown } }
      | undefined;
    const { name, arguments: args } = message?.params ?? {};
    const tool = (await (await this.#options.surface(user)).tools()).find((shown) => shown.name === name);
    if (tool === undefined || typeof args !== "object" || args === null) return undefined;
    const mismatch = headerMismatch(tool.inputSchema as JsonSchema, args as JsonObject, request.headers);
    if (mismatch === undefined) return undefined;
    const error = { code: headersDisagree, message: `The headers and the body disagree: ${mismatch.body}.`, data: { mismatch } };
    return Response.json({ jsonrpc: "2.0", id: message?.id ?? null, error }, { status: 400 });
  }

  /** What is no greeting is refused by a transport of its own: no session is made for it, here or in the engine. */
  async #begin(request: Request, user: string): Promise<Response> {
    const { surface, maxBodyBytes, now } = this.#options;
    if (!(await isGreeting(request))) return refusing().handleRequest(request);
    await this.#forgetIdle();
    const server = createServer(await surface(user), "legacy");
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: maxBodyBytes,
      eventStore: new StreamMemory(),
      retryInterval: retryMs,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { user, transport, server, usedAt: now() });
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    const isKept = transport.sessionId !== undefined && this.#sessions.has(transport.sessionId);
    if (!isKept) await server.close();
    return response;
  }

  async #forgetIdle(): Promise<void> {
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    const surplus = Math.max(0, oldest.length - maxSessions + 1);
    const idle = oldest.filter(([, { usedAt }], index) => index < surplus || usedAt < this.#options.now() - idleMs);
    for (const [id, { server }] of idle) {
      this.#sessions.delete(id);
      await server.close();
    }
  }
}

/** Only this opens a session, and only for a client that can read the answer. */
async function isGreeting(request: Request): Promise<boolean> {
  const accept = request.headers.get("accept") ?? "";
  if (request.method !== "POST" || !accept.includes("application/json") || !accept.includes("text/event-stream")) return false;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  return [body].flat().some((one) => (one as { readonly method?: unknown } | null | undefined)?.method === "initialize");
}

/** A client answers this with a new greeting. */
function gone(): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" }, id: null }, { status: 404 });
}

/** Nobody was greeted here, so it takes nothing. */
function refusing(): WebStandardStreamableHTTPServerTransport {
  return new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
}
