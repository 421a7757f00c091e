/** A limit of cost holds for a run and everybody below it, and nothing runs whose price nobody knows. */
import { expect, it } from "vitest";
import { finished, modelPlace } from "./support/models/place.ts";
import type { Body } from "./support/models/server.ts";

const price = { input: 1_000, output: 1_000 };
/** A cent an answer. */
const usage = { input: 5, output: 5 };
const isChild = (body: Body) => JSON.stringify(body.messages).includes("CHILD");
const agent = (more: object = {}) => ({ name: "Agent", input: { prompt: "CHILD", ...more } });

it("a child that would spend the rest is stopped, and the run ends with max_cost", async () => {
  let answers = 0;
  const { session } = await modelPlace(
    "anthropic",
    (body: Body) => {
      answers += 1;
      return isChild(body)
        ? {
            calls: [
              { name: "TaskList", input: {} },
              { name: "Glob", input: { pattern: `*${answers}` } },
            ],
            usage,
          }
        : { calls: [agent()], usage };
    },
    { m: { price } },
  );
  const { outcome, events } = await finished(session, { prompt: "go", model: "anthropic/m", maxCostUsd: 0.055 });
  expect(outcome).toMatchObject({ status: "max_cost", cost_usd: 0.06 });
  expect(answers).toBe(6);
  expect(events.find(({ type }) => type === "subagent_end")?.body).toMatchObject({ status: "failed", usage: { input_tokens: 25 } });
});

it("children side by side share the limit", async () => {
  let answers = 0;
  const { session } = await modelPlace(
    "anthropic",
    (body: Body) => {
      answers += 1;
      return isChild(body)
        ? { calls: [{ name: "Glob", input: { pattern: `*${answers}` } }], usage }
        : { calls: [agent(), agent(), agent()], usage };
    },
    { m: { price } },
  );
  const { outcome } = await finished(session, { prompt: "go", model: "anthropic/m", maxCostUsd: 0.1 });
  expect(outcome.status).toBe("max_cost");
  // Each of the three may have had an answer under way when the limit was met.
  expect(answers).toBeLessThanOrEqual(12);
});

it("a child whose price nobody knows is refused before it starts, and no such model takes over", async () => {
  const { session, server } = await modelPlace(
    "anthropic",
    (body: Body, index: number) => {
      if (index === 0) return { calls: [agent({ model: "anthropic/free" })], usage };
      return index === 1
        ? { text: "alone then", usage }
        : body.model === "m"
          ? { status: 503, headers: { "retry-after-ms": "1" } }
          : { text: "free" };
    },
    { m: { price, fallback: "anthropic/free" }, free: {} },
  );
  const { outcome, events } = await finished(session, { prompt: "go", model: "anthropic/m", maxCostUsd: 1 });
  expect(outcome).toMatchObject({ status: "done", text: "alone then", cost_usd: 0.02 });
  expect(events.some(({ type }) => type === "subagent_start")).toBe(false);
  expect(JSON.stringify(server.requests[1].messages)).toContain("price of anthropic/free is not known");
  const limited = await finished(session, { prompt: "again", model: "anthropic/m", maxCostUsd: 1 });
  expect(limited.outcome).toMatchObject({ status: "failed", error: { code: "http_503" } });
  const free = await finished(session, { prompt: "again", model: "anthropic/m" });
  expect(free.outcome).toMatchObject({ status: "done", text: "free" });
  expect(free.outcome).not.toHaveProperty("cost_usd");
});

it("turn_end tells tokens and cost of its answer, so that a child at work is known by them", async () => {
  const { session } = await modelPlace("anthropic", [{ text: "one", usage }], { m: { price } });
  const { events } = await finished(session, { prompt: "go", model: "anthropic/m" });
  expect(events.find(({ type }) => type === "turn_end")?.body).toMatchObject({
    usage: { input_tokens: 5, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 },
    cost_usd: 0.01,
  });
});
