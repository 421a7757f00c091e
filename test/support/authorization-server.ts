/** A real MCP server over HTTP behind a real authorization server, both on loopback: discovery, registration, PKCE, rotation. */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Guarded {
  readonly url: string;
  readonly issuer: string;
  /** What was asked of the authorization server's token endpoint. */
  readonly grants: URLSearchParams[];
  /** Bearer tokens that reached the MCP server. */
  readonly bearers: (string | undefined)[];
  /** Everything that was ever handed out and must stay secret. */
  readonly secrets: string[];
  /** No access token is good any more. */
  expire(): void;
  /** No refresh token either. */
  revoke(): void;
  /** A tool call needs this beside what the login was for. */
  demand(scope: string): void;
  /** `iss` of the next redirect. */
  say(iss: string): void;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function json(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

async function listening(handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function guardedServer(client?: { readonly id: string; readonly secret: string }): Promise<Guarded> {
  const grants: URLSearchParams[] = [];
  const bearers: (string | undefined)[] = [];
  const secrets: string[] = [];
  const clients = new Map<string, string>(client === undefined ? [] : [[client.id, client.secret]]);
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly scope: string }>();
  let access = new Map<string, string>();
  let refresh = new Map<string, string>();
  let demanded: string | undefined;
  let issued: string | undefined;
  const secret = (kind: string) => {
    const made = `${kind}-${randomBytes(18).toString("base64url")}`;
    secrets.push(made);
    return made;
  };
  const tokensFor = (scope: string, isRenewable: boolean) => {
    const tokens = { access_token: secret("access"), refresh_token: secret("refresh") };
    access.set(tokens.access_token, scope);
    if (!isRenewable) return { access_token: tokens.access_token, token_type: "Bearer", scope };
    refresh.set(tokens.refresh_token, scope);
    return { ...tokens, token_type: "Bearer", scope };
  };

  const issuer: string = await listening(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (pathname === "/.well-known/oauth-authorization-server") {
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (pathname === "/register") {
      const id = randomBytes(6).toString("hex");
      clients.set(id, secret("client"));
      return json(response, { ...JSON.parse(await bodyOf(request)), client_id: id, client_secret: clients.get(id) }, 201);
    }
    if (pathname === "/authorize") {
      const redirect = searchParams.get("redirect_uri") ?? "";
      const code = secret("code");
      codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", redirect, scope: searchParams.get("scope") ?? "" });
      const back = new URL(redirect);
      back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: issued ?? issuer }).toString();
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (pathname !== "/token") return json(response, {}, 404);
    const asked = new URLSearchParams(await bodyOf(request));
    grants.push(asked);
    const given = (name: string) => asked.get(name) ?? "";
    if (clients.get(given("client_id")) !== given("client_secret")) return json(response, { error: "invalid_client" }, 401);
    if (given("grant_type") === "client_credentials") return json(response, tokensFor(given("scope"), false));
    if (given("grant_type") === "refresh_token") {
      const scope = refresh.get(given("refresh_token"));
      refresh.delete(given("refresh_token"));
      return scope === undefined ? json(response, { error: "invalid_grant" }, 400) : json(response, tokensFor(scope, true));
    }
    const code = codes.get(given("code"));
    codes.delete(given("code"));
    const isProven = createHash("sha256").update(given("code_verifier")).digest("base64url") === code?.challenge;
    if (code === undefined || !isProven || given("redirect_uri") !== code.redirect) return json(response, { error: "invalid_grant" }, 400);
    return json(response, tokensFor(code.scope, true));
  });

  const resource: string = await listening(async (request, response) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource"))
      return json(response, { resource: `${resource}/mcp`, authorization_servers: [issuer] });
    if (request.method !== "POST") return void response.writeHead(405).end();
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    bearers.push(bearer);
    const scope = access.get(bearer ?? "");
    const metadata = `resource_metadata="${resource}/.well-known/oauth-protected-resource/mcp"`;
    if (scope === undefined) return json(response, {}, 401, { "www-authenticate": `Bearer scope="read", ${metadata}` });
    const { id, method, params } = JSON.parse(await bodyOf(request));
    if (method === "tools/call" && demanded !== undefined && !scope.split(" ").includes(demanded))
      return json(response, {}, 403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${demanded}", ${metadata}` });
    if (id === undefined) return void response.writeHead(202).end();
    const answers: Record<string, () => unknown> = {
      initialize: () => ({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1" },
      }),
      "tools/list": () => ({ tools: [{ name: "echo", inputSchema: { type: "object" } }] }),
      // A server that says what it was sent.
      "tools/call": () => ({ content: [{ type: "text", text: `${params.arguments.text} by ${bearer}` }] }),
    };
    const answer = answers[method];
    if (answer === undefined) return json(response, { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
    json(response, { jsonrpc: "2.0", id, result: answer() });
  });

  return {
    url: `${resource}/mcp`,
    issuer,
    grants,
    bearers,
    secrets,
    expire: () => {
      access = new Map();
    },
    revoke: () => {
      access = new Map();
      refresh = new Map();
    },
    demand: (scope) => {
      demanded = scope;
    },
    say: (iss) => {
      issued = iss;
    },
  };
}
