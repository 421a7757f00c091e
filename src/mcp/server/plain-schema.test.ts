import { expect, it } from "vitest";
import { plainSchema } from "./plain-schema.ts";

it("keeps parameters that are named like words of JSON Schema", () => {
  const properties = { definitions: { type: "string" }, $defs: { type: "number" }, "x-mcp-header": { type: "boolean" } };
  expect(plainSchema({ type: "object", properties })).toEqual({ type: "object", properties });
});

it("drops what another server wants as headers: nobody reads them here", () => {
  const schema = { type: "object" as const, properties: { region: { type: "string", "x-mcp-header": "Region" } } };
  expect(plainSchema(schema)).toEqual({ type: "object", properties: { region: { type: "string" } } });
});

it("says references in place, and one to itself as anything", () => {
  const schema = {
    type: "object" as const,
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, name: { type: "string" } } } },
    properties: { first: { $ref: "#/$defs/node" } },
  };
  const node = { type: "object", properties: { next: {}, name: { type: "string" } } };
  expect(plainSchema(schema)).toEqual({ type: "object", properties: { first: node } });
});
