/** OpenAI's Responses API through its package: what `openai/MODEL` speaks without a base URL of one's own. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import { expect, it, onTestFinished, vi } from "vitest";
import type { KaryiEvent, RunOutcome, RunRequest, SessionHandle } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import { type ModelServer, modelServer, type Reply } from "./support/models/server.ts";

const read = { name: "Read", input: { file_path: "a.txt" } };

/** What goes to OpenAI goes to the local server instead. */
function redirect(server: ModelServer): void {
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", (input: string | URL | Request, init?: RequestInit) =>
    real(String(input).replace("https://api.openai.com", server.url), init),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
}

async function finished(session: SessionHandle, request: RunRequest): Promise<{ outcome: RunOutcome; events: KaryiEvent[] }> {
  const events: KaryiEvent[] = [];
  const run = session.run(request);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { outcome: value, events };
    events.push(value);
  }
}

async function run(replies: readonly Reply[], options: object = {}) {
  const server = await modelServer("responses", replies);
  redirect(server);
  const providers = { openai: { models: { "gpt-5": { options: { ...options } } } } };
  const { engine, workspace } = await testEngine({ config: { providers }, env: { PATH: process.env.PATH, OPENAI_API_KEY: "k" } });
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  const session = await engine.openSession({ id: "s" });
  const done = await finished(session, { prompt: "do it", model: "openai/gpt-5" });
  expect(server.refused).toEqual([]);
  return { ...done, session, server };
}

it("answers calls in their turn, keeps nothing there, and thoughts go back sealed", async () => {
  const { outcome, events, server } = await run([
    { thinking: "hm", text: "Looking.", calls: [read, read] },
    { text: "It says alpha.", usage: { input: 20, output: 7, cacheRead: 3 } },
  ]);
  expect(outcome).toMatchObject({ status: "done", text: "It says alpha.", rounds: 2 });
  expect(outcome.usage).toEqual({ input_tokens: 30, output_tokens: 12, cache_read_tokens: 3, cache_write_tokens: 0 });
  expect(server.paths).toEqual(["/v1/responses", "/v1/responses"]);
  const second = server.requests[1].input as Record<string, unknown>[];
  expect(second.filter(({ type }) => type === "function_call_output")).toHaveLength(2);
  expect(second.find(({ type }) => type === "reasoning")).toMatchObject({ encrypted_content: "sealed-gpt-5" });
  expect(server.requests[1].input.slice(0, server.requests[0].input.length)).toEqual(server.requests[0].input);
  expect(server.requests[1].tools).toEqual(server.requests[0].tools);
  expect(events.flatMap((event) => (event.type === "thinking_delta" ? [event.body.text] : [])).join("")).toBe("hm");
});

it.each([
  ["429", { status: 429, headers: { "retry-after-ms": "1" } }],
  ["a cut connection", { text: "half of it", fault: "reset" }],
  ["a clean early end", { text: "half of it", fault: "early" }],
  ["an error event", { text: "half of it", fault: "error" }],
] as const)("tries again after %s", async (_, fault) => {
  const { outcome, events } = await run([fault as Reply, { text: "half of it and the rest" }]);
  expect(outcome).toMatchObject({ status: "done", text: "half of it and the rest", rounds: 1 });
  expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
});

it("calls that the output limit cut do not run; a filtered answer is refused; both can be followed", async () => {
  const cut: Reply = { calls: [{ name: "Write", input: '{"file_path":"b.txt","content":"half' }], stop: "length" };
  const { outcome, session, server, events } = await run([cut, { text: "ok" }, { text: "", stop: "refusal" }, { text: "yes" }]);
  const told = events.flatMap((event) => (event.type === "tool_result" ? [[event.body.tool, event.body.error?.details?.reason]] : []));
  expect([outcome.status, told]).toEqual(["done", [["Write", "cut_off"]]]);
  const again = async () => (await finished(session, { prompt: "more", model: "openai/gpt-5" })).outcome.status;
  expect([await again(), await again()]).toEqual(["refused", "done"]);
  expect(server.refused).toEqual([]);
});

it("the official client reads the server as it was meant", async () => {
  const server = await modelServer("responses", [{ text: "hello", calls: [{ id: "c1", name: "Read", input: { a: 1 } }] }]);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "k" });
  const response = await client.responses.stream({ model: "m", input: [{ role: "user", content: "x" }], store: false }).finalResponse();
  expect(response.output_text).toBe("hello");
  expect(response.output.at(-1)).toMatchObject({ type: "function_call", call_id: "c1", arguments: '{"a":1}' });
});
