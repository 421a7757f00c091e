import { describe, expect, it } from "vitest";
import { z } from "zod";
import fc from "../../../test/support/fast-check.ts";
import { defineTool, type JsonObject, type Tool, ToolFailure } from "../../contract/index.ts";
import { inputSchemaOf, parseInput, toolSpec, uncheckedParts } from "../index.ts";

const run = () => ({ output: "" });

const read = defineTool({
  name: "Read",
  description: "Reads a file.",
  input: z.object({
    file_path: z.string().describe("Where it is"),
    limit: z.int().min(1).max(50).default(5),
    ratio: z.number().optional(),
    all: z.boolean().default(false),
    tags: z.array(z.string()).optional(),
    options: z.object({ depth: z.number(), note: z.string().nullable().optional() }).optional(),
    target: z
      .union([z.object({ kind: z.literal("line"), line: z.int() }), z.object({ kind: z.literal("name"), name: z.string() })])
      .optional(),
  }),
  synonyms: { path: "file_path" },
  example: { file_path: "README.md" },
  run,
});

function imported(input: JsonObject, name = "mcp__files__read"): Tool {
  return defineTool({ name, description: "Reads a file.", input, run });
}

const importedRead = imported({
  type: "object",
  properties: {
    file_path: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: 50, default: 5 },
    all: { type: "boolean", default: false },
    tags: { type: "array", items: { type: "string" } },
    mode: { enum: ["text", "bytes"] },
    options: { type: "object", properties: { depth: { type: "number" } }, required: ["depth"], additionalProperties: false },
    target: {
      anyOf: [
        { type: "object", properties: { kind: { const: "line" }, line: { type: "integer" } }, required: ["kind", "line"] },
        { type: "object", properties: { kind: { const: "name" }, name: { type: "string" } }, required: ["kind", "name"] },
      ],
    },
  },
  required: ["file_path"],
});

