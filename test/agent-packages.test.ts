/** Provider packages that a person installed, of each version of the specification, by name in the config. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RunOutcome } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const versions = ["v2", "v3", "v4"] as const;
type Version = (typeof versions)[number];
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Where versions differ: how an answer ends, how tokens are counted, how the bytes of a file are given. */
const endOf = {
  v2: `{ finishReason: reason, usage: { inputTokens: 12, outputTokens: 4, totalTokens: 16, cachedInputTokens: 2 } }`,
  v3: `{ finishReason: { unified: reason, raw: reason }, usage: { inputTokens: { total: 12, noCache: 10, cacheRead: 2, cacheWrite: 0 }, outputTokens: { total: 4, text: 4, reasoning: 0 } } }`,
  v4: `{ finishReason: { unified: reason, raw: reason }, usage: { inputTokens: { total: 12, noCache: 10, cacheRead: 2, cacheWrite: 0 }, outputTokens: { total: 4, text: 4, reasoning: 0 } } }`,
};

/** Reads a picture, then says how it was shown; refuses a file in the form of another version. */
const source = (version: Version, shape: "create" | "ready") => `
const parts = (prompt) => prompt.flatMap(({ content }) => (Array.isArray(content) ? content : []));
class Model {
  specificationVersion = "${version}";
  supportedUrls = {};
  constructor(modelId, settings) { this.modelId = modelId; this.provider = "tiny.chat"; this.settings = settings; }
  async doGenerate() { throw new Error("asked without a stream"); }
  async doStream({ prompt, tools, providerOptions, abortSignal }) {
    if (!(abortSignal instanceof AbortSignal)) throw new Error("no signal");
    const file = parts(prompt).find(({ type }) => type === "file");
    const form = file === undefined ? undefined : typeof file.data === "string" ? "plain" : file.data?.type === "data" ? "wrapped" : "other";
    if (file !== undefined && form !== "${version === "v4" ? "wrapped" : "plain"}") throw new Error("a file in a wrong form: " + form);
    const done = parts(prompt).some(({ type }) => type === "tool-result");
    const reason = done ? "stop" : "tool-calls";
    const said = [this.modelId, this.settings.apiKey, JSON.stringify(providerOptions?.tiny), form, tools.length > 5].join(" ");
    const stream = done
      ? [{ type: "text-start", id: "0" }, ...[...said].map((delta) => ({ type: "text-delta", id: "0", delta })), { type: "text-end", id: "0" }]
      : [
          { type: "tool-input-start", id: "c", toolName: "Read" },
          { type: "tool-input-delta", id: "c", delta: '{"file_path":' },
          { type: "tool-input-delta", id: "c", delta: '"a.png"}' },
          { type: "tool-input-end", id: "c" },
          { type: "tool-call", toolCallId: "c", toolName: "Read", input: '{"file_path":"a.png"}' },
        ];
    return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...stream, { type: "finish", ...${endOf[version]} }]) };
  }
}
const make = (settings = {}) => Object.assign((id) => new Model(id, settings), { languageModel: (id) => new Model(id, settings), specificationVersion: "${version}" });
${shape === "create" ? "export const createTiny = make;" : "export const tiny = make({ apiKey: 'own' });"}
`;

async function installed(version: Version, shape: "create" | "ready") {
  const home = await temporaryDirectory();
  const folder = join(home, "node_modules", "@vendor", "tiny");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ name: "@vendor/tiny", type: "module", exports: { ".": { import: "./tiny.js" } } }),
  );
  await writeFile(join(folder, "tiny.js"), source(version, shape));
  const models = { "m-1": { price: { input: 1, output: 2 }, options: { effort: "low" } } };
  const { engine, workspace } = await testEngine({
    home,
    config: { providers: { tiny: { type: "ai-sdk", package: "@vendor/tiny", apiKey: "k", models } } },
  });
  await writeFile(join(workspace, "a.png"), Buffer.from(pixel, "base64"));
  return engine.openSession();
}

it.each(versions)("a package of specification %s streams, calls tools, takes images and counts tokens", async (version) => {
  const session = await installed(version, "create");
  const run = session.run({ prompt: "go", model: "tiny/m-1" });
  const deltas: string[] = [];
  let outcome: RunOutcome | undefined;
  while (outcome === undefined) {
    const { done, value } = await run.next();
    if (done) outcome = value;
    else if (value.type === "text_delta") deltas.push(value.body.text);
  }
  const form = version === "v4" ? "wrapped" : "plain";
  expect(outcome).toMatchObject({ status: "done", rounds: 2, text: `m-1 k {"effort":"low"} ${form} true` });
  expect(outcome.usage).toEqual({ input_tokens: 20, output_tokens: 8, cache_read_tokens: 4, cache_write_tokens: 0 });
  expect(deltas.join("")).toBe(outcome.text);
});

it("a package that has a provider ready works too; one that is missing or of another version is refused before anything starts", async () => {
  const ready = await installed("v3", "ready");
  let text = "";
  for await (const event of ready.run({ prompt: "go", model: "tiny/m-1" })) if (event.type === "text") text = event.body.text;
  expect(text).toContain("m-1 own");
  const other = await installed("v9" as Version, "create");
  await expect(other.run({ prompt: "go", model: "tiny/m-1" }).next()).rejects.toThrow("unknown specification (v9)");
  const { engine } = await testEngine({ config: { providers: { none: { type: "ai-sdk", package: "@vendor/none" } } } });
  await expect((await engine.openSession()).run({ prompt: "go", model: "none/m" }).next()).rejects.toThrow("@vendor/none is not installed");
});
