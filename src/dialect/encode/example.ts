/**
 * An example input for a tool: its own where it has one, else made from its schema (required parameters and those
 * with a default). It shows the form of a call, not a sensible one.
 */
import type { Json, JsonObject, JsonSchema, ToolSpec } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import { readTags } from "../read/tools-xml-tags.ts";
import type { Dialect } from "../types.ts";
import { encodeCalls, encodeToolCall, type PlainCall } from "./encode-calls.ts";

const maxNesting = 6;

function exampleInput(tool: ToolSpec): JsonObject {
  const given = tool.example as Json | undefined;
  if (isObject(given)) return given;
  const made = exampleOf(tool.inputSchema, tool.inputSchema, "value", 0);
  return isObject(made) ? made : {};
}

/** The call that the example of a tool stands for in this dialect. */
export function exampleCall(tool: ToolSpec, dialect: Dialect): PlainCall {
  const input = exampleInput(tool);
  const rule = dialect === "toolsxml" ? readTags.find((tag) => tag.tool === tool.name) : undefined;
  return { name: tool.name, input: rule === undefined ? input : { ...input, ...rule.fixed } };
}

/** The same call, written out. */
export function exampleText(tool: ToolSpec, dialect: Dialect): string {
  const call = exampleCall(tool, dialect);
  if (dialect === "tool_call" || dialect === "auto") return encodeToolCall(call, { quoteAll: !hasMixedText(tool.inputSchema) });
  const encoded = encodeCalls(dialect, [call]);
  return typeof encoded === "string" ? encoded : JSON.stringify(encoded, undefined, 2);
}

/** Where a parameter may be text or something else, CDATA says text: then numbers must stand bare. */
function hasMixedText(schema: JsonSchema): boolean {
  return /"(anyOf|oneOf)"|"type":\[/.test(JSON.stringify(schema));
}

function exampleOf(schema: Json | undefined, root: JsonSchema, name: string, depth: number): Json {
  if (!isObject(schema) || depth > maxNesting) return `your_${name}_here`;
  const stated = stock(schema);
  if (stated !== undefined) return stated;
  const branch = branchOf(schema, root);
  if (branch !== undefined) return exampleOf(branch, root, name, depth + 1);
  const types: readonly Json[] = Array.isArray(schema.type)
    ? (schema.type as readonly Json[])
    : [schema.type ?? (schema.properties === undefined ? "string" : "object")];
  switch (types.find((type) => type !== "null")) {
    case "integer":
    case "number":
      return numberFor(schema);
    case "boolean":
      return true;
    case "array":
      return [exampleOf(schema.items, root, name.replace(/s$/, ""), depth + 1)];
    case "object":
      return exampleObject(schema, root, depth);
    default:
      return schema.format === "uri" ? "https://example.com" : `your_${name}_here`;
  }
}

/** A value the schema itself states. */
function stock(schema: JsonObject): Json | undefined {
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  const examples = Array.isArray(schema.examples) ? (schema.examples as readonly Json[]) : [];
  if (examples[0] !== undefined) return examples[0];
  return Array.isArray(schema.enum) ? (schema.enum as readonly Json[])[0] : undefined;
}

function branchOf(schema: JsonObject, root: JsonSchema): Json | undefined {
  for (const word of ["anyOf", "oneOf", "allOf"]) {
    const list = schema[word];
    if (Array.isArray(list)) return (list as readonly Json[]).find((one) => isObject(one) && one.type !== "null");
  }
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith("#/")) return undefined;
  let at: Json | undefined = root;
  for (const step of schema.$ref.slice(2).split("/")) at = isObject(at) ? at[step] : undefined;
  return at;
}

function numberFor(schema: JsonObject): number {
  if (typeof schema.minimum === "number") return Math.max(schema.minimum, schema.minimum > 0 ? schema.minimum : 1);
  if (typeof schema.exclusiveMinimum === "number") return schema.exclusiveMinimum + 1;
  return typeof schema.maximum === "number" ? Math.min(1, schema.maximum) : 1;
}

function exampleObject(schema: JsonObject, root: JsonSchema, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as readonly Json[]) : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, property]) => required.includes(name) || (isObject(property) && property.default !== undefined))
      .map(([name, property]) => [name, exampleOf(property, root, name, depth + 1)]),
  );
}
