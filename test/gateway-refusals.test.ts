/** What the gateway refuses, and how: codes, methods, names that do not exist; and that what it refuses leaves nothing behind. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiChecker } from "./support/api-document.ts";
import { startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  const models = { small: {} };
  gateway = await startGateway({ config: { providers: { house: { type: "openai", baseUrl: "http://127.0.0.1:9/v1", models } } } });
});
afterAll(() => gateway.close());

const sessionIds = async () => (await gateway.api("GET", "/sessions")).body.sessions.map(({ id }: { readonly id: string }) => id);

describe("a session", () => {
  test.each([
    [{ agent: "nobody" }, "general"],
    [{ model: "nowhere/none" }, "house/small"],
    [{ model: "nonsense" }, "anthropic"],
  ])("of %j is 400 with the names there are, and is not made", async (wanted, named) => {
    const { status, body, text } = await gateway.api("POST", "/sessions", { id: "wrong", ...wanted });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    expect(text).toContain(named);
    expect(await sessionIds()).not.toContain("wrong");
  });

  test("of an agent and a model there are is made; one that lacks its key or its script may get it before the run", async () => {
    expect((await gateway.api("POST", "/sessions", { agent: "general", model: "house/small" })).status).toBe(201);
    expect((await gateway.api("POST", "/sessions", { id: "keyless", model: "anthropic/claude-x" })).status).toBe(201);
    expect((await gateway.api("POST", "/sessions", { model: "scripted/later.json" })).status).toBe(201);
    const again = await gateway.api("POST", "/sessions", { id: "keyless", model: "nowhere/none" });
    const changed = await gateway.api("PATCH", "/sessions/keyless", { model: "nowhere/none", mode: "plan" });
    expect([again.status, changed.status]).toEqual([400, 400]);
    expect((await gateway.api("GET", "/sessions/keyless")).body).toMatchObject({ model: "anthropic/claude-x", mode: "default" });
  });
});

describe("/mcp", () => {
  const json = "application/json, text/event-stream";
  test.each([
    ["GET", undefined, {}, 406],
    ["GET", undefined, { accept: "text/event-stream" }, 400],
    ["DELETE", undefined, {}, 400],
    ["POST", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { accept: json }, 400],
    ["POST", { jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, { accept: "text/plain" }, 406],
    ["POST", "no JSON", { accept: json }, 400],
  ])("%s %j with %j makes no session", async (method, body, headers, status) => {
    const answer = await gateway.request(method, "/mcp", body, headers);
    expect(answer.status).toBe(status);
    expect(await sessionIds()).not.toContain("mcp");
  });
});

describe("requests", () => {
  test("that do not fit are 400 invalid_request on every route, whatever is wrong with them", async () => {
    await gateway.api("POST", "/sessions", { id: "s" });
    for (const [method, path, body] of [
      ["POST", "/sessions", "{"],
      ["POST", "/sessions", { id: "a b" }],
      ["POST", "/sessions", { mode: "yolo" }],
      ["POST", "/sessions", { unknown: 1 }],
      ["GET", "/sessions?cursor=!"],
      ["GET", "/sessions?limit=0"],
      ["POST", "/sessions/s/calls", {}],
      ["POST", "/sessions/s/runs", { prompt: "" }],
      ["POST", "/sessions/s/runs", { prompt: "x", agent: "nobody" }],
      ["GET", "/approvals?status=other"],
      ["POST", "/approvals/x/answer", { answer: "perhaps", nonce: "x" }],
      ["POST", "/rules", { rule: "not a rule (" }],
      ["POST", "/rules/replay", { rule: "not a rule (" }],
      ["POST", "/tickets", {}],
      ["POST", "/login", { token: "" }],
    ] as const) {
      const { status, body: said } = await gateway.api(method, path, body);
      expect([method, path, status, said?.error?.code]).toEqual([method, path, 400, "invalid_request"]);
    }
  });

  test.each(["/healthz", "/metrics", "/login", "/agent/process", "/api/v1/sessions", "/api/v1/tickets/x"])(
    "of a method that %s does not know are 405 and say which ones it knows",
    async (path) => {
      const { status, body, headers } = await gateway.request("PUT", path, {});
      expect([status, body.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", expect.stringMatching(/GET|POST/)]);
    },
  );

  test("have their errors in the document, with the same body each, and 426 is as it says", async () => {
    const { document, problems } = await apiChecker(gateway);
    const bodies = [
      document.paths["/api/v1/sessions/{id}/terminal"]?.get?.responses["426"],
      document.paths["/agent/process"]?.post?.responses["499"],
      document.paths["/agent/process"]?.post?.responses["504"],
    ].map((response) => JSON.stringify(response?.content?.["application/json"]?.schema));
    const common = JSON.stringify(document.paths["/api/v1/me"]?.get?.responses["401"]?.content?.["application/json"]?.schema);
    expect(bodies).toEqual([common, common, common]);
    await gateway.api("POST", "/sessions", { id: "s" });
    const { status, body } = await gateway.api("GET", "/sessions/s/terminal");
    expect([status, problems("GET", "/api/v1/sessions/s/terminal", status, body)]).toEqual([426, []]);
  });
});
