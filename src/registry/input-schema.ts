/**
 * The schema a tool is advertised with: JSON Schema 2020 made from zod, or the imported one as it is.
 * Made when first asked for, because start-up should not pay for tools nobody calls.
 */
import { toJSONSchema, type ZodType } from "zod";
import type { Json, JsonObject, JsonSchema, Tool, ToolSpec } from "../contract/index.ts";
import { isObject } from "./schema-shape.ts";

const schemas = new WeakMap<Tool, JsonSchema>();

export function zodOf(tool: Tool): ZodType | undefined {
  const { input } = tool;
  return "safeParse" in input && typeof input.safeParse === "function" ? (input as ZodType) : undefined;
}

export function inputSchemaOf(tool: Tool): JsonSchema {
  let schema = schemas.get(tool);
  if (schema === undefined) {
    const zod = zodOf(tool);
    schema = zod === undefined ? imported(tool.input as JsonSchema) : fromZod(zod);
    schemas.set(tool, schema);
  }
  return schema;
}

export function toolSpec(tool: Tool): ToolSpec {
  return {
    name: tool.name,
    description: tool.description,
    aliases: tool.aliases ?? [],
    inputSchema: inputSchemaOf(tool),
    ...(tool.example === undefined ? {} : { example: tool.example }),
  };
}

/** Clients of models insist on an object at the top, which imported tools without parameters often leave out. */
function imported(input: JsonSchema): JsonSchema {
  return Object.keys(input).length === 0 ? { type: "object", properties: {} } : input;
}

function fromZod(zod: ZodType): JsonSchema {
  const { $schema: _, "~standard": __, ...schema } = toJSONSchema(zod, { io: "input", unrepresentable: "any" }) as JsonObject;
  return tidied(schema, false) as JsonSchema;
}

/** Says what is checked: objects take no other parameters. Leaves out the bounds zod gives every integer. */
function tidied(schema: Json | undefined, partOfWhole: boolean): Json | undefined {
  if (Array.isArray(schema)) return schema.map((item) => tidied(item, partOfWhole) ?? null);
  if (!isObject(schema)) return schema;
  const result: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" || key === "$defs" || key === "patternProperties") result[key] = eachTidied(value);
    else if (key === "default" || key === "const" || key === "enum" || key === "examples") result[key] = value;
    else if (!(key === "maximum" && value === Number.MAX_SAFE_INTEGER) && !(key === "minimum" && value === Number.MIN_SAFE_INTEGER))
      result[key] = tidied(value, key === "allOf");
  }
  if (result.type === "object" && result.properties !== undefined && result.additionalProperties === undefined && !partOfWhole)
    result.additionalProperties = false;
  return result;
}

function eachTidied(schemas: Json | undefined): Json | undefined {
  if (!isObject(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidied(schema, false)]));
}
