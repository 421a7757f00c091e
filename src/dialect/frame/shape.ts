/**
 * What a JSON Schema says about the type of a value: just enough to turn text into it.
 * It judges nothing: a value that fits nowhere is left as it came, and the engine's validation says why.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";

type TypeName = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

const typeNames: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean", "null", "array", "object"]);
const maxReferences = 16;

export class Shape {
  /** Empty where the schema does not say. */
  readonly types: ReadonlySet<TypeName>;
  readonly enums: readonly Json[] | undefined;
  private readonly branches: readonly JsonSchema[];
  private readonly known = new Map<string, Shape | undefined>();
  private listed: readonly string[] | undefined;

  constructor(
    schema: JsonSchema,
    private readonly root: JsonSchema,
  ) {
    this.branches = branchesOf(schema, root);
    const types = new Set<TypeName>();
    const enums: Json[] = [];
    let open = false;
    for (const branch of this.branches) {
      const values = enumOf(branch);
      if (values !== undefined) enums.push(...values);
      const named = typesOf(branch);
      for (const type of named) types.add(type);
      if (values !== undefined) for (const value of values) types.add(typeOf(value));
      else if (named.length > 0) open = true;
    }
    this.types = types;
    this.enums = enums.length > 0 && !open ? enums : undefined;
  }

  /** The properties it names, in order. */
  get names(): readonly string[] {
    this.listed ??= this.branches.flatMap((branch) => Object.keys(objectAt(branch, "properties") ?? {}));
    return this.listed;
  }

  property(name: string): Shape | undefined {
    if (this.known.has(name)) return this.known.get(name);
    const found = this.find((branch) => {
      const properties = objectAt(branch, "properties");
      return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    });
    const shape = found ?? this.find((branch) => branch.additionalProperties);
    this.known.set(name, shape);
    return shape;
  }

  /** Whether the schema names this property itself. */
  declares(name: string): boolean {
    return this.branches.some((branch) => Object.hasOwn(objectAt(branch, "properties") ?? {}, name));
  }

  item(index: number): Shape | undefined {
    const key = `[${index}]`;
    if (this.known.has(key)) return this.known.get(key);
    const shape =
      this.find((branch) => (Array.isArray(branch.prefixItems) ? (branch.prefixItems as readonly Json[])[index] : undefined)) ??
      this.find((branch) => branch.items);
    // Only the first few places of a tuple are worth remembering.
    if (index < 8) this.known.set(key, shape);
    return shape;
  }

  private find(pick: (branch: JsonSchema) => Json | undefined): Shape | undefined {
    for (const branch of this.branches) {
      const found = pick(branch);
      if (isObject(found)) return new Shape(found, this.root);
    }
    return undefined;
  }
}

const shapes = new WeakMap<JsonSchema, Shape>();

/** Schemas live as long as their tools, so their shapes are worth keeping. */
export function shapeOf(schema: JsonSchema | undefined): Shape | undefined {
  if (schema === undefined) return undefined;
  let shape = shapes.get(schema);
  if (shape === undefined) {
    shape = new Shape(schema, schema);
    shapes.set(schema, shape);
  }
  return shape;
}

function branchesOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  const out: JsonSchema[] = [];
  const queue: { readonly schema: JsonSchema; readonly hops: number }[] = [{ schema, hops: 0 }];
  for (let next = queue.shift(); next !== undefined && out.length < 64; next = queue.shift()) {
    out.push(next.schema);
    if (next.hops >= maxReferences) continue;
    const hops = next.hops + 1;
    const target = typeof next.schema.$ref === "string" ? follow(next.schema.$ref, root) : undefined;
    if (target !== undefined) queue.push({ schema: target, hops });
    for (const word of ["anyOf", "oneOf", "allOf"]) {
      const list = next.schema[word];
      if (Array.isArray(list)) for (const one of list as readonly Json[]) if (isObject(one)) queue.push({ schema: one, hops });
    }
  }
  return out;
}

function follow(reference: string, root: JsonSchema): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const key = decodeURIComponentSafely(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isObject(at) ? at : undefined;
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function typesOf(schema: JsonSchema): readonly TypeName[] {
  const listed = (Array.isArray(schema.type) ? (schema.type as readonly Json[]) : [schema.type]).filter(
    (type): type is TypeName => typeof type === "string" && typeNames.has(type),
  );
  const types = schema.nullable === true ? [...listed, "null" as const] : listed;
  if (types.length > 0) return types;
  if (schema.properties !== undefined) return ["object"];
  return schema.items !== undefined ? ["array"] : [];
}

function enumOf(schema: JsonSchema): readonly Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum as readonly Json[];
  return Object.hasOwn(schema, "const") && schema.const !== undefined ? [schema.const] : undefined;
}

function typeOf(value: Json): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return "number";
  return typeof value as "string" | "boolean" | "object";
}

function objectAt(schema: JsonSchema, key: string): JsonObject | undefined {
  const value = schema[key];
  return isObject(value) ? value : undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
