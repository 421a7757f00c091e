/** Schemas and values in words a model understands: what was expected, what came, and an example that would be right. */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";
import { isObject, type Shape, shapeOf, typeOfValue } from "./schema-shape.ts";

const maxChoices = 12;
const maxShown = 60;
const maxExampleDepth = 4;

export function expectation(root: JsonSchema, node: JsonObject, depth = 2): string {
  const shape = shapeOf(root, node);
  const choices = Array.isArray(shape.node.enum) ? shape.node.enum : shape.node.const === undefined ? undefined : [shape.node.const];
  if (choices !== undefined) return choices.length === 1 ? shown(choices[0]) : `one of ${listed(choices)}`;
  if (shape.branches.length > 0 && depth > 0) {
    const each = shape.branches.map((branch) => expectation(root, branch, depth - 1));
    return [...new Set(each)].join(" or ");
  }
  if (shape.types.length === 0) return "any value";
  return shape.types.map((type) => typeInWords(root, shape, type, depth)).join(" or ");
}

function typeInWords(root: JsonSchema, shape: Shape, type: string, depth: number): string {
  const { node } = shape;
  if (type === "integer" || type === "number")
    return `${type}${range(node.minimum ?? node.exclusiveMinimum, node.maximum ?? node.exclusiveMaximum)}`;
  if (type === "string") {
    const length =
      node.minLength === 1 && node.maxLength === undefined ? " (not empty)" : range(node.minLength, node.maxLength, " characters");
    const form =
      typeof node.format === "string" ? ` (${node.format})` : typeof node.pattern === "string" ? ` matching ${cut(node.pattern)}` : "";
    return `string${length}${form}`;
  }
  if (type === "array") {
    const items = shape.items === undefined || depth <= 0 ? "" : ` of ${expectation(root, shape.items, depth - 1)}`;
    return `array${items}${range(node.minItems, node.maxItems, " items")}`;
  }
  if (type === "object" && shape.required.size > 0 && depth > 0)
    return `object with ${[...shape.required].slice(0, maxChoices).join(", ")}`;
  return type;
}

function range(low: Json | undefined, high: Json | undefined, unit = ""): string {
  if (typeof low === "number" && typeof high === "number") return ` from ${low} to ${high}${unit}`;
  if (typeof low === "number") return ` of at least ${low}${unit}`;
  return typeof high === "number" ? ` of at most ${high}${unit}` : "";
}

function listed(values: readonly Json[]): string {
  const rest = values.length - maxChoices;
  return `${values.slice(0, maxChoices).map(shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function shown(value: Json | undefined): string {
  return cut(JSON.stringify(value) ?? "nothing");
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

export function received(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") return `string ${shown(value.slice(0, maxShown + 1))}`;
  if (Array.isArray(value)) return `array of ${value.length}`;
  return isObject(value) ? "object" : `${typeOfValue(value)} ${String(value)}`;
}

/** The smallest input that satisfies what can be read off a schema. */
export function exampleFor(root: JsonSchema, node: JsonObject, name = "value", depth = 0): Json {
  const shape = shapeOf(root, node);
  const given = [shape.node.default, shape.node.const, first(shape.node.examples), first(shape.node.enum)].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  const [branch] = shape.branches;
  if (branch !== undefined && shape.properties.size === 0 && depth < maxExampleDepth) return exampleFor(root, branch, name, depth + 1);
  switch (shape.types.find((type) => type !== "null")) {
    case "integer":
    case "number":
      return typeof shape.node.minimum === "number" ? shape.node.minimum : 1;
    case "boolean":
      return true;
    case "array":
      return shape.items === undefined || depth >= maxExampleDepth ? [] : [exampleFor(root, shape.items, name, depth + 1)];
    case "object": {
      const result: Record<string, Json> = {};
      for (const key of depth >= maxExampleDepth ? [] : shape.required) {
        const schema = shape.properties.get(key);
        if (schema !== undefined && key !== "__proto__") result[key] = exampleFor(root, schema, key, depth + 1);
      }
      return result;
    }
    default:
      return `<${name}>`;
  }
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}
