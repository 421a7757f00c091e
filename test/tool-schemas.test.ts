/**
 * What models are told about each built-in tool is an interface: a change of it is seen here and made on purpose.
 * `KARYI_UPDATE=1 npx vitest run test/tool-schemas.test.ts` stores what is there now; format it afterwards.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
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
