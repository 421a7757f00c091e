/** `defineTool` takes the schema its author has: any zod 4, another library's Standard Schema, or JSON Schema. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { z as zodThree } from "zod/v3";
import { createEngine, defineTool, type StandardSchema, type Tool } from "../src/index.ts";
import { temporaryDirectory, testEngine } from "./support/engine.ts";

const readOnly = { readOnly: true } as const;

/** A library that is not zod: one text field, checked by hand. */
function cityLibrary(asynchronous: boolean): StandardSchemaV1<unknown, { city: string }> & StandardJSONSchemaV1<unknown, { city: string }> {
  const json = { $schema: "x", type: "object", properties: { city: { type: "string", description: "Where" } }, required: ["city"] };
  return {
    "~standard": {
      version: 1,
      vendor: "cities",
      validate: (value) => {
        const { city } = value as { readonly city?: unknown };
        const outcome: StandardSchemaV1.Result<{ city: string }> =
          typeof city === "string" && /^[A-Z]/.test(city)
            ? { value: { city: city.toUpperCase() } }
            : { issues: [{ message: "must begin with a capital", path: [{ key: "city" }] }] };
        return asynchronous ? Promise.resolve(outcome) : outcome;
      },
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/** As zod 4.0 makes them: no JSON Schema form, and descriptions known only to the copy that made them. */
function foreignZod() {
  const field = z.string();
  const named = z.object({ city: field, days: z.number().int().default(3) });
  Object.defineProperty(field, "meta", { value: () => ({ description: "Where" }) });
  return named;
}

async function told(tool: Tool, input: unknown) {
  const { engine } = await testEngine({ tools: [tool], approve: async () => "deny" });
  const session = await engine.openSession();
  const result = await session.call(tool.name, input);
  return { result, schema: engine.describe(tool).inputSchema };
}

describe("zod 4", () => {
  it("of another copy keeps its descriptions and its defaults", async () => {
    const tool = defineTool({
      name: "Weather",
      description: "Tells.",
      input: foreignZod(),
      traits: readOnly,
      run: ({ city, days }) => {
        expectTypeOf(city).toEqualTypeOf<string>();
        expectTypeOf(days).toEqualTypeOf<number>();
        return { output: `${city} ${days}` };
      },
    });
    const { result, schema } = await told(tool, { city: "Bergen" });
    expect(result.output).toBe("Bergen 3");
    expect(schema).toMatchObject({ properties: { city: { type: "string", description: "Where" } }, required: ["city"] });
  });

  it("that checks asynchronously is waited for", async () => {
    const input = z.object({ city: z.string().refine(async (city) => city !== "Nowhere", "is not on the map") });
    const tool = defineTool({ name: "Weather", description: "Tells.", input, traits: readOnly, run: ({ city }) => ({ output: city }) });
    expect((await told(tool, { city: "Bergen" })).result.output).toBe("Bergen");
    const { result } = await told(tool, { city: "Nowhere" });
    expect([result.error?.code, result.error?.message.includes("is not on the map")]).toEqual(["invalid_tool_input", true]);
  });
});

describe("Standard Schema with its JSON Schema form", () => {
  for (const asynchronous of [false, true])
    it(`types, checks and changes the input${asynchronous ? ", asynchronously too" : ""}`, async () => {
      const tool = defineTool({
        name: "Weather",
        description: "Tells.",
        input: cityLibrary(asynchronous),
        traits: readOnly,
        run: ({ city }) => {
          expectTypeOf(city).toEqualTypeOf<string>();
          return { output: city };
        },
      });
      const good = await told(tool, { city: "Bergen" });
      expect([good.result.output, good.schema]).toEqual([
        "BERGEN",
        { type: "object", properties: { city: { type: "string", description: "Where" } }, required: ["city"] },
      ]);
      const { result } = await told(tool, { city: "bergen" });
      expect([result.error?.code, result.error?.message.includes("must begin with a capital")]).toEqual(["invalid_tool_input", true]);
    });
});

it("raw JSON Schema is checked, and a read-only tool is a read", async () => {
  const input = { type: "object", properties: { city: { type: "string", minLength: 2 } }, required: ["city"] };
  const tool = defineTool({
    name: "Weather",
    description: "Tells.",
    input,
    traits: readOnly,
    run: (given) => ({ output: JSON.stringify(given) }),
  });
  expect((await told(tool, { city: "Bergen" })).result.output).toBe('{"city":"Bergen"}');
  expect((await told(tool, { city: "B" })).result.error?.code).toBe("invalid_tool_input");
});

describe("what cannot be used is said at once, with what to do instead", () => {
  const noJson: StandardSchema = { "~standard": { version: 1, vendor: "plain", validate: (value) => ({ value }) } };
  const cases: readonly [string, unknown, string][] = [
    ["zod 3", zodThree.object({ city: zodThree.string() }), "Use zod 4"],
    ["a library without JSON Schema", noJson, "schema of plain without a JSON Schema form"],
    ["nothing", undefined, "has no input schema"],
    ["a function", () => true, "a function for a schema"],
  ];
  for (const [what, input, words] of cases)
    it(`${what}, by defineTool and by the engine`, async () => {
      const definition = { name: "Weather", description: "Tells.", input: input as StandardSchema, run: () => ({ output: "" }) };
      expect(() => defineTool(definition)).toThrow(words);
      const places = { workspace: await temporaryDirectory(), home: await temporaryDirectory() };
      await expect(createEngine({ ...places, tools: [definition] })).rejects.toThrow(words);
    });
});
