/** `/api/v1` against a real server: every route, every answer held against the server's own OpenAPI document. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import createClient from "openapi-fetch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components, paths } from "../console/src/api/schema.ts";
import { schemaPath, typesOf } from "../scripts/api-types.mjs";
import { type ApiChecker, apiChecker } from "./support/api-document.ts";
import { readEvents, startGateway, type TestGateway } from "./support/gateway.ts";

let gateway: TestGateway;
let checker: ApiChecker;

beforeAll(async () => {
  gateway = await startGateway();
  checker = await apiChecker(gateway);
  await writeFile(join(gateway.workspace, "a.txt"), "one\n");
});

afterAll(() => gateway.close());

/** Asks, and holds the answer against the document. */
async function ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
  const answer = await gateway.api(method, path, body, headers);
  expect(checker.problems(method, `/api/v1${path}`, answer.status, answer.body)).toEqual([]);
  expect(answer.headers.get("x-request-id")).toBeTruthy();
  return answer;
}

const call = (session: string, tool: string, input: unknown, more: object = {}) =>
  ask("POST", `/sessions/${session}/calls`, { tool, input, ...more });

async function pending(session: string) {
  const { body } = await ask("GET", `/approvals?status=pending&session_id=${session}`);
  return body.approvals[0];
}

async function answer(session: string, word: string, more: object = {}) {
  const { id, nonce } = await pending(session);
  return ask("POST", `/approvals/${id}/answer`, { answer: word, nonce, ...more });
}

describe("the document", () => {
  test("is OpenAPI 3.1 with a bearer scheme and an operationId of its own each", () => {
    const operations = Object.values(checker.document.paths).flatMap((item) => Object.values(item));
    expect(checker.document.openapi).toBe("3.1.0");
    expect(checker.document.components).toMatchObject({ securitySchemes: { bearer: { type: "http", scheme: "bearer" } } });
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(operations.length).toBeGreaterThan(40);
  });

  test("is what the console's types were made from: node scripts/api-types.mjs makes them anew", async () => {
    expect(await readFile(schemaPath, "utf8")).toBe(typesOf(checker.document));
  });

  test("is what a typed client speaks by", async () => {
    const client = createClient<paths>({ baseUrl: gateway.url, headers: { authorization: `Bearer ${gateway.token}` } });
    const made = await client.POST("/api/v1/sessions", { body: { id: "typed" } });
    const session: components["schemas"]["Session"] | undefined = made.data;
    expect(session?.id).toBe("typed");
    const read = await client.POST("/api/v1/sessions/{id}/calls", { params: { path: { id: "typed" } }, body: { tool: "Read", input: {} } });
    expect(read.data?.error?.code).toBe("invalid_tool_input");
    const missing = await client.GET("/api/v1/sessions/{id}", { params: { path: { id: "none" } } });
    expect(missing.error?.error.code).toBe("not_found");
  });
});

