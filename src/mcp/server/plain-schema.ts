/**
 * Schemas as every client takes them: no references, an object at the top, and nothing combined there. What cannot be said so
 * is said more loosely: the engine checks the input by the tool's own schema anyway.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";

/** Where references lead, and what the server that a tool comes from wants as headers: here nobody reads those. */
const dropped: ReadonlySet<string> = new Set(["$defs", "definitions", "x-mcp-header"]);
const namesOfProperties: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);
const combiners = ["anyOf", "oneOf", "allOf"] as const;
/** A schema of a stranger may grow without end if its references are followed. */
const maxNodes = 20_000;

interface Inlining {
  readonly root: JsonObject;
  /** References that are being followed. */
  readonly path: readonly string[];
  readonly count: { nodes: number };
}

export function plainSchema(schema: JsonSchema): JsonObject & { readonly type: "object" } {
  const { $schema: _, $id: __, ...whole } = inlined(schema, { root: schema, path: [], count: { nodes: 0 } }) as JsonObject;
  const { anyOf, oneOf, allOf, not: ___, ...top } = whole;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? (list as Json[]) : [])).filter(isObject);
  const parts = (Array.isArray(allOf) ? (allOf as Json[]) : []).filter(isObject);
  const properties = Object.assign({}, ...[...alternatives, ...parts, top].map((part) => propertiesOf(part)));
  const required = [...new Set([top, ...parts].flatMap((part) => namesOf(part.required)))];
  return {
    ...top,
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(combiners.some((name) => whole[name] !== undefined) ? { additionalProperties: true } : {}),
  };
}

function propertiesOf(part: JsonObject): JsonObject {
  return isObject(part.properties) ? part.properties : {};
}

function namesOf(required: Json | undefined): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** A reference to itself ends as "anything". */
function inlined(value: Json | undefined, at: Inlining): Json {
  at.count.nodes += 1;
  if (Array.isArray(value)) return value.map((item) => inlined(item, at));
  if (!isObject(value)) return value ?? null;
  if (at.count.nodes > maxNodes) return {};
  if (typeof value.$ref === "string") {
    const { $ref, ...beside } = value;
    const reference = String($ref);
    if (at.path.includes(reference)) return {};
    const target = inlined(targetOf(reference, at.root), { ...at, path: [...at.path, reference] });
    return { ...(isObject(target) ? target : {}), ...(inlined(beside, at) as JsonObject) };
  }
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || dropped.has(key)) continue;
    result[key] = namesOfProperties.has(key) && isObject(item) ? eachInlined(item, at) : inlined(item, at);
  }
  return result;
}

/** Here the keys are names that somebody gave, whatever they mean elsewhere in a schema. */
function eachInlined(properties: JsonObject, at: Inlining): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, item]) => [name, inlined(item, at)]));
}

function targetOf(reference: string, root: JsonObject): Json {
  if (!reference.startsWith("#")) return {};
  let node: Json | undefined = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    node = isObject(node) ? node[key] : undefined;
  }
  return node ?? {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
