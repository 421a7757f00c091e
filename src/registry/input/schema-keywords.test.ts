import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defineTool, type Json, type JsonObject } from "../../contract/index.ts";
import { parseInput } from "./parse-input.ts";
import { usableSchema } from "./usable-schema.ts";

interface Cases {
  readonly keyword: string;
  readonly schema: JsonObject;
  readonly values: readonly (readonly [value: Json, valid: boolean])[];
}

/** Schemas of 2020-12 and draft 7 with values that they take and refuse, a line each. */
const cases = readFileSync(new URL("../fixtures/schema-cases.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Cases);

/** As a parameter of a tool. A schema that refers to its own root is one of its own there. */
function takes(schema: JsonObject, value: Json): boolean {
  const own = schema.$id === undefined ? { $id: "https://e.example/value", ...schema } : schema;
  const input = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { value: own },
    required: ["value"],
  };
  const tool = defineTool({ name: "try", description: "Tries a schema.", input, run: async () => ({ output: "" }) });
  try {
    parseInput(tool, { value });
    return true;
  } catch {
    return false;
  }
}

test("schemas are understood keyword by keyword: every value is taken or refused rightly", () => {
  const all = cases.flatMap(({ keyword, schema, values }) => values.map(([value, valid]) => ({ keyword, schema, value, valid })));
  const wrong = all.filter(({ schema, value, valid }) => takes(schema, structuredClone(value)) !== valid);
  expect(all.length).toBeGreaterThan(180);
  expect(wrong.map(({ keyword, value }) => [keyword, value])).toEqual([]);
});

test("dynamic references that can be reached in too many ways are not checked on all of them, and that is said", () => {
  const names = Array.from({ length: 16 }, (_, at) => `n${at}`);
  const anchors = (own: JsonObject): JsonObject => Object.fromEntries(names.map((name) => [name, { $dynamicAnchor: name, ...own }]));
  // Each document has an anchor of its own name and leads to all others, so that every order of them is a way.
  const documents = names.map((name): [string, JsonObject] => [
    `d-${name}`,
    {
      $id: `d-${name}`,
      properties: Object.fromEntries(names.map((other) => [other, { $ref: `d-${other}` }])),
      items: { $dynamicRef: `hub#${name}` },
      $defs: { own: { $dynamicAnchor: name, type: "string" } },
    },
  ]);
  const $defs = { ...Object.fromEntries(documents), hub: { $id: "hub", $defs: anchors({}) } };
  const { gaps } = usableSchema({ $id: "https://e.example/many", type: "object", properties: { a: { $ref: "d-n0" } }, $defs });
  expect(gaps.some((gap) => gap.endsWith("one of too many ways to it"))).toBe(true);
});

test("unevaluatedItems at every level of a deep schema, or behind references that double, makes code that can be run", () => {
  const deep = (levels: number): JsonObject =>
    levels === 0
      ? { prefixItems: [true] }
      : { anyOf: [deep(levels - 1), { maxItems: 0 }], contains: { const: 1 }, unevaluatedItems: false };
  expect([takes(deep(3), [1]), takes(deep(3), [1, 2]), takes(deep(24), [1])]).toEqual([true, false, true]);
  const doubling = Array.from({ length: 40 }, (_, at): [string, JsonObject] => {
    const next = at === 39 ? { minItems: 1 } : { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { allOf: [next, next] }];
  });
  const when = { if: { minItems: 1 }, else: { $ref: "#/$defs/d0" }, $defs: Object.fromEntries(doubling) };
  const referring = { ...when, prefixItems: [true], unevaluatedItems: false };
  expect([takes(referring, [1]), takes(referring, [1, 2])]).toEqual([true, false]);
});

test("unevaluatedItems in a schema that refers to itself is checked on inputs of any depth", () => {
  const nested: JsonObject = { anyOf: [{ type: "array", items: { $ref: "#" } }, { type: "string" }], unevaluatedItems: false };
  const within = (value: Json, levels: number): Json => (levels === 0 ? value : within([value], levels - 1));
  expect([takes(nested, within("x", 80)), takes(nested, within(1, 80))]).toEqual([true, false]);
});