function failure(tool: Tool, raw: unknown): ToolFailure {
  try {
    parseInput(tool, raw);
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

function problems(tool: Tool, raw: unknown): unknown {
  const { code, details } = failure(tool, raw);
  expect(code).toBe("invalid_tool_input");
  expect(details?.reason).toBe("bad_parameters");
  return details?.problems;
}

describe.each([
  ["a zod tool", read],
  ["an imported tool", importedRead],
])("the input of %s", (_, tool) => {
  it("gets its defaults", () => {
    expect(parseInput(tool, { file_path: "a" })).toEqual({ file_path: "a", limit: 5, all: false });
  });

  it("names a missing parameter and what was expected", () => {
    expect(problems(tool, {})).toEqual([{ parameter: "file_path", problem: "missing", expected: "string", received: "nothing" }]);
    expect(failure(tool, {}).message).toBe(`${tool.name}: 'file_path' is missing; expected string.`);
  });

  it("names an unknown parameter and offers the closest one", () => {
    const { message } = failure(tool, { file_path: "a", limitt: 3 });
    expect(message).toContain(`'limitt' is not a parameter of ${tool.name}. Did you mean 'limit'? Expected only file_path, limit`);
  });

  it("names an ill-typed parameter, what was expected and what came", () => {
    expect(problems(tool, { file_path: 5, limit: "ten" })).toEqual([
      { parameter: "file_path", problem: "type", expected: "string", received: "integer 5" },
      { parameter: "limit", problem: "type", expected: "integer from 1 to 50", received: 'string "ten"' },
    ]);
  });

  it("lists all problems at once, nested ones by their path", () => {
    const found = problems(tool, { limit: 99, nonsense: true, options: { depth: "deep", other: 1 }, tags: ["a", 2] });
    expect(found).toHaveLength(6);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ parameter: "file_path", problem: "missing" }),
        { parameter: "limit", problem: "value", expected: "integer from 1 to 50", received: "integer 99" },
        expect.objectContaining({ parameter: "nonsense", problem: "unknown" }),
        { parameter: "options.depth", problem: "type", expected: "number", received: 'string "deep"' },
        expect.objectContaining({ parameter: "options.other", problem: "unknown" }),
        { parameter: "tags[1]", problem: "type", expected: "string", received: "integer 2" },
      ]),
    );
  });

  it("explains only the branch of a union that the value belongs to", () => {
    expect(problems(tool, { file_path: "a", target: { kind: "line", line: "first" } })).toEqual([
      { parameter: "target.line", problem: "type", expected: "integer", received: 'string "first"' },
    ]);
  });

  it("takes numbers, booleans and JSON written as text where the schema wants the value", () => {
    const input = { file_path: "a", limit: "7", all: "True", tags: '["x","y"]', options: '{"depth": "2"}' };
    expect(parseInput(tool, input)).toEqual({ file_path: "a", limit: 7, all: true, tags: ["x", "y"], options: { depth: 2 } });
  });

  it("leaves text alone where text is wanted", () => {
    expect(parseInput(tool, { file_path: "5" })).toMatchObject({ file_path: "5" });
    expect(parseInput(tool, { file_path: '{"a":1}' })).toMatchObject({ file_path: '{"a":1}' });
  });

  it("does not guess at numbers", () => {
    for (const limit of ["5 lines", "0x10", "1e400", "", "5,0", "99999999999999999999"])
      expect(problems(tool, { file_path: "a", limit })).toMatchObject([{ parameter: "limit" }]);
  });

  it("takes one text for a list of texts, and null for an absent optional parameter", () => {
    expect(parseInput(tool, { file_path: "a", tags: "x", limit: null })).toEqual({ file_path: "a", tags: ["x"], limit: 5, all: false });
    expect(problems(tool, { file_path: null })).toMatchObject([{ parameter: "file_path", received: "null" }]);
  });

  it("takes other spellings of a name and refuses two values for one", () => {
    expect(parseInput(tool, { filePath: "a" })).toMatchObject({ file_path: "a" });
    expect(parseInput(tool, { "File-Path": "a", file_path: "a" })).toMatchObject({ file_path: "a" });
    expect(failure(tool, { filePath: "a", file_path: "b" }).message).toContain("given twice with different values");
  });

  it("takes an object written as text, and says so when the text is none", () => {
    expect(parseInput(tool, '{"file_path":"a"}')).toMatchObject({ file_path: "a" });
    expect(failure(tool, "{file_path: a").message).toContain("an object of parameters, but came as text that is not JSON");
    expect(failure(tool, [1]).message).toContain("came as array of 1");
  });

  it("refuses __proto__ anywhere and lets no name reach a prototype", () => {
    expect(failure(tool, JSON.parse('{"file_path":"a","__proto__":{"polluted":1}}')).message).toContain("__proto__");
    expect(problems(tool, { file_path: "a", constructor: { prototype: { polluted: 1 } } })).toMatchObject([{ parameter: "constructor" }]);
    expect(problems(tool, { file_path: "a", toString: 1, hasOwnProperty: 1 })).toHaveLength(2);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("survives a nesting of 100,000 levels, given or as text", () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    expect(failure(tool, { file_path: deep }).message).toContain("nested deeper than 100 levels");
    const text = `{"file_path":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(failure(tool, text).message).toContain("nested deeper than 100 levels");
    expect(failure(tool, { file_path: "a", options: `{"depth":${"[".repeat(100_000)}${"]".repeat(100_000)}}` }).message).toContain(
      "nested",
    );
  });

  it("refuses what JSON cannot hold", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const throwing = Object.defineProperty({}, "file_path", {
      enumerable: true,
      get() {
        throw new TypeError("no");
      },
    });
    for (const raw of [{ file_path: () => "a" }, { file_path: 1n }, { limit: Number.NaN }, new Map(), new Date(), circular, throwing])
      expect(failure(tool, raw).code).toBe("invalid_tool_input");
  });

  it("throws nothing but ToolFailure, whatever comes", () => {
    const names = fc.constantFrom(
      "file_path",
      "filePath",
      "limit",
      "all",
      "tags",
      "options",
      "target",
      "mode",
      "__proto__",
      "constructor",
      "",
    );
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      maxDepth: 4,
    });
    const raw = fc.oneof(value, fc.dictionary(names, value), fc.json(), fc.string());
    fc.assert(
      fc.property(raw, (input) => {
        try {
          parseInput(tool, input);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
      { numRuns: process.env.KARYI_FULL === "1" ? 20_000 : 500 },
    );
  });
});

describe("synonyms and hints of a tool", () => {
  it("maps a synonym to its parameter", () => {
    expect(parseInput(read, { path: "a" })).toMatchObject({ file_path: "a" });
    expect(failure(read, { path: "a", file_path: "b" }).message).toContain("as 'path' and as 'file_path'");
  });

  it("shows the tool's example, or one made from the schema", () => {
    expect(failure(read, {}).hint).toBe('A right input: {"file_path":"README.md"}');
    const tool = imported({
      type: "object",
      properties: { to: { type: "string" }, n: { type: "integer", minimum: 3 }, kind: { enum: ["a", "b"] } },
      required: ["to", "n", "kind"],
    });
    expect(failure(tool, {}).hint).toBe('A right input: {"to":"<to>","n":3,"kind":"a"}');
  });

  it("gives a tool's own check its own words", () => {
    const tool = defineTool({
      name: "Even",
      description: "",
      input: z.object({ n: z.int().refine((n) => n % 2 === 0, "must be even") }),
      run,
    });
    expect(failure(tool, { n: 3 }).message).toBe("Even: 'n': must be even (came as integer 3).");
  });
});

describe("imported schemas", () => {
  it("follow references and both drafts", () => {
    const definitions = { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } };
    const old = imported({
      $schema: "http://json-schema.org/draft-07/schema#",
      $id: "s",
      type: "object",
      definitions,
      properties: { at: { $ref: "#/definitions/point" } },
    });
    const recent = imported({ $id: "s", type: "object", $defs: definitions, properties: { at: { $ref: "#/$defs/point" } } });
    for (const tool of [old, recent]) {
      expect(parseInput(tool, { at: '{"x":"1.5"}' })).toEqual({ at: { x: 1.5 } });
      expect(problems(tool, { at: {} })).toEqual([{ parameter: "at.x", problem: "missing", expected: "number", received: "nothing" }]);
    }
  });

  it("are open only where they say so", () => {
    expect(parseInput(imported({ type: "object" }), { any: 1 })).toEqual({ any: 1 });
    expect(parseInput(imported({ type: "object", properties: {}, additionalProperties: true }), { any: 1 })).toEqual({ any: 1 });
    expect(problems(imported({ type: "object", properties: {} }), { any: 1 })).toMatchObject([
      { parameter: "any", expected: "no parameters" },
    ]);
    expect(parseInput(imported({}), undefined)).toEqual({});
  });

  it("with a default that does not fit its own type take right calls, and null is absent where the type has no null", () => {
    const tool = imported({
      type: "object",
      properties: { since: { type: "string", default: null }, n: { type: "integer", default: "x" }, k: { enum: ["a"], default: "b" } },
    });
    expect(parseInput(tool, {})).toEqual({});
    expect(parseInput(tool, { since: null, n: 3 })).toEqual({ n: 3 });
  });

  it("may refer to themselves by #, by their own $id and by an anchor", () => {
    const node = { type: "object", properties: { next: { $ref: "#" }, n: { type: "integer" } } };
    expect(problems(imported(node), { next: { next: { n: "x" } } })).toMatchObject([{ parameter: "next.next.n", problem: "type" }]);
    const named = imported({
      $id: "https://example.com/tree",
      type: "object",
      properties: { child: { $ref: "https://example.com/tree" }, n: { $ref: "tree#count" } },
      $defs: { count: { $anchor: "count", type: "integer" } },
    });
    expect(problems(named, { child: { n: true } })).toMatchObject([{ parameter: "child.n", problem: "type" }]);
  });

  it("may refer into a list of items, and by a name that no $ref beside it takes away", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const pair = { type: "array", items: [{ type: "integer" }, { $ref: "#/properties/pair/items/0" }] };
    const listed = imported({ $schema, type: "object", properties: { pair } });
    expect(parseInput(listed, { pair: [1, 2] })).toEqual({ pair: [1, 2] });
    expect(problems(listed, { pair: [1, true] })).toMatchObject([{ parameter: "pair[1]" }]);
    const named = imported({
      $schema,
      $id: "http://e.example/base/",
      type: "object",
      definitions: { foo: { $id: "http://e.example/foo", type: "boolean" }, here: { $id: "foo", type: "integer" } },
      properties: { n: { $id: "http://e.example/", $ref: "foo" } },
    });
    expect(problems(named, { n: true })).toMatchObject([{ parameter: "n", problem: "type" }]);
  });

  it("of drafts 3, 4 and 2019-09 are checked as they mean it", () => {
    const four = imported({
      $schema: "http://json-schema.org/draft-04/schema#",
      type: "object",
      properties: { n: { type: "integer", minimum: 0, exclusiveMinimum: true }, pair: { type: "array", items: [{ type: "integer" }] } },
    });
    expect(parseInput(four, { n: 1, pair: [1, "x"] })).toEqual({ n: 1, pair: [1, "x"] });
    expect(problems(four, { n: 0 })).toMatchObject([{ parameter: "n", problem: "value" }]);
    expect(problems(four, { pair: [true] })).toMatchObject([{ parameter: "pair[0]" }]);
    const three = imported({ type: "object", properties: { a: { type: "any", required: true } } });
    expect(problems(three, {})).toMatchObject([{ parameter: "a", problem: "missing" }]);
    const nineteen = imported({
      $schema: "https://json-schema.org/draft/2019-09/schema",
      type: "object",
      properties: { next: { $recursiveRef: "#" }, n: { type: "integer" } },
      dependentRequired: { n: ["next"] },
    });
    expect(problems(nineteen, { next: { n: 1 } })).toMatchObject([{ parameter: "next.next", problem: "missing" }]);
  });

  it("with one odd keyword are checked by what is understood, and say what is not", () => {
    const tool = imported({
      type: "object",
      properties: {
        a: { type: "nonsense" },
        b: { $ref: "https://example.com/x" },
        c: { type: "string", pattern: "(" },
        d: { type: "integer", minimum: "1" },
      },
      required: "a",
    });
    expect(toolSpec(tool).inputSchema).toBe(tool.input);
    expect(parseInput(tool, { a: 1, b: [2], c: "x" })).toEqual({ a: 1, b: [2], c: "x" });
    expect(problems(tool, { d: "x" })).toMatchObject([{ parameter: "d", problem: "type" }]);
    expect(uncheckedParts(tool)).toEqual([
      "properties/a: type",
      'properties/b: $ref "https://example.com/x"',
      "properties/c: pattern",
      "properties/d: minimum",
      "required",
    ]);
  });

  it("with a default outside of its own bounds take calls without it", () => {
    const tool = imported({
      type: "object",
      properties: {
        n: { type: "number", maximum: 3, default: 5 },
        m: { type: "integer", exclusiveMinimum: 1, default: 1 },
        s: { type: "string", minLength: 1, default: "" },
        p: { type: "string", pattern: "^a+$", default: "b" },
        l: { type: "array", minItems: 1, default: [] },
        k: { type: "integer", minimum: 1, maximum: 9, default: 9 },
      },
    });
    expect(parseInput(tool, {})).toEqual({ k: 9 });
    expect(problems(tool, { n: 5 })).toMatchObject([{ parameter: "n" }]);
  });

  it("may refer to what nothing fits, and by empty names", () => {
    const tool = imported({
      type: "object",
      properties: { no: { $ref: "#/$defs/none" }, n: { $ref: "#/$defs//$defs/" } },
      $defs: { none: false, "": { $defs: { "": { type: "number" } } } },
    });
    expect(problems(tool, { no: 1 })).toMatchObject([{ parameter: "no" }]);
    expect(problems(tool, { n: {} })).toMatchObject([{ parameter: "n", problem: "type" }]);
  });

  it("may refer to the schema of schemas", () => {
    for (const name of ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]) {
      const meta = imported({ type: "object", properties: { schema: { $ref: name } } });
      expect(parseInput(meta, { schema: { minLength: 1 } })).toEqual({ schema: { minLength: 1 } });
      expect(problems(meta, { schema: { minLength: -1 } })).toMatchObject([{ parameter: "schema.minLength" }]);
    }
  });

  it("cannot reach a prototype through their defaults", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"properties":{"polluted":{"default":1}}},"constructor":{"properties":{"polluted":{"default":1}}}}}',
    );
    parseInput(imported(schema), {});
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((Object as unknown as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("cannot hang the engine with a pattern", () => {
    const tool = imported({
      type: "object",
      properties: { a: { type: "string", pattern: "^(a+)+$" }, b: { type: "string", pattern: "^\\d+$" } },
    });
    expect(parseInput(tool, { a: `${"a".repeat(50_000)}!` })).toBeDefined();
    expect(problems(tool, { b: "x" })).toEqual([
      { parameter: "b", problem: "value", expected: "string matching ^\\d+$", received: 'string "x"' },
    ]);
  });
});

describe("the advertised schema", () => {
  it("says what is checked, without what only zod needs", () => {
    const tool = defineTool({
      name: "T",
      description: "d",
      input: z.object({ n: z.int().optional(), free: z.looseObject({}).optional() }),
      run,
    });
    expect(inputSchemaOf(tool)).toEqual({
      type: "object",
      properties: { n: { type: "integer" }, free: { type: "object", properties: {}, additionalProperties: {} } },
      additionalProperties: false,
    });
    expect(inputSchemaOf(tool)).toBe(inputSchemaOf(tool));
  });

  it("keeps loose objects open and intersections whole", () => {
    const tool = defineTool({
      name: "T",
      description: "d",
      input: z.intersection(z.object({ a: z.string() }), z.object({ b: z.looseObject({}).optional() })),
      run,
    });
    expect(parseInput(tool, { a: "x", b: { more: 1 } })).toEqual({ a: "x", b: { more: 1 } });
    expect(problems(tool, { a: "x", c: 1 })).toMatchObject([{ parameter: "c", problem: "unknown" }]);
  });

  it("is part of a tool's card", () => {
    expect(toolSpec(read)).toMatchObject({ name: "Read", description: "Reads a file.", aliases: [], example: { file_path: "README.md" } });
  });
});
