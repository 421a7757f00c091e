import { describe, expect, test } from "vitest";
import { headerDeclarations, headerMismatch, parameterHeaders } from "./parameter-headers.ts";

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

  test.each([
    ["equal text", "eu 1", undefined],
    ["no header", null, "region is in the body, but not in the headers"],
    ["other text", "us", 'the header says "us", the body region="eu 1"'],
    ["the same in Base64", "=?base64?ZXUgMQ==?=", undefined],
    ["wrong padding", "=?base64?ZXUgMQ?=", "the header is no valid Base64 of UTF-8"],
    ["what no alphabet has", "=?base64?Z!XU?=", "the header is no valid Base64 of UTF-8"],
    ["bytes that are no UTF-8", "=?base64?/w==?=", "the header is no valid Base64 of UTF-8"],
  ])("a server compares the header with the body: %s", (_, header, body) => {
    const get = () => header;
    const expected = body === undefined ? undefined : { header: "Mcp-Param-Region", body };
    expect(headerMismatch(schema({ region: named("Region") }), { region: "eu 1" }, { get })).toEqual(expected);
  });

  test("a server compares numbers as numbers, and expects nothing for what is null or absent", () => {
    const declared = schema({ count: named("Count", "integer"), note: named("Note") });
    expect(
      headerMismatch(declared, { count: 42, note: null }, { get: (name) => (name.endsWith("Count") ? "42.0" : null) }),
    ).toBeUndefined();
  });
});
