/** Long conversations: the past in fewer words, an overflow that teaches the window, images that are not taken, models that take over. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defineTool, type KaryiEvent, type RunOutcome, type RunRequest, type SessionHandle } from "../src/index.ts";
import { testEngine } from "./support/engine.ts";
import { type Body, modelServer, type Reply } from "./support/models/server.ts";

async function finished(session: SessionHandle, request: RunRequest): Promise<{ outcome: RunOutcome; events: KaryiEvent[] }> {
  const events: KaryiEvent[] = [];
  const run = session.run(request);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { outcome: value, events };
    events.push(value);
  }
}

async function place(replies: readonly Reply[] | Parameters<typeof modelServer>[1], models: object) {
  const server = await modelServer("anthropic", replies);
  const providers = { anthropic: { baseUrl: server.url, apiKey: "k", models } };
  const { engine, workspace } = await testEngine({ config: { providers } as never, env: { PATH: process.env.PATH } });
  const session = await engine.openSession({ id: "s" });
  return { server, session, workspace, engine };
}

const read = (file_path: string) => ({ name: "Read", input: { file_path } });
const summaryWanted = (body: Body) => JSON.stringify(body.messages.at(-1)).includes("summary that you write now");

it("shortens old results in one step, then compacts; the task, instructions and open tasks survive word for word", async () => {
  let turn = 0;
  const { server, session, workspace } = await place(
    (body: Body) => {
      if (summaryWanted(body)) return { text: "SUMMARY: read many files" };
      turn += 1;
      if (turn === 1) return { calls: [{ name: "TaskCreate", input: { title: "finish the report" } }] };
      return turn <= 14 ? { text: `step ${turn}`, calls: [read(`f${turn}.txt`)] } : { text: "ready" };
    },
    { m: { contextWindow: 45_000, maxOutputTokens: 2000 } },
  );
  await writeFile(join(workspace, "AGENTS.md"), "Always be brief.");
  for (let index = 0; index < 20; index++)
    await writeFile(join(workspace, `f${index}.txt`), `${`line of file ${index} `.repeat(5)}\n`.repeat(400));
  const { outcome } = await finished(session, { prompt: "Read all of them, please: EXACT WORDS", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "ready", rounds: 15 });
  expect(server.refused).toEqual([]);
  const texts = server.requests.map((body) => JSON.stringify(body));
  expect(texts.some((text) => text.includes("were left out; ReadOutput"))).toBe(true);
  const summaries = server.requests.filter(summaryWanted).length;
  expect(summaries).toBeGreaterThan(0);
  const last = JSON.stringify(server.requests.at(-1).messages);
  for (const kept of ["EXACT WORDS", "Always be brief.", "finish the report", "SUMMARY: read many files"]) expect(last).toContain(kept);
  // Shortening is frozen: between two steps requests only grow.
  const shrunk = texts.filter((text, index) => index > 0 && text.length < (texts[index - 1] ?? "").length).length;
  expect(shrunk).toBeLessThanOrEqual(summaries * 3);
});

it("an overflow teaches the window and the run goes on", async () => {
  let refusedOnce = false;
  const { server, session } = await place(
    (body: Body) => {
      if (summaryWanted(body)) return { text: "SUMMARY" };
      if (refusedOnce) return { text: "fine" };
      refusedOnce = true;
      return { status: 400, message: "prompt is too long: 30000 tokens > 12000 maximum" };
    },
    { m: {} },
  );
  const { outcome } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "fine" });
  expect(server.refused).toEqual([]);
});

it("two summaries that gain nothing end in a clear error", async () => {
  const long = "no gain ".repeat(9_000);
  const { session } = await place((body: Body) => (summaryWanted(body) ? { text: long } : { text: "never" }), {
    m: { contextWindow: 20_000, maxOutputTokens: 1000 },
  });
  const { outcome } = await finished(session, { prompt: long, model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "context_full" } });
});

it("another model takes over if the first one does not answer", async () => {
  const { server, session } = await place(
    (body: Body) => (body.model === "m" ? { status: 503, headers: { "retry-after-ms": "1" } } : { text: "I am n" }),
    { m: { fallback: "anthropic/n" }, n: {} },
  );
  const { outcome, events } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome).toMatchObject({ status: "done", text: "I am n" });
  expect(server.requests.filter(({ model }) => model === "m")).toHaveLength(6);
  expect(JSON.stringify(events.filter(({ type }) => type === "error").at(-1)?.body)).toContain("anthropic/n takes over");
});

it("a model that repeats itself is told so, then the person is", async () => {
  const { session, workspace, server } = await place(
    (_: Body, index: number) => (index < 6 ? { calls: [read("a.txt")] } : { text: "stopped" }),
    { m: {} },
  );
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  const { outcome, events } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(outcome.status).toBe("done");
  expect(JSON.stringify(server.requests[3].messages.at(-1))).toContain("same calls again and again");
  expect(JSON.stringify(server.requests[2].messages.at(-1))).not.toContain("same calls again and again");
  expect(events.filter(({ type }) => type === "error")).toHaveLength(1);
});

it("the tools of a turn are frozen: one that is registered later comes at the end, one that is removed stays in its place", async () => {
  const server = await modelServer("anthropic", [{ calls: [{ name: "Grow", input: {} }] }, { text: "one" }, { text: "two" }]);
  const providers = { anthropic: { baseUrl: server.url, apiKey: "k", models: { m: {} } } };
  const tool = (name: string, run = () => {}) =>
    defineTool({
      name,
      description: `${name}s.`,
      input: { type: "object", properties: {} },
      traits: { readOnly: true },
      run: () => {
        run();
        return { output: "" };
      },
    });
  const grow = tool("Grow", () => {
    engine.registerTool(tool("Added"));
    gone();
  });
  const config = { providers } as never;
  const { engine } = await testEngine({ builtins: false, tools: [grow], config, env: { PATH: process.env.PATH } });
  const gone = engine.registerTool(tool("Gone"));
  const session = await engine.openSession({ id: "s" });
  await finished(session, { prompt: "go", model: "anthropic/m" });
  await finished(session, { prompt: "again", model: "anthropic/m" });
  const seen = server.requests.map(({ tools }: Body) => tools.map(({ name }: { name: string }) => name));
  expect(seen).toEqual([
    ["Grow", "Gone"],
    ["Grow", "Gone", "Added"],
    ["Grow", "Gone", "Added"],
  ]);
});

it("a message during a run goes in after the current results; one for afterwards begins a run of its own", async () => {
  const { session, engine, workspace, server } = await place(
    [{ calls: [read("a.txt")], until: () => steered }, { text: "one" }, { text: "two" }],
    { m: {} },
  );
  await writeFile(join(workspace, "a.txt"), "alpha\n");
  let steer = () => {};
  const steered = new Promise<void>((resolve) => {
    steer = resolve;
  });
  const seen: KaryiEvent[] = [];
  for await (const event of session.run({ prompt: "go", model: "anthropic/m" })) {
    seen.push(event);
    if (event.type !== "run_start") continue;
    const { run_id } = event.body;
    expect(await engine.runner.message(session.id, run_id, "and be quick", "now")).toBe(true);
    expect(await engine.runner.message(session.id, run_id, "then rest", "after")).toBe(true);
    steer();
  }
  const last = server.requests[1].messages.at(-1).content;
  expect(last.map(({ type }: { type: string }) => type)).toEqual(["tool_result", "text"]);
  expect(last[1].text).toBe("and be quick");
  expect(seen.filter(({ type }) => type === "text").map(({ body }) => body)).toContainEqual({ text: "and be quick", role: "user" });
  for await (const event of session.events(seen.at(-1)?.seq)) if (event.type === "run_end") break;
  expect(JSON.stringify(server.requests[2].messages.at(-1))).toContain("then rest");
  expect(server.refused).toEqual([]);
});

describe("images", () => {
  /** One pixel. */
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const imagesIn = (body: Body) => JSON.stringify(body.messages).split('"type":"image"').length - 1;

  it.each([
    ["a 413", { status: 413, message: "Request too large" }],
    ["a refused image", { status: 400, message: "messages.5.content.0.image.source.base64: image exceeds 5 MB maximum" }],
  ] as const)("%s drops the oldest images and the run goes on", async (_, refusal) => {
    let refused = 0;
    const { server, session, workspace } = await place(
      (body: Body) => {
        const seen = imagesIn(body);
        if (seen > 2) {
          refused += 1;
          return refusal;
        }
        const answers = body.messages.filter(({ role }: { role: string }) => role === "assistant").length;
        return answers < 4 ? { calls: [read(`${answers}.png`)] } : { text: "seen" };
      },
      { m: {} },
    );
    for (let at = 0; at < 4; at++) await writeFile(join(workspace, `${at}.png`), Buffer.from(pixel, "base64"));
    const { outcome } = await finished(session, { prompt: "look", model: "anthropic/m" });
    expect(outcome).toMatchObject({ status: "done", text: "seen", rounds: 5 });
    expect([server.refused, refused > 0]).toEqual([[], true]);
    const last = server.requests.at(-1);
    expect(imagesIn(last)).toBeGreaterThan(0);
    // The newest one is still there, the first one is not, and its result says so.
    const results = last.messages.filter(({ role }: { role: string }) => role === "user").slice(1);
    expect(JSON.stringify(results.at(-1))).toContain(pixel.slice(0, 30));
    expect(JSON.stringify(results[0])).not.toContain(pixel.slice(0, 30));
    expect(JSON.stringify(results[0])).toContain("The image was left out here");
  });

  it("a 413 without images shortens the past instead, and one that nothing mends ends in a clear error", async () => {
    const { session } = await place(() => ({ status: 413, message: "Request too large" }), { m: {} });
    const { outcome } = await finished(session, { prompt: "look", model: "anthropic/m" });
    expect(outcome).toMatchObject({ status: "failed" });
    expect(outcome.error?.message).not.toBe("");
  });
});
