/** What keeps the gateway closed, point by point (docs/security.md), against a real server. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { addToken, removeToken } from "../src/compose/serving/index.ts";
import { cookieFor, followLink, ofPage, readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;
let port: number;

beforeAll(async () => {
  gateway = await startGateway();
  port = Number(new URL(gateway.url).port);
  await mkdir(join(gateway.home, "..", "console"), { recursive: true });
  await writeFile(join(gateway.home, "..", "console", "index.html"), "<!doctype html><title>Karyi</title>");
});

afterAll(() => gateway.close());

/** `fetch` cannot send a foreign Host, so this speaks HTTP itself. */
function raw(path: string, headers: Record<string, string>, method = "GET"): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => {
        body += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

const bearer = () => ({ authorization: `Bearer ${gateway.token}` });
const as = (token: string) => ({ authorization: `Bearer ${token}` });

describe("tokens", () => {
  test("are needed on loopback too, and one in the query is none", async () => {
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await raw("/api/v1/sessions", { host: `127.0.0.1:${port}` })).status).toBe(401);
    expect((await raw(`/api/v1/sessions?token=${gateway.token}&access_token=${gateway.token}`, { host: `127.0.0.1:${port}` })).status).toBe(
      401,
    );
    expect((await gateway.api("GET", "/sessions", undefined, { authorization: "Basic abc" })).status).toBe(401);
    expect((await gateway.api("GET", "/sessions", undefined, { authorization: `Bearer ${"x".repeat(5000)}` })).status).toBe(401);
  });

  test("are hashed at rest, and a running server follows what is added and removed", async () => {
    const { token } = await addToken(gateway.home, { name: "reader", scopes: ["read"], user: "local" });
    expect((await gateway.api("GET", "/me", undefined, as(token))).body).toEqual({ user_id: "local", scopes: ["read"] });
    expect(await readFile(join(gateway.home, "tokens", "reader.json"), "utf8")).not.toContain(token);
    await removeToken(gateway.home, "reader");
    expect((await gateway.api("GET", "/me", undefined, as(token))).status).toBe(401);
  });

  test("are listed, made and removed over the API by their own user alone, and shown once", async () => {
    const made = await gateway.api("POST", "/tokens", { name: "phone", scopes: ["read", "read", "approve"] });
    expect([made.status, made.body]).toEqual([
      201,
      {
        name: "phone",
        scopes: ["read", "approve"],
        user_id: "local",
        created_at: expect.any(Number),
        origin: "home",
        current: false,
        token: expect.stringMatching(/^karyi_/),
      },
    ]);
    const { token, ...kept } = made.body;
    expect((await gateway.api("GET", "/me", undefined, as(token))).body).toEqual({ user_id: "local", scopes: ["read", "approve"] });
    const { token: foreign } = await addToken(gateway.home, { name: "their-admin", scopes: ["admin"], user: "them" });
    const listed = await gateway.api("GET", "/tokens");
    expect(listed.body.tokens).toContainEqual(kept);
    expect(listed.body.tokens[0]).toMatchObject({ name: "serve", origin: "server", current: true });
    expect(listed.text).not.toContain(token);
    expect(listed.text).not.toContain("hash");
    expect(listed.text).not.toContain("their-admin");
    const theirs = await gateway.api("GET", "/tokens", undefined, as(foreign));
    expect(theirs.body.tokens).toMatchObject([{ name: "their-admin", user_id: "them", current: true }]);
    expect((await gateway.api("DELETE", "/tokens/phone", undefined, as(foreign))).status).toBe(404);
    expect((await gateway.api("GET", "/tokens", undefined, as(token))).status).toBe(403);
    expect((await gateway.api("POST", "/tokens", { name: "phone", scopes: ["read"] })).status).toBe(409);
    expect((await gateway.api("POST", "/tokens", { name: "serve", scopes: ["read"] })).status).toBe(409);
    for (const wrong of [{ name: "a/b", scopes: ["read"] }, { name: "x", scopes: [] }, { name: "x", scopes: ["root"] }, { name: "x" }]) {
      expect((await gateway.api("POST", "/tokens", wrong)).status).toBe(400);
    }
    expect((await gateway.api("DELETE", "/tokens/serve")).status).toBe(409);
    expect((await gateway.api("DELETE", "/tokens/phone")).status).toBe(204);
    expect((await gateway.api("DELETE", "/tokens/phone")).status).toBe(404);
    expect((await gateway.api("GET", "/me", undefined, as(token))).status).toBe(401);
    const audit = await gateway.api("GET", "/audit?kind=token_removed&order=desc");
    expect(audit.body.entries[0].body).toMatchObject({ token: "phone", by: expect.stringContaining("http:local serve") });
    await removeToken(gateway.home, "their-admin");
  });

  test("open only what their scopes say", async () => {
    await gateway.api("POST", "/sessions", { id: "scoped" });
    const { token: reader } = await addToken(gateway.home, { name: "only-read", scopes: ["read"], user: "local" });
    const { token: caller } = await addToken(gateway.home, { name: "read-call", scopes: ["read", "call"], user: "local" });
    const { token: approver } = await addToken(gateway.home, { name: "read-approve", scopes: ["read", "approve"], user: "local" });
    const write = { tool: "Write", input: { file_path: "x.txt", content: "x" } };
    expect((await gateway.api("POST", "/sessions/scoped/calls", write, as(reader))).status).toBe(403);
    expect((await gateway.api("POST", "/sessions/scoped/calls", write, as(caller))).status).toBe(202);
    const seen = (await gateway.api("GET", "/approvals?status=pending", undefined, as(caller))).body.approvals[0];
    expect(seen.nonce).toBeUndefined();
    const shown = (await gateway.api("GET", "/approvals?status=pending", undefined, as(approver))).body.approvals[0];
    expect(shown.nonce).toEqual(expect.any(String));
    const yes = { answer: "deny", nonce: shown.nonce };
    expect((await gateway.api("POST", `/approvals/${shown.id}/answer`, yes, as(caller))).status).toBe(403);
    expect((await gateway.api("POST", `/approvals/${shown.id}/answer`, yes, as(approver))).status).toBe(200);
    expect((await gateway.api("DELETE", "/sessions/scoped", undefined, as(caller))).status).toBe(403);
    expect((await gateway.api("GET", "/audit", undefined, as(approver))).status).toBe(403);
  });

  test("a session in another folder, or in a mode that asks less, needs the scope approve", async () => {
    const { token: caller } = await addToken(gateway.home, { name: "narrow", scopes: ["read", "call"], user: "narrow" });
    const { token: person } = await addToken(gateway.home, { name: "wide", scopes: ["call", "approve"], user: "narrow" });
    const status = async (body: object, token: string) => (await gateway.api("POST", "/sessions", body, as(token))).status;
    for (const body of [{ workspace: "/" }, { workspace: gateway.home }, { mode: "auto" }, { mode: "accept-edits" }])
      expect([body, await status(body, caller)]).toEqual([body, 403]);
    for (const body of [{}, { workspace: gateway.workspace }, { mode: "default" }, { mode: "plan" }])
      expect([body, await status(body, caller)]).toEqual([body, 201]);
    expect(await status({ workspace: "/var", mode: "auto" }, person)).toBe(201);
  });

  test("keep users apart: what is another's is not found, in lists, streams and answers", async () => {
    const { token: bob } = await addToken(gateway.home, { name: "bob", scopes: ["admin"], user: "bob" });
    await gateway.api("POST", "/sessions", { id: "alices" });
    await gateway.api("POST", "/sessions/alices/calls", {
      tool: "Write",
      input: { file_path: "y.txt", content: "y" },
      call_id: "alices-call",
    });
    const card = (await gateway.api("GET", "/approvals?session_id=alices")).body.approvals[0];
    for (const [method, path, body] of [
      ["GET", "/sessions/alices"],
      ["PATCH", "/sessions/alices", { mode: "auto" }],
      ["DELETE", "/sessions/alices"],
      ["GET", "/sessions/alices/events"],
      ["GET", "/events?sessions=alices"],
      ["GET", "/sessions/alices/calls/alices-call"],
      ["GET", "/sessions/alices/export"],
      ["GET", "/sessions/alices/changes"],
      ["GET", "/sessions/alices/artifacts"],
      ["POST", "/sessions/alices/calls", { tool: "Read", input: { file_path: "x" } }],
      ["POST", "/sessions/alices/fork"],
      ["GET", `/approvals/${card.id}`],
      ["POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce }],
    ] as const) {
      expect([path, (await gateway.api(method, path, body, as(bob))).status]).toEqual([path, 404]);
    }
    expect((await gateway.api("GET", "/sessions", undefined, as(bob))).body.sessions).toEqual([]);
    expect((await gateway.api("GET", "/approvals", undefined, as(bob))).body.approvals).toEqual([]);
    expect((await gateway.api("GET", "/counts", undefined, as(bob))).body).toMatchObject({ sessions: 0, waiting: 0 });
    expect((await gateway.api("GET", "/audit?limit=1000", undefined, as(bob))).text).not.toContain("alices-call");
    const own = await gateway.api("POST", "/sessions", { id: "alices" }, as(bob));
    expect([own.status, own.body.user_id]).toEqual([201, "bob"]);
  });

  test("a call id of another user's session is taken, not read", async () => {
    const { token: eve } = await addToken(gateway.home, { name: "eve", scopes: ["call", "read"], user: "eve" });
    await gateway.api("POST", "/sessions", { id: "eves" }, as(eve));
    const { body } = await gateway.api(
      "POST",
      "/sessions/eves/calls",
      { tool: "Write", input: { file_path: "y.txt", content: "y" }, call_id: "alices-call" },
      as(eve),
    );
    expect(body.error.code).toBe("tool_conflict");
  });
});

