/** Runs against local servers that speak the real wire formats, with every fault they can have. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { KaryiEvent, RunOutcome, RunRequest, SessionHandle } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import { type ModelServer, modelServer, type Reply } from "./support/models/server.ts";

type Format = "anthropic" | "chat";

async function sessionOn(server: ModelServer, format: Format, more: object = {}) {
  const settings = { baseUrl: server.url, apiKey: "k", idleTimeoutMs: 60_000, models: { m: { maxOutputTokens: 1000 }, n: {} }, ...more };
  const providers = format === "anthropic" ? { anthropic: settings } : { local: { type: "openai-compatible" as const, ...settings } };
  const { engine, workspace } = await testEngine({ config: { providers }, env: { PATH: process.env.PATH } });
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  const session = await engine.openSession({ id: "s" });
  return { engine, session, workspace, model: format === "anthropic" ? "anthropic/m" : "local/m" };
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

const read = { name: "Read", input: { file_path: "a.txt" } };
const write = { name: "Write", input: { file_path: "c.txt", content: "whole" } };

/** Each call of a stream with its status and what was wrong with it, in the order of the results. */
function callsTold(events: readonly KaryiEvent[]): unknown[] {
  const inputs = new Map(events.flatMap((event) => (event.type === "tool_call" ? [[event.callId, event.body.input] as const] : [])));
  return events.flatMap(({ type, callId, body }) =>
    type === "tool_result" ? [[body.tool, inputs.get(callId), body.status, body.error?.details?.reason]] : [],
  );
}

