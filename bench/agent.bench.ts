/** What the loop of agents adds: per turn, per durable step, before the first tool of an answer starts, and for many children. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../dist/index.js";
import type { DurableContext } from "../src/contract/index.ts";
import { createEmbeddedDurable } from "../src/durable/index.ts";
import { openStore } from "../src/store/index.ts";
import type { ChildrenMemory } from "./agent-children.child.ts";
import { bareWrite } from "./bare-write.ts";
import { measure, question, record } from "./measure.ts";
import { benchPlace, smoke, succeeded, temporaryDirectory } from "./place.ts";

const bare = bareWrite();
/** When the model's stream had given the call out, and when the tool began. */
const moments = { given: 0, begun: 0 };
Object.assign(globalThis, { karyiBenchMoments: moments });

const echo = defineTool({
  name: "Echo",
  description: "Says a text again.",
  input: z.object({ text: z.string() }),
  traits: { readOnly: true, concurrencySafe: true },
  run: ({ text }) => {
    moments.begun = performance.now();
    return { output: text };
  },
});

/** A provider whose stream costs nothing: a call in each of `turns` answers, then a text. */
const provider = `
const moments = globalThis.karyiBenchMoments;
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (unified) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });
class Model {
  specificationVersion = "v3"; provider = "bench"; supportedUrls = {};
  constructor(modelId) { this.modelId = modelId; }
  async doStream({ prompt }) {
    const turn = prompt.filter(({ role }) => role === "assistant").length;
    const parts = turn < Number(this.modelId)
      ? [{ type: "tool-call", toolCallId: "c" + turn, toolName: "Echo", input: JSON.stringify({ text: "t" + turn }) }, finish("tool-calls")]
      : [{ type: "text-start", id: "0" }, { type: "text-delta", id: "0", delta: "done" }, { type: "text-end", id: "0" }, finish("stop")];
    const stream = new ReadableStream({
      pull(controller) {
        const part = parts.shift();
        if (part === undefined) return controller.close();
        if (part.type === "tool-call") moments.given = performance.now();
        controller.enqueue(part);
      },
    }, { highWaterMark: 0 });
    return { stream };
  }
}
export const createBench = () => (id) => new Model(id);
`;

const home = temporaryDirectory();
const folder = join(home, "node_modules", "bench-provider");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench-provider", type: "module", exports: "./index.js" }));
writeFileSync(join(folder, "index.js"), provider);
const { createBench } = (await import(pathToFileURL(join(folder, "index.js")).href)) as {
  createBench(): (id: string) => {
    doStream(options: { prompt: readonly { readonly role: string }[] }): Promise<{ readonly stream: ReadableStream<unknown> }>;
  };
};
const providers = { bench: { type: "ai-sdk" as const, package: "bench-provider" } };
const { session, engine } = await benchPlace({ tools: [echo], home, config: { providers } });

const turns = smoke ? 2 : 20;
let sessions = 0;

/** The least that a run of so many turns has to do: read the stream, a commit for the answer and one for what came of its call. */
async function bareTurns(): Promise<void> {
  const model = createBench()(String(turns));
  for (let turn = 0; turn <= turns; turn++) {
    const { stream } = await model.doStream({ prompt: Array.from({ length: turn }, () => ({ role: "assistant" })) });
    for await (const _ of stream);
    await bare.around(`turn ${turn}`, async () => {});
  }
}

question({
  name: `agent: ${turns} turns with a call each over the bare stream and the two durable commits of a turn`,
  limit: bareTurns,
  async ours() {
    const one = await engine.openSession({ id: `run-${sessions++}` });
    const run = one.run({ prompt: "go", model: `bench/${turns}` });
    for (;;) {
      const { done, value } = await run.next();
      if (!done) continue;
      if (value.status !== "done") throw new Error(JSON.stringify(value));
      return;
    }
  },
  bound: 1.5,
  pairs: 11,
});

it("the first tool starts soon after its call is complete in the stream", async () => {
  const median = (figures: number[]) => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
  const [early, direct]: [number[], number[]] = [[], []];
  for (let round = 0; round < (smoke ? 1 : 60); round++) {
    const one = await engine.openSession({ id: `first-${round}` });
    for await (const _ of one.run({ prompt: "go", model: "bench/1" }));
    early.push(moments.begun - moments.given);
    const before = performance.now();
    succeeded(await session.call("Echo", { text: "x" }, { callId: `direct-${round}` }));
    direct.push(performance.now() - before);
  }
  const [oursMs, limitMs] = [median(early.slice(early.length / 3)), median(direct.slice(direct.length / 3))];
  const ratio = oursMs / limitMs;
  record({ name: "agent: a call complete in the stream until its tool starts, over a bare engine call", limitMs, oursMs, ratio, bound: 2 });
  if (!smoke) expect(ratio).toBeLessThanOrEqual(2);
});

it("durable steps reach 30 % of bare steps with two commits", async () => {
  const directory = temporaryDirectory();
  const store = await openStore({ directory, owner: { id: "bench", pid: process.pid, startToken: "bench" }, isAlive: () => true });
  afterAll(() => store.close());
  const durable = createEmbeddedDurable({ store: { ...store.runs, changed: store.changed }, publish: () => {}, now: Date.now });
  afterAll(() => durable.close());
  const { id: sessionId } = await store.openSession({ owner: "local", channel: "bench", externalId: "s" }, "/w", {
    cwd: "/w",
    env: {},
    activated: [],
    allowedRules: [],
  });
  const steps = smoke ? 2 : 50;
  durable.register("work", async (context: DurableContext) => {
    for (let step = 0; step < steps; step++) await context.step(`step:${step}`, "unsafe", async () => step);
    return { outcome: null, events: [] };
  });
  let runs = 0;
  const answer = await measure({
    name: "agent: a durable step with its intent over a bare step with two commits (at least 30 % of its speed)",
    limit: async () => {
      for (let step = 0; step < steps; step++) await bare.around(`step ${step}`, async () => {});
    },
    ours: async () => void (await (await durable.start({ id: `run-${runs++}`, sessionId, name: "work", input: null })).done),
    bound: 1 / 0.3,
    pairs: 11,
  });
  record({ ...answer, target: `${Math.round((1000 * steps) / answer.oursMs)} steps a second, target 1,000` });
  if (!smoke) expect(answer.ratio).toBeLessThanOrEqual(1 / 0.3);
});

it("100 children at once take at most three times the memory of one, and 150 MB", () => {
  const peak = (children: number) => {
    const register = join(import.meta.dirname, "../test/support/ts-register.mjs");
    const args = ["--import", register, join(import.meta.dirname, "agent-children.child.ts"), String(children)];
    const child = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (child.status !== 0) throw new Error(child.stderr);
    return (JSON.parse(child.stdout) as ChildrenMemory).peakBytes;
  };
  const [one, many] = [peak(1), peak(smoke ? 2 : 100)];
  const allowed = 3 * one + 150 * 1024 * 1024;
  const [oursMs, limitMs] = [many / 1024 / 1024, allowed / 1024 / 1024];
  const target = `MiB: ${Math.round(oursMs)} with 100, ${Math.round(one / 1024 / 1024)} with one`;
  record({ name: "agent: memory of 100 children at once over what is allowed", limitMs, oursMs, ratio: many / allowed, bound: 1, target });
  if (!smoke) expect(many).toBeLessThanOrEqual(allowed);
});
