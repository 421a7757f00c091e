/**
 * The schema a tool is advertised with: JSON Schema 2020 made from its zod or Standard Schema, or the imported one as it is.
 * Made when first asked for, because start-up should not pay for tools nobody calls.
 */
import { globalRegistry, toJSONSchema, type ZodType } from "zod";
import {
  type Json,
  type JsonObject,
  type JsonSchema,
  type SchemaKind,
  type StandardSchema,
  schemaKindOf,
  type Tool,
  type ToolSpec,
} from "../../contract/index.ts";
import { isObject } from "./schema-shape.ts";

const schemas = new WeakMap<Tool, JsonSchema>();

export function inputKindOf(tool: Tool): SchemaKind {
  return schemaKindOf(tool.input, `Tool '${tool.name}'`);
}

export function inputSchemaOf(tool: Tool): JsonSchema {
  let schema = schemas.get(tool);
  if (schema === undefined) {
    schema = advertised(tool);
    schemas.set(tool, schema);
  }
  return schema;
}

function advertised(tool: Tool): JsonSchema {
  return jsonForm(tool.input, `Tool '${tool.name}'`, (zod) => tidied(withoutHead(zod), false) as JsonSchema);
}

function jsonForm(schema: unknown, subject: string, fromZod: (zod: ZodType) => JsonSchema): JsonSchema {
  switch (schemaKindOf(schema, subject)) {
    case "zod":
      return fromZod(schema as ZodType);
    case "standard":
      return fromStandard(schema as StandardSchema);
    case "json":
      return imported(schema as JsonSchema);
  }
}

const dataSchemas = new WeakMap<Tool, JsonSchema>();

/** JSON Schema of `data` in a tool's results; further fields may stand beside those it names. */
export function dataSchemaOf(tool: Tool): JsonSchema | undefined {
  if (tool.dataSchema === undefined) return undefined;
  let schema = dataSchemas.get(tool);
  if (schema === undefined) {
    schema = jsonForm(tool.dataSchema(), `data of the tool '${tool.name}'`, withoutHead);
    dataSchemas.set(tool, schema);
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

/** A schema of another copy of zod keeps its descriptions in that copy's registry; `meta` of the schema finds them there. */
const anyRegistry = {
  get: (schema: ZodType): unknown => (typeof schema.meta === "function" ? schema.meta() : undefined) ?? globalRegistry.get(schema),
} as unknown as typeof globalRegistry;

function withoutHead(zod: ZodType): JsonSchema {
  const made = toJSONSchema(zod, { io: "input", unrepresentable: "any", metadata: anyRegistry }) as JsonObject;
  const { $schema: _, "~standard": __, ...schema } = made;
  return schema as JsonSchema;
}

function fromStandard(standard: StandardSchema): JsonSchema {
  const { $schema: _, ...schema } = standard["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) ?? {};
  return imported(JSON.parse(JSON.stringify(schema)) as JsonSchema);
}

/** Bounds that zod gives every integer, and that a text is not empty: both are checked, and a model learns nothing by them. */
function isNoise(key: string, value: Json | undefined): boolean {
  if (key === "minLength" || key === "minItems") return value === 1;
  return (key === "maximum" && value === Number.MAX_SAFE_INTEGER) || (key === "minimum" && value === Number.MIN_SAFE_INTEGER);
}

/** Says what is checked: objects take no other parameters. Leaves out what is noise to a model. */
function tidied(schema: Json | undefined, partOfWhole: boolean): Json | undefined {
  if (Array.isArray(schema)) return schema.map((item) => tidied(item, partOfWhole) ?? null);
  if (!isObject(schema)) return schema;
  const result: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties" || key === "$defs" || key === "patternProperties") result[key] = eachTidied(value);
    else if (key === "default" || key === "const" || key === "enum" || key === "examples") result[key] = value;
    else if (!isNoise(key, value)) result[key] = tidied(value, key === "allOf");
  }
  if (result.type === "object" && result.properties !== undefined && result.additionalProperties === undefined && !partOfWhole)
    result.additionalProperties = false;
  return result;
}

function eachTidied(schemas: Json | undefined): Json | undefined {
  if (!isObject(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, tidied(schema, false)]));
}