describe("sessions", () => {
  test("are made, opened again, listed by page, changed, forked, exported and deleted", async () => {
    const made = await ask("POST", "/sessions", { id: "life", mode: "accept-edits", model: "scripted/x" });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ id: "life", user_id: "local", channel: "local", mode: "accept-edits", model: "scripted/x" });
    expect((await ask("POST", "/sessions", { id: "life" })).status).toBe(200);
    expect((await ask("POST", "/sessions")).status).toBe(201);
    const first = await ask("GET", "/sessions?limit=1");
    expect(first.body.sessions).toHaveLength(1);
    const second = await ask("GET", `/sessions?limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body.sessions[0].id).not.toBe(first.body.sessions[0].id);
    expect((await ask("PATCH", "/sessions/life", { mode: "plan" })).body.mode).toBe("plan");
    await call("life", "Read", { file_path: "a.txt" });
    const forked = await ask("POST", "/sessions/life/fork", { id: "forked" });
    expect([forked.status, forked.body.id, forked.body.mode]).toEqual([201, "forked", "plan"]);
    expect((await ask("POST", "/sessions/life/fork", { id: "forked" })).status).toBe(409);
    const exported = (await ask("GET", "/sessions/life/export")).body;
    expect(exported.session.id).toBe("life");
    expect(exported.calls).toHaveLength(1);
    expect(exported.events.map(({ seq, type }: { seq: number; type: string }) => [seq, type])).toEqual([
      [1, "tool_call"],
      [2, "tool_result"],
    ]);
    expect((await ask("DELETE", "/sessions/forked")).status).toBe(204);
    expect((await ask("GET", "/sessions/forked")).status).toBe(404);
    expect((await ask("DELETE", "/sessions/forked")).status).toBe(404);
  });

  test.each([
    ["an id with a slash", { id: "a/b" }],
    ["an unknown mode", { mode: "wild" }],
    ["an unknown field", { color: "red" }],
    ["a workspace that is no directory", { workspace: "nowhere" }],
  ])("%s is 400", async (_, body) => {
    const { status, body: said } = await ask("POST", "/sessions", body);
    expect([status, typeof said.error.message]).toEqual([400, "string"]);
  });
});

describe("calls and approvals", () => {
  test("a failed call is a Result with 200, and the same call_id runs once", async () => {
    await ask("POST", "/sessions", { id: "calls" });
    const missing = await call("calls", "Read", { file_path: "none" });
    expect([missing.status, missing.body.status, missing.body.error.code]).toEqual([200, "error", "tool_not_found"]);
    const unknown = await call("calls", "NoSuchTool", {});
    expect([unknown.status, unknown.body.error.code]).toEqual([200, "tool_not_found"]);
    const once = await call("calls", "TaskCreate", { title: "one" }, { call_id: "same-1" });
    const again = await call("calls", "TaskCreate", { title: "one" }, { call_id: "same-1" });
    expect(again.body).toEqual(once.body);
    expect((await ask("GET", "/sessions/calls/tasks")).body.tasks).toHaveLength(1);
    expect((await ask("GET", "/sessions/calls/calls/same-1")).body).toEqual(once.body);
    expect((await ask("GET", "/sessions/calls/calls/none")).status).toBe(404);
    expect((await ask("GET", "/sessions/calls/calls?limit=2")).body.calls).toHaveLength(2);
  });

  test("a call that waits is 202; the nonce opens it once; undo has a preview and is a Result", async () => {
    await ask("POST", "/sessions", { id: "asked" });
    const waiting = await call("asked", "Write", { file_path: "b.txt", content: "two\n" }, { call_id: "write-b" });
    expect([waiting.status, waiting.body.status]).toEqual([202, "suspended"]);
    expect((await ask("GET", "/sessions/asked/calls/write-b")).body).toMatchObject({
      status: "suspended",
      approval_id: waiting.body.approval_id,
    });
    const card = await pending("asked");
    expect(card).toMatchObject({
      id: waiting.body.approval_id,
      session_id: "asked",
      call_id: "write-b",
      status: "pending",
      tool: "Write",
      effects: [{ effect: { kind: "write", path: "b.txt" }, verdict: "ask", rule: "builtin:inside" }],
      proposal: { rules: ["Edit(b.txt)"], examples: [{ rule: "Edit(b.txt)" }] },
      undo: { guarantee: "exact" },
    });
    expect((await ask("GET", `/approvals/${card.id}`)).body).toEqual(card);
    const wrong = await ask("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: "wrong" });
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "stale"]);
    const given = await ask("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce });
    expect([given.status, given.body.approval.answer, given.body.approval.answered_by]).toEqual([
      200,
      "once",
      expect.stringContaining("http:local"),
    ]);
    expect((await ask("POST", `/approvals/${card.id}/answer`, { answer: "deny", nonce: card.nonce })).status).toBe(409);
    const done = await readEvents(gateway, "/api/v1/sessions/asked/events", (all) => all.at(-1)?.event === "tool_result");
    expect(done.at(-1)?.data).toMatchObject({ call_id: "write-b", status: "ok" });
    expect(await readFile(join(gateway.workspace, "b.txt"), "utf8")).toBe("two\n");

    const changed = (await ask("GET", "/sessions/asked/changes")).body;
    expect(changed).toMatchObject({
      total: 1,
      files: [{ path: "b.txt", change: "created", before: "", after: "two\n", changed_by_others: false, call_ids: ["write-b"] }],
    });
    const preview = await ask("POST", "/sessions/asked/undo", { last: 1, dry_run: true });
    expect(preview.body).toMatchObject({
      status: "planned",
      files: [{ path: "b.txt", change: "deleted", before: "two\n", after: "", changed_by_others: false }],
    });
    const undone = await ask("POST", "/sessions/asked/calls/write-b/undo");
    expect(undone.body).toMatchObject({ status: "ok", tool: "Undo" });
    expect((await ask("GET", "/sessions/asked/changes")).body.total).toBe(0);
    const redo = await ask("POST", "/sessions/asked/undo", { call_ids: [undone.body.call_id] });
    expect(redo.body.status).toBe("ok");
    expect(await readFile(join(gateway.workspace, "b.txt"), "utf8")).toBe("two\n");
  });

  test("an undo preview marks what somebody else has changed since, and the undo keeps it", async () => {
    await ask("POST", "/sessions", { id: "foreign", mode: "accept-edits" });
    await call("foreign", "Write", { file_path: "mine.txt", content: "mine\n" }, { call_id: "write-mine" });
    await writeFile(join(gateway.workspace, "mine.txt"), "theirs\n");
    const preview = await ask("POST", "/sessions/foreign/undo", { call_ids: ["write-mine"], dry_run: true });
    expect(preview.body.files).toMatchObject([{ path: "mine.txt", changed_by_others: true, before: "theirs\n" }]);
    expect((await ask("POST", "/sessions/foreign/undo", { call_ids: ["write-mine"] })).body.error.code).toBe("tool_conflict");
    expect(await readFile(join(gateway.workspace, "mine.txt"), "utf8")).toBe("theirs\n");
    await rm(join(gateway.workspace, "mine.txt"));
  });

  test("a dry run changes nothing, and a denial hands the person's words over", async () => {
    await ask("POST", "/sessions", { id: "dry" });
    const planned = await call("dry", "Write", { file_path: "never.txt", content: "x" }, { dry_run: true });
    expect([planned.status, planned.body.status, planned.body.data.decision]).toEqual([200, "planned", "ask"]);
    await call("dry", "Write", { file_path: "never.txt", content: "x" }, { call_id: "denied" });
    await answer("dry", "deny", { words: "not here" });
    const result = await waitFor(async () => {
      const { body } = await ask("GET", "/sessions/dry/calls/denied");
      return body.status === "denied" ? body : undefined;
    });
    expect(result.error).toMatchObject({ code: "permission_denied", details: { words: "not here" } });
  });

  test("a plan that changed since the card was shown is stale", async () => {
    await ask("POST", "/sessions", { id: "stale" });
    await writeFile(join(gateway.workspace, "moving.txt"), "one\n");
    await call("stale", "Edit", { file_path: "moving.txt", old_string: "one", new_string: "two" }, { call_id: "edit-moving" });
    const card = await pending("stale");
    await writeFile(join(gateway.workspace, "moving.txt"), "one and more\n");
    const late = await ask("POST", `/approvals/${card.id}/answer`, { answer: "once", nonce: card.nonce });
    expect([late.status, late.body.error.code]).toEqual([409, "stale"]);
    const shown = await pending("stale");
    expect(shown.id).toBe(card.id);
    expect(shown.nonce).not.toBe(card.nonce);
    expect(shown.preview.text).toContain("two and more");
    expect((await answer("stale", "once")).status).toBe(200);
    await waitFor(async () => ((await ask("GET", "/sessions/stale/calls/edit-moving")).body.status === "ok" ? true : undefined));
    expect(await readFile(join(gateway.workspace, "moving.txt"), "utf8")).toBe("two and more\n");
  });
});

describe("artifacts", () => {
  test("are listed, shown by version, compared, reverted, and shown as pages without rights", async () => {
    await ask("POST", "/sessions", { id: "art" });
    await call("art", "CreateArtifact", { id: "page", title: "Page", content: "<p>one</p>", content_type: "html" });
    await call("art", "RewriteArtifact", { id: "page", content: "<p>two</p>" });
    expect((await ask("GET", "/sessions/art/artifacts")).body.artifacts).toEqual([
      { id: "page", title: "Page", content_type: "html", version: 2 },
    ]);
    const old = await ask("GET", "/sessions/art/artifacts/page?version=1");
    expect(old.body).toMatchObject({
      version: 1,
      latest_version: 2,
      content: "<p>one</p>",
      versions: [
        { version: 1, kind: "create" },
        { version: 2, kind: "rewrite" },
      ],
    });
    expect((await ask("GET", "/sessions/art/artifacts/page/diff?from=1&to=2")).body.diff).toContain("+<p>two</p>");
    expect((await ask("POST", "/sessions/art/artifacts/page/revert", { version: 1 })).body.status).toBe("ok");
    expect((await ask("GET", "/sessions/art/artifacts/page")).body).toMatchObject({ version: 3, content: "<p>one</p>" });
    const page = await gateway.api("GET", "/sessions/art/artifacts/page/page");
    expect(page.text).toBe("<p>one</p>");
    expect(page.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    expect((await ask("GET", "/sessions/art/artifacts/none")).status).toBe(404);
    expect((await ask("GET", "/sessions/art/artifacts/page?version=9")).status).toBe(404);
    expect((await ask("GET", "/sessions/art/artifacts/page?version=x")).status).toBe(400);
  });
});

describe("values", () => {
  test("are asked for by a call, given once, and in no event", async () => {
    await ask("POST", "/sessions", { id: "values" });
    const secret = ["s3cr3t", "value", "42"].join("-");
    const asked = call("values", "GetValue", { key: "API_TOKEN", reason: "to publish" });
    const request = await waitFor(async () => (await ask("GET", "/values")).body.values[0]);
    expect(request).toMatchObject({ session_id: "values", key: "API_TOKEN", reason: "to publish", once: false });
    expect((await ask("POST", `/values/${request.id}`, {})).status).toBe(400);
    expect((await ask("POST", `/values/${request.id}`, { value: secret })).status).toBe(204);
    expect((await ask("POST", `/values/${request.id}`, { value: secret })).status).toBe(404);
    expect((await asked).body.status).toBe("ok");
    const { text } = await gateway.api("GET", "/sessions/values/export");
    expect(text).not.toContain(secret);
    expect(text).toContain(request.id);
    expect((await gateway.api("GET", "/audit?limit=1000")).text).not.toContain(secret);
  });
});

describe("rules and explanations", () => {
  test("a rule is explained, replayed, added, holds at once, and is removed", async () => {
    await ask("POST", "/sessions", { id: "rules" });
    await call("rules", "Write", { file_path: "ruled.txt", content: "x" }, { call_id: "ruled" });
    await answer("rules", "deny");
    const explained = await ask("POST", "/policy/explain", { tool: "Write", input: { file_path: "ruled.txt", content: "x" } });
    expect(explained.body).toMatchObject({
      tool: "Write",
      mode: "default",
      decision: "ask",
      verdict: "ask",
      effects: [{ verdict: "ask", effect: { kind: "write", path: "ruled.txt" } }],
      modes: { plan: { verdict: "deny" }, default: { verdict: "ask" }, "accept-edits": { verdict: "allow" }, auto: { verdict: "allow" } },
    });
    expect((await ask("POST", "/policy/explain", { tool: "NoSuchTool", input: {} })).status).toBe(404);
    const replayed = await ask("POST", "/rules/replay", { rule: "Edit(ruled.txt)", session_id: "rules" });
    expect(replayed.body).toMatchObject({
      calls: [{ call_id: "ruled", before: "ask", after: "allow", answer: "deny" }],
      denied_would_run: 1,
      fewer_questions: 1,
    });
    expect((await ask("POST", "/rules", { rule: "Nonsense(" })).status).toBe(400);
    const added = await ask("POST", "/rules", { rule: "Edit(ruled.txt)" });
    expect([added.status, added.body.origin, added.body.list]).toEqual([201, "always", "allow"]);
    expect((await ask("GET", "/rules")).body.rules).toContainEqual(added.body);
    expect((await call("rules", "Write", { file_path: "ruled.txt", content: "x" })).body.status).toBe("ok");
    expect((await ask("DELETE", `/rules/${added.body.id}`)).status).toBe(204);
    expect((await ask("DELETE", `/rules/${added.body.id}`)).status).toBe(404);
    expect((await call("rules", "Write", { file_path: "ruled.txt", content: "y" })).status).toBe(202);
    const denied = await ask("POST", "/rules", { rule: "Read(hidden/**)", list: "deny", origin: "home" });
    expect((await call("rules", "Read", { file_path: "hidden/x" })).body.status).toBe("denied");
    expect((await ask("DELETE", `/rules/${denied.body.id}`)).status).toBe(204);
  });
});

describe("overview", () => {
  test("tools, counts, doctor, me and audit answer", async () => {
    const { tools } = (await ask("GET", "/tools")).body;
    expect(tools.find(({ name }: { name: string }) => name === "Read")).toMatchObject({ traits: { read_only: true } });
    expect((await ask("GET", "/counts")).body).toMatchObject({ sessions: expect.any(Number), waiting: expect.any(Number) });
    expect((await ask("GET", "/doctor")).body.checks.length).toBeGreaterThan(3);
    expect((await ask("GET", "/me")).body).toEqual({ user_id: "local", scopes: ["admin"] });
    const all = (await ask("GET", "/audit?limit=3")).body;
    expect(all.entries.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
    const next = (await ask("GET", `/audit?limit=3&cursor=${all.next_cursor}`)).body;
    expect(next.entries[0].seq).toBe(4);
    const newest = (await ask("GET", "/audit?limit=2&order=desc")).body;
    expect(newest.entries[0].seq).toBe(newest.entries[1].seq + 1);
    const answers = (await ask("GET", "/audit?kind=approval_answered&answer=deny")).body.entries;
    expect(answers.length).toBeGreaterThan(0);
    expect(answers[0].body).toMatchObject({ answered_by: expect.stringContaining("http:local serve 127.0.0.1") });
    expect((await ask("GET", "/audit/verify")).body).toMatchObject({ broken_at: null });
  });

  test("sub-agents of a session, and one that is not there", async () => {
    await ask("POST", "/sessions", { id: "agents" });
    expect((await ask("GET", "/sessions/agents/agents")).body).toEqual({ agents: [] });
    expect((await ask("POST", "/sessions/agents/agents/none/cancel")).status).toBe(404);
  });
});

async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}
