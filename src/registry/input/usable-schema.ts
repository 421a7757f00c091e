/**
 * An imported JSON Schema as a validator can use it: older drafts brought to 2020-12, references made local, defaults that do
 * not fit their own type left out. A keyword that makes no sense is left out and named in `gaps`, because one odd
 * keyword must not make a tool uncallable. Changes nothing of the schema that models are shown.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";
import { mayRunForever } from "./endless-pattern.ts";
import { SchemaReferences, schemaKeywords } from "./schema-references.ts";
import { accepts, isObject, leadsToSchema, nameOfStep, shapeOf, typeOfValue } from "./schema-shape.ts";

export interface UsableSchema {
  readonly schema: JsonSchema;
  /** Parts of the original that are not checked: `properties/x: pattern`. */
  readonly gaps: readonly string[];
}

const knownTypes: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const counts: ReadonlySet<string> = new Set([
  ...["maxContains", "maxItems", "maxLength", "maxProperties", "minContains", "minItems", "minLength", "minProperties"],
]);
const numbers: ReadonlySet<string> = new Set(["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"]);
const names: ReadonlySet<string> = new Set(["$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "id"]);
const references: ReadonlySet<string> = new Set(["$dynamicRef", "$recursiveRef", "$ref"]);

/** Schemas of schemas, which the validator knows. */
const metaSchemas = /^https?:\/\/json-schema\.org\/(?:draft-07\/schema#?|draft\/2020-12\/schema#?)$/;

export function usableSchema(schema: JsonSchema): UsableSchema {
  const gaps: string[] = [];
  const reader = new Reader(schema, gaps);
  return { schema: reader.read(schema, "") as JsonSchema, gaps };
}

class Reader {
  readonly #root: JsonSchema;
  readonly #references: SchemaReferences;
  readonly #gaps: string[];
  /** Draft 7 and older: everything beside a `$ref` is ignored. */
  readonly #refAlone: boolean;

  constructor(root: JsonSchema, gaps: string[]) {
    this.#root = root;
    this.#gaps = gaps;
    this.#refAlone = typeof root.$schema === "string" && /draft-0[3-7]/.test(root.$schema);
    this.#references = new SchemaReferences(root, this.#refAlone);
  }

  read(schema: Json | undefined, at: string): Json {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) {
      this.#gap(at, "a schema that is none");
      return {};
    }
    const node = this.#refAlone && typeof schema.$ref === "string" ? { $ref: schema.$ref, ...definitionsOf(schema) } : schema;
    const result: Record<string, Json> = {};
    for (const [key, value] of Object.entries(node)) {
      if (value === undefined || names.has(key)) continue;
      if (references.has(key)) this.#reference(schema, key, value, at, result);
      else if (schemaKeywords.has(key)) this.#schemas(key, value, at, result);
      else if (this.#makesSense(key, value, node)) result[key] = value;
      else this.#gap(at, key);
    }
    this.#olderForms(node, at, result);
    if (result.default !== undefined && !this.#fits(result.default, schema)) delete result.default;
    return result;
  }

  #gap(at: string, what: string): void {
    if (this.#gaps.length < 50) this.#gaps.push(at === "" ? what : `${at.slice(1)}: ${what}`);
  }

  #reference(node: JsonObject, key: string, value: Json, at: string, result: Record<string, Json>): void {
    if (typeof value === "string" && metaSchemas.test(value)) {
      result.$ref = value;
      return;
    }
    const pointer = typeof value === "string" ? this.#references.pointer(node, value) : undefined;
    if (pointer === undefined || !leadsToSchema(this.#root, `#${pointer}`)) this.#gap(at, `${key} ${JSON.stringify(value)}`);
    else result.$ref = `#${this.#brought(pointer)}`;
  }

  /** Where the schema at `pointer` stands after a list of `items` became `prefixItems`. */
  #brought(pointer: string): string {
    let at: Json | undefined = this.#root;
    const steps = pointer.split("/").slice(1);
    const moved = steps.map((step) => {
      const key = nameOfStep(step);
      const below: Json | undefined = Array.isArray(at) ? at[Number(key)] : isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
      const isList = key === "items" && isObject(at) && Array.isArray(below);
      at = below;
      return isList ? "prefixItems" : step;
    });
    return moved.map((step) => `/${step}`).join("");
  }

  #schemas(key: string, value: Json, at: string, result: Record<string, Json>): void {
    const kind = schemaKeywords.get(key);
    const below = `${at}/${key}`;
    if (kind === "map" && isObject(value)) {
      const entries = Object.entries(value).map(([name, schema]): [string, Json] =>
        key === "dependencies" && Array.isArray(schema) ? [name, schema] : [name, this.read(schema, `${below}/${name}`)],
      );
      const usable =
        key === "patternProperties" ? entries.filter(([name]) => isPattern(name) || this.#gap(below, `pattern ${name}`)) : entries;
      result[key] = Object.fromEntries(usable);
    } else if (Array.isArray(value) && kind === "oneOrList")
      result.prefixItems = value.map((one, index) => this.read(one, `${below}/${index}`));
    else if (Array.isArray(value) && kind === "list" && value.length > 0)
      result[key] = value.map((one, index) => this.read(one, `${below}/${index}`));
    else if (!Array.isArray(value) && (kind === "one" || kind === "oneOrList")) result[key] = this.read(value, below);
    else this.#gap(at, key);
  }

  #makesSense(key: string, value: Json, node: JsonObject): boolean {
    if (key === "type") return (Array.isArray(value) ? value : [value]).every((type) => knownTypes.has(type)) && value !== null;
    if (counts.has(key)) return typeof value === "number" && Number.isInteger(value) && value >= 0;
    if (key === "exclusiveMinimum" || key === "exclusiveMaximum") return typeof value === "number";
    if (numbers.has(key)) return typeof value === "number" && (key !== "multipleOf" || value > 0);
    if (key === "required") return Array.isArray(value) && value.every((name) => typeof name === "string");
    if (key === "enum") return Array.isArray(value) && value.length > 0;
    if (key === "pattern") return typeof value === "string" && isPattern(value);
    if (key === "dependentRequired") return isObject(value) && Object.values(value).every(Array.isArray);
    if (key === "uniqueItems") return typeof value === "boolean";
    return key !== "$async" && (key !== "nullable" || typeof node.type === "string");
  }

  /** Keywords of drafts 3 to 7 that 2020-12 writes in another way. */
  #olderForms(node: JsonObject, at: string, result: Record<string, Json>): void {
    for (const [exclusive, bound] of [
      ["exclusiveMinimum", "minimum"],
      ["exclusiveMaximum", "maximum"],
    ] as const) {
      if (typeof node[exclusive] !== "boolean") continue;
      this.#ungap(at, exclusive);
      const limit = result[bound];
      if (node[exclusive] !== true || typeof limit !== "number") continue;
      result[exclusive] = limit;
      delete result[bound];
    }
    if (node.type === "any" || (Array.isArray(node.type) && node.type.includes("any"))) this.#ungap(at, "type");
    if (typeof node.required === "boolean") this.#ungap(at, "required");
    if (isObject(node.properties)) {
      const alsoRequired = Object.entries(node.properties).flatMap(([name, one]) => (isObject(one) && one.required === true ? [name] : []));
      if (alsoRequired.length > 0) result.required = [...(Array.isArray(result.required) ? result.required : []), ...alsoRequired];
    }
    if (result.prefixItems !== undefined && result.additionalItems !== undefined) result.items = result.additionalItems;
    delete result.additionalItems;
    if (Array.isArray(result.required)) result.required = [...new Set(result.required)];
    if (Array.isArray(result.enum)) result.enum = unique(result.enum);
  }

  #ungap(at: string, what: string): void {
    const index = this.#gaps.lastIndexOf(at === "" ? what : `${at.slice(1)}: ${what}`);
    if (index >= 0) this.#gaps.splice(index, 1);
  }

  #fits(value: Json, node: JsonObject): boolean {
    const shape = shapeOf(this.#root, node);
    if (!accepts(shape, typeOfValue(value))) return false;
    const allowed = Array.isArray(shape.node.enum) ? shape.node.enum : undefined;
    if (allowed !== undefined && !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value))) return false;
    return isWithin(value, shape.node);
  }
}