describe("host and origin", () => {
  test.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"])(
    "Host %s is refused",
    async (host) => {
      expect([400, 403, 421]).toContain((await raw("/api/v1/sessions", { ...bearer(), host })).status);
      expect([400, 403, 421]).toContain((await raw("/healthz", { host })).status);
    },
  );

  test.each(["https://evil.example", "null", "http://127.0.0.1:1", "file://", "http://localhost.evil.example"])(
    "Origin %s is refused",
    async (origin) => {
      expect((await raw("/api/v1/sessions", { ...bearer(), host: `127.0.0.1:${port}`, origin })).status).toBe(403);
    },
  );

  test("its own names are let in", async () => {
    for (const name of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect((await raw("/api/v1/sessions", { ...bearer(), host: name, origin: `http://${name}` })).status).toBe(200);
    }
  });
});

describe("the console's login", () => {
  const login = async () => followLink((await gateway.api("POST", "/login-links")).body.url);
  const asked = async (headers: Readonly<Record<string, string>>, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  };

  test("a link works once, gives a strict cookie, and leads to the page, which fetches the CSRF token once", async () => {
    const { url } = (await gateway.api("POST", "/login-links")).body;
    const first = await fetch(url, { redirect: "manual" });
    const cookie = first.headers.get("set-cookie") ?? "";
    expect([first.status, first.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/#claim=[\w-]{43}$/)]);
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect((await fetch(url, { redirect: "manual" })).status).toBe(403);
    const held = { cookie: cookie.split(";")[0] ?? "" };
    const claim = first.headers.get("location")?.slice("/#claim=".length);
    const stranger = await login();
    const { status, text } = await asked(held, "POST", "/api/v1/login", { claim });
    const { csrf_token, ...who } = JSON.parse(text);
    expect([status, who]).toEqual([200, { user_id: "local", scopes: ["admin"] }]);
    expect((await asked(held, "POST", "/api/v1/login", { claim })).status).toBe(401);
    const page = { ...held, "x-csrf-token": csrf_token };
    expect(JSON.parse((await asked(page, "GET", "/api/v1/me")).text)).toEqual(who);
    // A claim needs the cookie that came with it.
    const other = (await fetch((await gateway.api("POST", "/login-links")).body.url, { redirect: "manual" })).headers.get("location") ?? "";
    const ofAnother = await asked(ofPage(gateway.url, stranger), "POST", "/api/v1/login", { claim: other.slice("/#claim=".length) });
    expect(ofAnother.status).toBe(401);
    for (const wrong of [{}, { claim: "" }, { claim, token: "x" }])
      expect((await asked(held, "POST", "/api/v1/login", wrong)).status).toBe(400);
  });

  test("a program on another port that is sent the cookie can do nothing with it, reads and streams included", async () => {
    const browser = await login();
    // Cookies know no port: a browser that opens this program's page sends it the console's cookie.
    const theirs = createServer((request, answer) => answer.end(request.headers.cookie));
    await new Promise<void>((resolve) => theirs.listen(0, "127.0.0.1", resolve));
    const { port: theirPort } = theirs.address() as AddressInfo;
    const stolen = await (await fetch(`http://127.0.0.1:${theirPort}/`, { headers: { cookie: cookieFor(gateway.url, browser) } })).text();
    theirs.close();
    expect(stolen).toBe(cookieFor(gateway.url, browser));
    await gateway.api("POST", "/sessions", { id: "robbed" });
    await gateway.api("POST", "/sessions/robbed/calls", { tool: "Write", input: { file_path: "r.txt", content: "r" } });
    const card = (await gateway.api("GET", "/approvals?session_id=robbed")).body.approvals[0];
    const origin = { origin: gateway.url };
    for (const headers of [{ cookie: stolen }, { cookie: stolen, ...origin }, { cookie: stolen, ...origin, "x-csrf-token": "x" }]) {
      for (const path of [
        ...["/me", "/sessions", "/approvals", `/approvals/${card.id}`, "/values", "/tools", "/openapi.json", "/tokens"].map(
          (one) => `/api/v1${one}`,
        ),
        ...["/api/v1/events?inbox=1", "/api/v1/sessions/robbed/events", "/api/v1/sessions/robbed/export", "/metrics", "/mcp"],
      ]) {
        const { status, text } = await asked(headers, "GET", path);
        expect([path, status]).toEqual([path, 401]);
        expect(text).not.toContain(browser.csrf);
      }
      for (const [path, body] of [
        [`/api/v1/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce }],
        ["/api/v1/sessions", {}],
        ["/api/v1/login-links", {}],
        ["/api/v1/tickets", { path: "/sessions/robbed/export" }],
        ["/api/v1/logout", {}],
        ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
      ] as const)
        expect([path, (await asked(headers, "POST", path, body)).status]).toEqual([path, 403]);
      for (const body of [{ claim: "x" }, { claim: browser.csrf }, { token: browser.cookie }])
        expect((await asked(headers, "POST", "/api/v1/login", body)).status).toBe(401);
    }
    const upgrade = (protocols: string[]) =>
      new Promise<number>((resolve) => {
        const address = `${gateway.url.replace("http", "ws")}/api/v1/sessions/robbed/terminal`;
        const line = new WebSocket(address, protocols, { origin: gateway.url, headers: { cookie: stolen } });
        line.on("unexpected-response", (_, answer) => resolve(answer.statusCode ?? 0));
        line.on("error", () => {});
        line.on("open", () => {
          line.close();
          resolve(101);
        });
      });
    expect(await upgrade(["karyi.terminal"])).toBe(401);
    expect(await upgrade(["karyi.terminal", "karyi.csrf.x"])).toBe(401);
    expect(await upgrade(["karyi.terminal", `karyi.csrf.${browser.csrf}`])).toBe(101);
    // The page itself goes on: nothing of that ended its session.
    const { status, text } = await asked(ofPage(gateway.url, browser), "GET", `/api/v1/approvals/${card.id}`);
    expect([status, JSON.parse(text).status]).toEqual([200, "pending"]);
  });

  test("the CSRF token alone is no login, and neither is that of another session", async () => {
    const [mine, other] = [await login(), await login()];
    expect((await asked({ "x-csrf-token": mine.csrf }, "GET", "/api/v1/me")).status).toBe(401);
    expect((await asked(ofPage(gateway.url, { ...mine, csrf: other.csrf }), "GET", "/api/v1/me")).status).toBe(401);
    expect((await asked(ofPage(gateway.url, { ...mine, csrf: other.csrf }), "POST", "/api/v1/sessions", {})).status).toBe(403);
    expect((await asked(ofPage(gateway.url, mine), "POST", "/api/v1/sessions", {})).status).toBe(201);
  });

  test("two servers on one host do not take each other's cookie", async () => {
    const second = await startGateway();
    try {
      const [here, there] = [await login(), await followLink((await second.api("POST", "/login-links")).body.url)];
      const jar = `${cookieFor(gateway.url, here)}; ${cookieFor(second.url, there)}`;
      const me = async (address: string, csrf: string) =>
        (await fetch(`${address}/api/v1/me`, { headers: { cookie: jar, "x-csrf-token": csrf } })).status;
      expect(await Promise.all([me(gateway.url, here.csrf), me(second.url, there.csrf)])).toEqual([200, 200]);
      expect(await Promise.all([me(gateway.url, there.csrf), me(second.url, here.csrf)])).toEqual([401, 401]);
    } finally {
      await second.close();
    }
  });

  test("a logout ends the session and the terminal that it has open", async () => {
    const browser = await login();
    const page = ofPage(gateway.url, browser);
    await gateway.api("POST", "/sessions", { id: "left" });
    const address = `${gateway.url.replace("http", "ws")}/api/v1/sessions/left/terminal`;
    const protocols = ["karyi.terminal", `karyi.csrf.${browser.csrf}`];
    const line = new WebSocket(address, protocols, { origin: gateway.url, headers: { cookie: page.cookie } });
    await once(line, "open");
    expect(line.protocol).toBe("karyi.terminal");
    expect((await asked(page, "POST", "/api/v1/logout")).status).toBe(204);
    expect((await asked(page, "GET", "/api/v1/me")).status).toBe(401);
    const closed = once(line, "close");
    line.send(JSON.stringify({ type: "take" }));
    expect((await closed)[0]).toBe(1008);
  });

  test("a ticket fetches one address once, with the rights of whoever asked for it, while these hold", async () => {
    const browser = await login();
    const page = ofPage(gateway.url, browser);
    await gateway.api("POST", "/sessions", { id: "framed" });
    const input = { id: "p", title: "P", content: "<p>in a frame</p>", content_type: "html" };
    await gateway.api("POST", "/sessions/framed/calls", { tool: "CreateArtifact", input });
    const ticket = async (path: string) => asked(page, "POST", "/api/v1/tickets", { path });
    const address = async (path: string) => JSON.parse((await ticket(path)).text).url as string;
    const frame = await address("/sessions/framed/artifacts/p/page?version=1&scripts=1");
    const shown = await fetch(`${gateway.url}${frame}`);
    expect([shown.status, await shown.text(), shown.headers.get("content-type")]).toEqual([
      200,
      "<p>in a frame</p>",
      "text/html; charset=utf-8",
    ]);
    expect(shown.headers.get("content-security-policy")).toContain("sandbox allow-scripts; default-src 'none'");
    expect((await asked({}, "GET", frame)).status).toBe(404);
    const exported = await asked({}, "GET", await address("/sessions/framed/export"));
    expect(JSON.parse(exported.text).session.id).toBe("framed");
    for (const path of ["/me", "/approvals", "/events", "//evil.example/", "/../../metrics", "/sessions/framed/artifacts/p", "x"])
      expect([path, (await ticket(path)).status]).toEqual([path, 400]);
    const { token: foreign } = await addToken(gateway.home, { name: "foreign-frames", scopes: ["read"], user: "them" });
    const theirs = await gateway.api("POST", "/tickets", { path: "/sessions/framed/export" }, as(foreign));
    expect((await asked({}, "GET", theirs.body.url)).status).toBe(404);
    const late = await address("/sessions/framed/export");
    await asked(page, "POST", "/api/v1/logout");
    expect((await asked({}, "GET", late)).status).toBe(404);
  });

  test("the page has a strict policy; paths that are not pages are 404", async () => {
    const page = await fetch(`${gateway.url}/s/anything`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'",
    );
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource", "/.well-known/x"]) {
      const answer = await raw(path, { host: `127.0.0.1:${port}` });
      expect([path, answer.status, JSON.parse(answer.body).error.code]).toEqual([path, 404, "not_found"]);
    }
    expect((await gateway.api("GET", "/nothing")).status).toBe(404);
    expect((await gateway.request("GET", "/mcp/nothing")).status).toBe(404);
    expect((await gateway.request("GET", "/api/nothing")).status).toBe(404);
    expect((await fetch(`${gateway.url}/../../etc/passwd.txt`)).status).toBe(404);
    expect((await gateway.api("PUT", "/sessions")).status).toBe(405);
  });
});

describe("limits", () => {
  test("requests a minute are counted by token; Retry-After says when to come back", async () => {
    const small = await startGateway({ config: { gateway: { requestsPerMinute: 5 } } });
    try {
      const { token } = await addToken(small.home, { name: "other", scopes: ["read"], user: "local" });
      const statuses: number[] = [];
      for (let count = 0; count < 7; count += 1) statuses.push((await small.api("GET", "/me")).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
      const refused = await small.api("GET", "/me");
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(refused.body.error.code).toBe("too_many_requests");
      expect((await small.api("GET", "/me", undefined, as(token))).status).toBe(200);
    } finally {
      await small.close();
    }
  });

  test("headers are limited to 16 KiB, and what is no HTTP is answered in the same shape", async () => {
    expect((await raw("/healthz", { host: `127.0.0.1:${port}`, "x-long": "y".repeat(17_000) })).status).toBe(431);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.end("nonsense\r\n\r\n"));
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    expect(answer).toContain("HTTP/1.1 400");
    expect(answer).toContain('"invalid_request"');
  });

  test("a chunked body without a length is cut off at the limit, and deep bodies are refused", async () => {
    const small = await startGateway({ config: { gateway: { maxBodyBytes: 1000 } } });
    try {
      const body = new ReadableStream({
        start(controller) {
          for (let count = 0; count < 10; count += 1) controller.enqueue(new TextEncoder().encode("x".repeat(500)));
          controller.close();
        },
      });
      const init = { method: "POST", headers: { ...as(small.token), "content-type": "application/json" }, body, duplex: "half" };
      expect((await fetch(`${small.url}/api/v1/sessions`, init as RequestInit)).status).toBe(413);
    } finally {
      await small.close();
    }
    await gateway.api("POST", "/sessions", { id: "deep" });
    const input = `${'{"a":'.repeat(200)}1${"}".repeat(200)}`;
    expect((await gateway.api("POST", "/sessions/deep/calls", `{"tool":"Read","input":${input}}`)).status).toBe(400);
  });

  test("a stream ends when its token is removed", async () => {
    const { token } = await addToken(gateway.home, { name: "short-lived", scopes: ["read"], user: "local" });
    await gateway.api("POST", "/sessions", { id: "watched" });
    await removeToken(gateway.home, "short-lived");
    await expect(readEvents({ ...gateway, token, url: gateway.url }, "/api/v1/sessions/watched/events", () => false)).rejects.toThrow(
      "401",
    );
  });
});

describe("what the server runs", () => {
  test("no command can read the token: neither arguments nor environment of any process hold it", async () => {
    const secret = ["tok", "en", "nobody", "reads", randomUUID()].join("-");
    const bin = join(import.meta.dirname, "../bin/karyi.js");
    const args = [
      bin,
      "serve",
      "--json",
      "--port",
      "0",
      "--home",
      join(gateway.home, "..", "second"),
      "--workspace",
      gateway.workspace,
      "--enable-shell",
    ];
    const child = spawn(process.execPath, [...args, "--token", secret], {
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, KARYI_TOKEN: secret },
    });
    try {
      let text = "";
      for await (const chunk of child.stdout) {
        text += chunk;
        if (text.trimEnd().endsWith("}")) break;
      }
      const { address } = JSON.parse(text) as { address: string };
      const command =
        "for p in $(ls /pro*/ | grep -E '^[0-9]+$'); do tr '\\0' ' ' < /pro?/$p/cmdline; tr '\\0' '\\n' < /pro?/$p/environ; done 2>/dev/null; env";
      const call = { input: [], session_id: "s", user_id: "u", channel: "c", biz_params: { tool: { name: "shell", input: { command } } } };
      const answer = await fetch(`${address}/agent/process`, {
        method: "POST",
        headers: { ...as(secret), "content-type": "application/json" },
        body: JSON.stringify(call),
      });
      expect(await answer.text()).not.toContain(secret);
      const processes = await readProcesses();
      expect(processes.filter((one) => one.includes(secret))).toEqual([]);
    } finally {
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  });

  test("the token files and the state of the home are closed to every tool", async () => {
    await gateway.api("POST", "/sessions", { id: "curious", mode: "auto" });
    for (const path of [join(gateway.home, "tokens", "bob.json"), join(gateway.home, "state.db")]) {
      const { body } = await gateway.api("POST", "/sessions/curious/calls", { tool: "Read", input: { file_path: path } });
      expect(body.status).toBe("denied");
    }
  });
});

async function readProcesses(): Promise<readonly string[]> {
  const { readdir } = await import("node:fs/promises");
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const texts = ids.flatMap((id) => [`/proc/${id}/cmdline`, `/proc/${id}/environ`]).map((path) => readFile(path, "utf8").catch(() => ""));
  return Promise.all(texts);
}