describe.each(["anthropic", "chat"] as const)("%s", (format) => {
  const run = async (replies: readonly Reply[], more: object = {}, request: Partial<RunRequest> = {}) => {
    const server = await modelServer(format, replies);
    const place = await sessionOn(server, format, more);
    const done = await finished(place.session, { prompt: "do it", model: place.model, ...request });
    expect(server.refused).toEqual([]);
    return { ...done, ...place, server };
  };

  it("answers calls in their turn and ends with the text and the tokens", async () => {
    const { outcome, server } = await run([
      { text: "Looking.", calls: [read, read] },
      { text: "It says alpha.", usage: { input: 20, output: 7, cacheRead: 3 } },
    ]);
    expect(outcome).toMatchObject({ status: "done", text: "It says alpha.", rounds: 2 });
    expect(outcome.usage).toEqual({ input_tokens: 30, output_tokens: 12, cache_read_tokens: 3, cache_write_tokens: 0 });
    expect(JSON.stringify(server.requests[1].messages.slice(-2))).toContain("alpha");
    expect(JSON.stringify(server.requests[1]).startsWith(JSON.stringify(server.requests[0]).slice(0, 40))).toBe(true);
  });

  it.each([
    ["429", { status: 429, headers: { "retry-after-ms": "1" } }],
    ["529", { status: 529, headers: { "retry-after-ms": "1" } }],
    ["500", { status: 500, headers: { "retry-after-ms": "1" } }],
    ["a cut connection", { text: "half of it", fault: "reset" }],
    ["a clean early end", { text: "half of it", fault: "early" }],
    ["an error event", { text: "half of it", fault: "error" }],
    ["a broken event", { text: "half of it", fault: "garbage" }],
  ] as const)("tries again after %s and shows it", async (_, fault) => {
    const { outcome, events, server } = await run([fault as Reply, { text: "half of it and the rest" }]);
    expect(outcome).toMatchObject({ status: "done", text: "half of it and the rest", rounds: 1 });
    expect(server.requests).toHaveLength(2);
    expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
    expect(events.find(({ type }) => type === "error")?.body).toHaveProperty("retry_in_ms");
    expect(events.flatMap((event) => (event.type === "text" ? [event.body.text] : []))).toEqual(["half of it and the rest"]);
    expect(events.flatMap((event) => (event.type === "text_delta" ? [event.body.text] : [])).join("")).toBe("half of it and the rest");
  });

  it("gives a silent stream up and tries again", async () => {
    const { outcome, server } = await run([{ text: "hm", fault: "silent" }, { text: "fine" }], { idleTimeoutMs: 300 });
    expect(outcome).toMatchObject({ status: "done", text: "fine" });
    expect(server.requests).toHaveLength(2);
  });

  it("does not try a 400 again", async () => {
    const { outcome, server } = await run([{ status: 400, message: "bad thing" }]);
    expect(outcome).toMatchObject({ status: "failed", error: { code: "http_400" } });
    expect(outcome.error?.message).toContain("bad thing");
    expect(server.requests).toHaveLength(1);
  });

  it("a call whose input is no JSON object is an error result, and the history stays sound", async () => {
    const broken = { name: "Read", input: '{"file_path": ' };
    const { outcome, server, events } = await run([{ calls: [broken, { name: "Read", input: "[1]" }, read] }, { text: "ok" }]);
    expect(outcome.status).toBe("done");
    expect(JSON.stringify(server.requests[1])).toContain("not valid JSON");
    expect(JSON.stringify(server.requests[1])).toContain("not a JSON object");
    expect(callsTold(events)).toEqual([
      ["Read", expect.objectContaining(read.input), "ok", undefined],
      ["Read", { not_json: broken.input }, "error", "broken"],
      ["Read", { not_an_object: [1] }, "error", "broken"],
    ]);
  });

  it("calls that the output limit cut do not run, and the model and whoever watches are told", async () => {
    const cut: Reply = { calls: [write, { name: "Write", input: '{"file_path":"b.txt","content":"half' }], stop: "length" };
    const { outcome, server, events } = await run([cut, { text: "ok" }]);
    expect(outcome.status).toBe("done");
    expect(callsTold(events)).toEqual([
      ["Write", write.input, "error", "cut_off"],
      ["Write", { not_json: '{"file_path":"b.txt","content":"half' }, "error", "cut_off"],
    ]);
    expect(JSON.stringify(server.requests[1])).toContain("output limit");
  });

  it("a read-only call that completed before the output limit cut the answer keeps its result", async () => {
    const cut: Reply = { calls: [read, { name: "Write", input: '{"file_path":"b.txt' }], stop: "length" };
    const { outcome, server, events } = await run([cut, cut, cut]);
    expect(outcome.status).toBe("max_tokens");
    const told = ["Write", { not_json: '{"file_path":"b.txt' }, "error", "cut_off"];
    const real = ["Read", expect.objectContaining(read.input), "ok", undefined];
    expect(callsTold(events)).toEqual([real, told, real, told, real, told]);
    expect(JSON.stringify(server.requests[1])).toContain("alpha");
    expect(server.refused).toEqual([]);
  });

  it("a text that the output limit cut ends with max_tokens, a refusal with refused; both can be followed", async () => {
    const { outcome, session, model, server } = await run([{ text: "long", stop: "length" }, { stop: "refusal" }, { text: "yes" }]);
    expect(outcome).toMatchObject({ status: "max_tokens", text: "long" });
    expect((await finished(session, { prompt: "again", model })).outcome.status).toBe("refused");
    expect((await finished(session, { prompt: "more", model })).outcome).toMatchObject({ status: "done", text: "yes" });
    expect(server.refused).toEqual([]);
  });

  it("an empty answer is done and can be followed", async () => {
    const { outcome, session, model, server } = await run([{}, { text: "yes" }]);
    expect(outcome).toMatchObject({ status: "done", text: "" });
    expect((await finished(session, { prompt: "more", model })).outcome.text).toBe("yes");
    expect(server.refused).toEqual([]);
  });

  it("ids that a server counts anew in every turn are kept apart", async () => {
    const { outcome, server, events } = await run([
      { calls: [{ ...read, id: "call_0" }] },
      { calls: [{ ...read, id: "call_0" }] },
      { text: "ok" },
    ]);
    expect(outcome.status).toBe("done");
    expect(new Set(events.filter(({ type }) => type === "tool_call").map(({ callId }) => callId)).size).toBe(2);
    expect(server.requests).toHaveLength(3);
  });

  it("at the limit of rounds the model is asked to conclude and its calls do not run", async () => {
    const { outcome, server, events } = await run([{ calls: [read] }, { text: "so far", calls: [read] }], {}, { maxRounds: 1 });
    expect(outcome).toMatchObject({ status: "max_rounds", rounds: 2, text: "so far" });
    expect(events.filter(({ type }) => type === "tool_call")).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
  });

  it("requests of a conversation only grow", async () => {
    const { server, session, model } = await run([{ calls: [read] }, { text: "one" }, { calls: [read] }, { text: "two" }]);
    await finished(session, { prompt: "next", model });
    const plain = (body: { messages: unknown[]; system?: unknown }) =>
      JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
    const bodies = server.requests.map(plain);
    for (const [index, body] of bodies.entries()) {
      if (index === 0) continue;
      const before = bodies[index - 1];
      expect(body.messages.slice(0, before.messages.length)).toEqual(before.messages);
      expect(body.system).toEqual(before.system);
      expect(body.tools).toEqual(before.tools);
    }
    // What an agent is told of itself is told once.
    expect(JSON.stringify(bodies.at(-1)).split("<agent name=")).toHaveLength(2);
    expect(server.refused).toEqual([]);
  });

  it("the official client reads the server as it was meant", async () => {
    const server = await modelServer(format, [{ text: "hello", calls: [{ id: "c1", name: "Read", input: { a: 1 } }] }]);
    if (format === "anthropic") {
      const client = new Anthropic({ baseURL: server.url, apiKey: "k" });
      const message = await client.messages
        .stream({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "x" }] })
        .finalMessage();
      expect(message.content).toMatchObject([
        { type: "text", text: "hello" },
        { type: "tool_use", id: "c1", input: { a: 1 } },
      ]);
    } else {
      const client = new OpenAI({ baseURL: server.url, apiKey: "k" });
      const stream = client.chat.completions.stream({ model: "m", messages: [{ role: "user", content: "x" }] });
      const message = (await stream.finalChatCompletion()).choices[0]?.message;
      expect(message).toMatchObject({ content: "hello", tool_calls: [{ id: "c1", function: { name: "Read", arguments: '{"a":1}' } }] });
    }
  });
});