/** Whether a default keeps to the bounds that stand beside it; it would be refused as if the caller had written it. */
function isWithin(value: Json, node: JsonObject): boolean {
  const bound = (key: string): number | undefined => (typeof node[key] === "number" ? node[key] : undefined);
  const size = typeof value === "string" ? [...value].length : Array.isArray(value) ? value.length : undefined;
  const [least, most] = typeof value === "string" ? [bound("minLength"), bound("maxLength")] : [bound("minItems"), bound("maxItems")];
  if (size !== undefined && (size < (least ?? 0) || size > (most ?? size))) return false;
  if (typeof value === "string" && typeof node.pattern === "string" && isPattern(node.pattern) && !mayRunForever(node.pattern))
    return new RegExp(node.pattern).test(value);
  if (typeof value !== "number") return true;
  const isAbove = value >= (bound("minimum") ?? value) && value > (bound("exclusiveMinimum") ?? value - 1);
  return isAbove && value <= (bound("maximum") ?? value) && value < (bound("exclusiveMaximum") ?? value + 1);
}

function definitionsOf({ definitions, $defs }: JsonObject): JsonObject {
  return { ...(definitions === undefined ? {} : { definitions }), ...($defs === undefined ? {} : { $defs }) };
}

function isPattern(pattern: string): boolean {
  return ["u", ""].some((flags) => {
    try {
      return new RegExp(pattern, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

function unique(values: readonly Json[]): Json[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
