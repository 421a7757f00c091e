/** Sub-agents that share their parent's cache, hand on tools, go in circles, are denied, die, or are cancelled. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineOptions, KaryiEvent, RunOutcome, RunRequest, SessionHandle } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";
import { fixedTokens, PromptCache } from "./support/models/prompt-cache.ts";
import { type Body, modelServer } from "./support/models/server.ts";

interface Turn {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  readonly delay_ms?: number;
}

const call = (name: string, input: unknown) => ({ name, input });

async function stage(options: EngineOptions = {}) {
  const scripts = await temporaryDirectory();
  const test = await testEngine(options);
  let count = 0;
  const model = async (...turns: Turn[]): Promise<string> => {
    const file = join(scripts, `${count++}.json`);
    await writeFile(file, JSON.stringify(turns));
    return `scripted/${file}`;
  };
  return { ...test, model };
}

async function runOf(session: SessionHandle, request: RunRequest, hear: (event: KaryiEvent) => unknown = () => {}) {
  const events: KaryiEvent[] = [];
  const run = session.run(request);
  for (;;) {
    const { done, value } = await run.next();
    if (done) return { events, outcome: value as RunOutcome };
    events.push(value);
    await hear(value);
  }
}

const resultsOf = (events: readonly KaryiEvent[]) =>
  events.flatMap((event) => (event.type === "tool_result" ? [`${event.body.tool} ${event.body.status}: ${event.body.output}`] : []));
const ends = (events: readonly KaryiEvent[]) =>
  events.flatMap((event) => (event.type === "subagent_end" ? [`${event.subagentId} ${event.body.status}`] : []));
const toldTo = (events: readonly KaryiEvent[], id: string) =>
  events.flatMap((event) => {
    if (event.type !== "subagent_event" || event.subagentId !== id) return [];
    const { type, tool, status, output } = event.body.event as Record<string, unknown>;
    return type === "tool_result" ? [`${tool} ${status}: ${output}`] : [];
  });

it("ten children with their parent's model read its tools and system prompt from the cache, and run_end says what that saved", async () => {
  const cache = new PromptCache();
  const server = await modelServer("anthropic", (body: Body) => {
    const usage = { ...cache.count(body), output: 5 };
    const first = JSON.stringify(body.messages[0]);
    if (first.includes("child task")) return { text: "child done", usage };
    if (body.messages.length > 1) return { text: "all done", usage };
    const agents = ["general", "search", "crawl", "lead"];
    const calls = Array.from({ length: 10 }, (_, at) => call("Agent", { prompt: `child task ${at}`, agent: agents[at % 4] }));
    return { calls, usage };
  });
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  const providers = { anthropic: { baseUrl: server.url, apiKey: "k", models: { m: { price } } } };
  const { engine } = await testEngine({ config: { providers }, env: { PATH: process.env.PATH } });
  const { outcome, events } = await runOf(await engine.openSession(), { prompt: "go", model: "anthropic/m" });
  expect([outcome.status, server.refused, ends(events).length]).toEqual(["done", [], 10]);
  const [parent] = server.requests;
  const children = server.requests.filter((body) => JSON.stringify(body.messages[0]).includes("child task"));
  expect(children).toHaveLength(10);
  for (const child of children) {
    expect(JSON.stringify([child.system, child.tools])).toBe(JSON.stringify([parent.system, parent.tools]));
  }
  const read = events.flatMap((event) => (event.type === "subagent_end" ? [event.body.usage.cache_read_tokens] : []));
  expect(read.filter((tokens) => tokens >= 0.95 * fixedTokens(parent))).toHaveLength(10);
  const { usage, cache_saved_usd: saved, cost_usd: cost } = outcome;
  expect(saved).toBeCloseTo((usage.cache_read_tokens * (price.input - price.cacheRead)) / 1e6, 9);
  expect(cost).toBeCloseTo(
    (usage.input_tokens * 3 + usage.output_tokens * 15 + usage.cache_read_tokens * 0.3 + usage.cache_write_tokens * 3.75) / 1e6,
    9,
  );
});

describe("a child", () => {
  it("that goes in circles is told so, then ended, and its parent hears why", async () => {
    const { engine, model } = await stage();
    const circle = { calls: [call("Glob", { pattern: "*" })] };
    const child = await model(...Array<Turn>(20).fill(circle), { text: "never" });
    const parent = await model({ calls: [call("Agent", { prompt: "x", model: child })] }, { text: "I see." });
    const { events, outcome } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    expect([outcome.status, ends(events)]).toEqual(["done", ["agent_1 failed"]]);
    expect(resultsOf(events)).toEqual([expect.stringContaining("The model makes the same calls again and again")]);
    expect(toldTo(events, "agent_1").length).toBeLessThan(20);
  });

  it("that is denied hears the person's words and goes on", async () => {
    const { engine, workspace, model } = await stage({ approve: async () => ({ answer: "deny", words: "not in this place" }) });
    const child = await model({ calls: [call("Write", { file_path: "x.txt", content: "x" })] }, { text: "I was not allowed." });
    const parent = await model({ calls: [call("Agent", { prompt: "x", model: child })] }, { text: "ok" });
    const { events } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    expect(toldTo(events, "agent_1")).toEqual([expect.stringMatching(/^Write denied: .*not in this place/s)]);
    expect([resultsOf(events), ends(events), existsSync(join(workspace, "x.txt"))]).toEqual([
      ["Agent ok: I was not allowed."],
      ["agent_1 done"],
      false,
    ]);
    const answered = events.find(({ type }) => type === "permission_result");
    expect([answered?.subagentId, answered?.body]).toEqual(["agent_1", expect.objectContaining({ answer: "deny" })]);
  });

  it("whose model fails dies alone: its parent and its sibling go on", async () => {
    const server = await modelServer("anthropic", () => ({ status: 400, message: "your account is closed" }));
    const providers = { anthropic: { baseUrl: server.url, apiKey: "k", models: { m: {} } } };
    const { engine, model } = await stage({ config: { providers }, env: { PATH: process.env.PATH } });
    const sibling = await model({ text: "Fine." });
    const parent = await model(
      { calls: [call("Agent", { prompt: "x", model: "anthropic/m" }), call("Agent", { prompt: "y", model: sibling })] },
      { text: "Half of it." },
    );
    const { events, outcome } = await runOf(await engine.openSession(), { prompt: "go", model: parent });
    expect([outcome.status, outcome.text, ends(events).sort()]).toEqual(["done", "Half of it.", ["agent_1 failed", "agent_2 done"]]);
    const told = resultsOf(events).sort();
    expect(told).toEqual([expect.stringMatching(/^Agent error: .*agent_1.*your account is closed/s), "Agent ok: Fine."]);
  });

  it("can be cancelled alone, or with everything below it", async () => {
    const { engine, model } = await stage();
    const endless = await model({ text: "Never said.", delay_ms: 600_000 });
    const middle = await model({ calls: [call("Agent", { prompt: "low", model: endless })] }, { text: "went on" });
    for (const [id, subtree, ended, said] of [
      ["agent_2", false, ["agent_2 cancelled", "agent_1 done"], "Agent ok: went on"],
      ["agent_1", true, ["agent_2 cancelled", "agent_1 cancelled"], expect.stringContaining("was cancelled")],
    ] as const) {
      const parent = await model({ calls: [call("Agent", { prompt: "mid", model: middle })] }, { text: "ok" });
      const session = await engine.openSession({ id });
      const { events, outcome } = await runOf(session, { prompt: "go", model: parent }, async (event) => {
        const isLowest = event.type === "subagent_event" && event.subagentId === "agent_2";
        const { type } = isLowest ? (event.body.event as { type?: string }) : {};
        if (type !== "turn_start") return;
        expect((await session.agents.list()).map((one) => [one.id, one.parentId, one.status])).toEqual([
          ["agent_1", undefined, "running"],
          ["agent_2", "agent_1", "running"],
        ]);
        expect(await session.agents.cancel(id, { subtree })).toBe(true);
      });
      expect([outcome.status, ends(events), resultsOf(events)]).toEqual(["done", ended, [said]]);
      expect(await session.agents.cancel(id)).toBe(false);
    }
  });
});

describe("lead", () => {
  const tried: Turn = {
    calls: [
      call("WebFetch", { url: "http://127.0.0.1:1/" }),
      call("Write", { file_path: "x", content: "x" }),
      call("Bash", { command: "echo hi" }),
    ],
  };

  it("hands on tools that it does not use itself, each child bound by its own agent and by the session", async () => {
    const { engine, model } = await stage({ config: { permissions: { deny: ["Bash"] } } });
    const child = await model(tried, { text: "done" });
    const parent = await model(
      { calls: [call("Agent", { prompt: "a", agent: "crawl", model: child })] },
      { calls: [call("Agent", { prompt: "b", agent: "general", model: child })] },
      { text: "ok" },
    );
    const session = await engine.openSession({ mode: "plan" });
    const { events } = await runOf(session, { prompt: "go", agent: "lead", model: parent });
    const kinds = (id: string) => toldTo(events, id).map((line) => line.split(":", 1)[0]);
    expect(toldTo(events, "agent_1").slice(1)).toEqual([
      expect.stringContaining("Tool 'Write' not available in crawl's toolkit"),
      expect.stringContaining("Tool 'Bash' not available in crawl's toolkit"),
    ]);
    expect(toldTo(events, "agent_1")[0]).not.toContain("toolkit");
    // The mode and the rules of the session hold for whoever works below it.
    expect(kinds("agent_2").slice(1)).toEqual(["Write denied", "Bash denied"]);
  });

  it("below an agent with fewer tools hands on no more than that one has, and one of the project's own hands on nothing", async () => {
    const { engine, workspace, model } = await stage();
    await mkdir(join(workspace, ".karyi", "agents"), { recursive: true });
    const define = (name: string, tools: string) =>
      writeFile(
        join(workspace, ".karyi", "agents", `${name}.md`),
        `---\nname: ${name}\ndescription: d\ntools: ${tools}\n---\nBe ${name}.\n`,
      );
    await define("narrow", "Agent, Bash");
    const child = await model(tried, { text: "done" });
    const below = await model({ calls: [call("Agent", { prompt: "c", agent: "general", model: child })] }, { text: "ok" });
    const parent = await model({ calls: [call("Agent", { prompt: "b", agent: "lead", model: below })] }, { text: "ok" });
    const first = await runOf(await engine.openSession({ id: "one" }), { prompt: "go", agent: "narrow", model: parent });
    const inNarrow = toldTo(first.events, "agent_2").map((line) => line.split(":", 1)[0]);
    expect(inNarrow).toEqual(["WebFetch error", "Write error", "Bash ok"]);
    await define("lead", "Agent, Read");
    const second = await runOf(await engine.openSession({ id: "two" }), { prompt: "go", agent: "lead", model: below });
    const inOwn = toldTo(second.events, "agent_1").map((line) => line.split(":", 1)[0]);
    expect(inOwn).toEqual(["WebFetch error", "Write error", "Bash error"]);
  });
});