it("marks the fixed part and the last message for Anthropic's cache", async () => {
  const server = await modelServer("anthropic", [{ calls: [read] }, { text: "ok" }]);
  const { session, model } = await sessionOn(server, "anthropic");
  await finished(session, { prompt: "do it", model });
  const [first, second] = server.requests;
  const mark = { type: "ephemeral" };
  expect(first.system.at(-1).cache_control).toEqual(mark);
  expect(first.messages.at(-1).content.at(-1).cache_control).toEqual(mark);
  expect(second.messages.at(-1).content.at(-1).cache_control).toEqual(mark);
  expect(first.max_tokens).toBe(1000);
  expect(server.paths[0]).toBe("/v1/messages");
});

it("thinking goes back only to the model that made it", async () => {
  const server = await modelServer("anthropic", [{ thinking: "hmm", text: "a", calls: [read] }, { text: "b" }, { text: "c" }]);
  const { session } = await sessionOn(server, "anthropic", { baseUrl: `${server.url}/v1` });
  await finished(session, { prompt: "one", model: "anthropic/m" });
  await finished(session, { prompt: "two", model: "anthropic/n" });
  const thoughts = server.requests.map((body) => JSON.stringify(body.messages).includes('"thinking"'));
  expect(thoughts).toEqual([false, true, false]);
  expect(server.refused).toEqual([]);
  expect(server.paths[0]).toBe("/v1/messages");
});

it("drives a model without function calling by a dialect", async () => {
  const call = "<tool_call><name>Read</name><params><file_path><![CDATA[a.txt]]></file_path></params></tool_call>";
  const server = await modelServer("chat", [{ text: `Let me look.\n${call}` }, { text: "alpha it is" }]);
  const { session, model } = await sessionOn(server, "chat", { models: { m: { dialect: "tool_call" } } });
  const { outcome, events } = await finished(session, { prompt: "do it", model });
  expect(outcome).toMatchObject({ status: "done", text: "alpha it is", rounds: 2 });
  expect(server.requests[0].tools).toBeUndefined();
  expect(server.requests[0].messages[0].content).toContain("### Read");
  expect(server.requests[1].messages.at(-1).content).toContain("<tool_result>");
  expect(server.requests[1].messages.at(-2).content).toContain(call);
  expect(events.flatMap((event) => (event.type === "text" ? [event.body.text.trim()] : []))).toEqual(["Let me look.", "alpha it is"]);
  expect(server.refused).toEqual([]);
});
