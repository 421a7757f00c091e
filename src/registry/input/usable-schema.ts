/**
 * An imported JSON Schema as a validator can use it: older drafts brought to 2020-12, references made local, defaults that do
 * not fit their own type left out. A keyword that makes no sense is left out and named in `gaps`, because one odd
 * keyword must not make a tool uncallable. Changes nothing of the schema that models are shown.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";
import { mayRunForever } from "./endless-pattern.ts";
import { isSameScope, SchemaReferences, type Scope, schemaKeywords } from "./schema-references.ts";
import { accepts, isObject, leadsToSchema, nameOfStep, nodesTo, shapeOf, typeOfValue } from "./schema-shape.ts";

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
  return { schema: reader.whole(), gaps };
}

/** A schema that a reference reaches in another scope than the one it stands in, or where no schema is expected. */
interface Version {
  readonly name: string;
  readonly pointer: string;
  readonly scope: Scope;
}

/** Of versions. Schemas come from servers nobody here wrote, and each dynamic anchor can double the ways there are. */
const maxVersionNodes = 5_000;

class Reader {
  readonly #root: JsonSchema;
  readonly #references: SchemaReferences;
  readonly #gaps: string[];
  /** Draft 7 and older: everything beside a `$ref` is ignored. */
  readonly #refAlone: boolean;
  /** By pointer and scope. Each is read once more, because its dynamic references lead elsewhere. */
  readonly #versions = new Map<string, Version>();
  /** Pointers of schemas below keywords that hold none; only a reference finds them. */
  readonly #misplaced = new Set<string>();
  /** A version has the gaps that its original has. */
  #readsVersion = false;
  #versionNodes = 0;

  constructor(root: JsonSchema, gaps: string[]) {
    this.#root = root;
    this.#gaps = gaps;
    this.#refAlone = typeof root.$schema === "string" && /draft-0[3-7]/.test(root.$schema);
    this.#references = new SchemaReferences(root, this.#refAlone);
  }

  whole(): JsonSchema {
    const made = this.#read(this.#root, "", new Map()) as Record<string, Json>;
    const versions: Record<string, Json> = {};
    this.#readsVersion = true;
    // A version that is read can ask for further ones, which the map then goes through as well.
    for (const { name, pointer, scope } of this.#versions.values()) {
      const isTooMuch = this.#versionNodes > maxVersionNodes;
      versions[name] = isTooMuch ? {} : this.#read(nodesTo(this.#root, pointer).at(-1), pointer, scope);
      if (isTooMuch && this.#gaps.length < 50) this.#gaps.push(`${pointer.slice(1)}: one of too many ways to it`);
    }
    if (this.#versions.size > 0) made.$defs = { ...(isObject(made.$defs) ? made.$defs : {}), ...versions };
    return made as JsonSchema;
  }

  #read(schema: Json | undefined, at: string, outer: Scope): Json {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) {
      this.#gap(at, "a schema that is none");
      return {};
    }
    const node = this.#refAlone && typeof schema.$ref === "string" ? { $ref: schema.$ref, ...definitionsOf(schema) } : schema;
    if (this.#readsVersion) this.#versionNodes += 1;
    const scope = this.#references.entered(outer, schema);
    const result: Record<string, Json> = {};
    const targets: JsonObject[] = [];
    for (const [key, value] of Object.entries(node)) {
      if (value === undefined || names.has(key)) continue;
      if (references.has(key)) targets.push(...this.#reference(schema, key, value, at, scope));
      else if (schemaKeywords.has(key)) this.#schemas(key, value, at, scope, result);
      else if (this.#makesSense(key, value, node)) result[key] = value;
      else this.#gap(at, key);
    }
    const [first, ...further] = targets;
    if (first !== undefined) Object.assign(result, first);
    if (further.length > 0) result.allOf = [...(Array.isArray(result.allOf) ? result.allOf : []), ...further];
    this.#olderForms(node, at, result);
    if (result.default !== undefined && !this.#fits(result.default, schema)) delete result.default;
    return result;
  }

  #gap(at: string, what: string): void {
    if (!this.#readsVersion && this.#gaps.length < 50) this.#gaps.push(at === "" ? what : `${at.slice(1)}: ${what}`);
  }

  #reference(node: JsonObject, key: string, value: Json, at: string, scope: Scope): readonly JsonObject[] {
    if (typeof value === "string" && metaSchemas.test(value)) return [{ $ref: value }];
    const pointer =
      typeof value !== "string"
        ? undefined
        : key === "$ref"
          ? this.#references.pointer(node, value)
          : this.#references.dynamicPointer(node, value, scope);
    if (pointer !== undefined && leadsToSchema(this.#root, `#${pointer}`)) return [{ $ref: `#${this.#version(pointer, scope)}` }];
    this.#gap(at, `${key} ${JSON.stringify(value)}`);
    return [];
  }

  /** Where the schema at `pointer` stands as it is to be read when it is reached from `outer`. */
  #version(pointer: string, outer: Scope): string {
    if (this.#references.tookIn(pointer)) this.#misplaced.add(pointer);
    const scope = this.#references.enteredAt(outer, pointer);
    const isReadThere = !this.#misplaced.has(pointer) && isSameScope(scope, this.#references.scopeAt(pointer));
    if (isReadThere) return this.#brought(pointer);
    const key = JSON.stringify([pointer, [...scope].sort(([one], [other]) => (one < other ? -1 : 1))]);
    const version = this.#versions.get(key) ?? { name: this.#freeName(), pointer, scope };
    this.#versions.set(key, version);
    return `/$defs/${version.name}`;
  }

  #freeName(): string {
    const taken = isObject(this.#root.$defs) ? this.#root.$defs : {};
    let name = `scope-${this.#versions.size + 1}`;
    while (Object.hasOwn(taken, name)) name += "-";
    return name;
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

  #schemas(key: string, value: Json, at: string, scope: Scope, result: Record<string, Json>): void {
    const kind = schemaKeywords.get(key);
    const below = `${at}/${key}`;
    if (kind === "map" && isObject(value)) {
      const entries = Object.entries(value).map(([name, schema]): [string, Json] =>
        key === "dependencies" && Array.isArray(schema) ? [name, schema] : [name, this.#read(schema, `${below}/${name}`, scope)],
      );
      const usable =
        key === "patternProperties" ? entries.filter(([name]) => isPattern(name) || this.#gap(below, `pattern ${name}`)) : entries;
      result[key] = Object.fromEntries(usable);
    } else if (Array.isArray(value) && kind === "oneOrList")
      result.prefixItems = value.map((one, index) => this.#read(one, `${below}/${index}`, scope));
    else if (Array.isArray(value) && kind === "list" && value.length > 0)
      result[key] = value.map((one, index) => this.#read(one, `${below}/${index}`, scope));
    else if (!Array.isArray(value) && (kind === "one" || kind === "oneOrList")) result[key] = this.#read(value, below, scope);
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
    if (this.#readsVersion) return;
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
