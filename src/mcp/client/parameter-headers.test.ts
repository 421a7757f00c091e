import { describe, expect, test } from "vitest";
import { headerDeclarations, parameterHeaders } from "./parameter-headers.ts";

const schema = (properties: object) => ({ type: "object", properties }) as Parameters<typeof headerDeclarations>[0];
const named = (header: unknown, type: string = "string") => ({ type, "x-mcp-header": header });

describe("parameters as headers", () => {
  test("are mirrored at any depth; what HTTP cannot carry is encoded, what is absent or no primitive is left out", () => {
    const declared = schema({
      region: named("Region"),
      count: named("Count", "integer"),
      dry: named("Dry", "boolean"),
      note: named("Note"),
      gone: named("Gone"),
      wrong: named("Wrong"),
      big: named("Big", "integer"),
      inner: { type: "object", properties: { name: named("Inner-Name") } },
    });
    const args = {
      region: "eu 1",
      count: 2,
      dry: false,
      note: " ü",
      gone: null,
      wrong: ["x"],
      big: 2 ** 60,
      inner: { name: "=?base64?eA==?=" },
    };
    expect(parameterHeaders(declared, args)).toEqual({
      "Mcp-Param-Region": "eu 1",
      "Mcp-Param-Count": "2",
      "Mcp-Param-Dry": "false",
      "Mcp-Param-Note": `=?base64?${Buffer.from(" ü").toString("base64")}?=`,
      "Mcp-Param-Inner-Name": `=?base64?${Buffer.from("=?base64?eA==?=").toString("base64")}?=`,
    });
    expect(parameterHeaders(schema({ line: named("Line") }), { line: "a\r\nX-Evil: 1" })["Mcp-Param-Line"]).toMatch(/^=\?base64\?/);
  });

  test.each([
    ["an empty name", schema({ a: named("") })],
    ["a name that HTTP does not take", schema({ a: named("X Y") })],
    ["no text", schema({ a: named(7) })],
    ["an object", schema({ a: named("A", "object") })],
    ["a number", schema({ a: named("A", "number") })],
    ["a name twice", schema({ a: named("A"), b: named("a") })],
    ["a place within a list", schema({ a: { type: "array", items: named("A") } })],
    ["a place within a choice", schema({ a: { anyOf: [named("A")] } })],
    ["the whole input", { type: "object", "x-mcp-header": "A" } as Parameters<typeof headerDeclarations>[0]],
  ])("a declaration of %s is refused", (_, wrong) => {
    expect(headerDeclarations(wrong)).toBeUndefined();
  });

  test("a property that is called like the keyword, and data that looks like one, are neither", () => {
    expect(headerDeclarations(schema({ "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } } }))).toEqual([]);
  });
});
