/**
 * What models are told about each built-in tool is an interface: a change of it is seen here and made on purpose.
 * `KARYI_UPDATE=1 npx vitest run test/tool-schemas.test.ts` stores what is there now; format it afterwards.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ToolSpec } from "../src/contract/index.ts";
import { generateToolInstruction } from "../src/dialect/index.ts";
import { testEngine } from "./support/engine.ts";

const stored = join(import.meta.dirname, "snapshots/tool-schemas.json");

it("every built-in tool is advertised as it is stored", async () => {
  const { engine } = await testEngine();
  const told = Object.fromEntries(
    engine.tools().map(({ name }) => {
      const tool = engine.registry.get(name);
      if (tool === undefined) throw new Error(`${name} is listed and not registered`);
      const { inputSchema, aliases, description, traits, safetyLevel } = engine.describe(tool);
      return [name, { aliases, description, synonyms: tool.synonyms ?? {}, traits, safetyLevel, inputSchema }];
    }),
  );
  const plain = JSON.parse(JSON.stringify(told)) as Record<string, unknown>;
  if (process.env.KARYI_UPDATE === "1") await writeFile(stored, `${JSON.stringify(plain, null, 2)}\n`);
  expect(plain).toEqual(JSON.parse(await readFile(stored, "utf8")));
});

it("a built-in costs on average at most 130 tokens in native form and 150 in text, the core at most 1,500 and 1,700", async () => {
  const { engine } = await testEngine();
  const session = await engine.openSession();
  const specs = engine.tools().flatMap(({ name }) => engine.describeTool(name) ?? []);
  const active = session.catalog.activeTools();
  // Four characters a token, as providers estimate it for English and JSON.
  const native = (tools: readonly ToolSpec[]) => JSON.stringify(generateToolInstruction(tools, "anthropic")).length / 4;
  const frame = generateToolInstruction([], "tool_call").length;
  const text = (tools: readonly ToolSpec[]) => (generateToolInstruction(tools, "tool_call").length - frame) / 4;
  expect(native(specs) / specs.length).toBeLessThanOrEqual(130);
  expect(text(specs) / specs.length).toBeLessThanOrEqual(150);
  expect(native(active)).toBeLessThanOrEqual(1500);
  expect(text(active)).toBeLessThanOrEqual(1700);
});

it("every example a tool gives is an input it takes", async () => {
  const { engine } = await testEngine({ approve: async () => "deny" });
  const session = await engine.openSession();
  for (const { name } of engine.tools()) {
    const example = engine.registry.get(name)?.example;
    expect(example, `${name} has an example`).toBeDefined();
    const { error } = await session.call(name, example, { dryRun: true });
    const problems = error?.code === "invalid_tool_input" ? error.message : undefined;
    expect(problems, `the example of ${name}`).toBeUndefined();
  }
});
