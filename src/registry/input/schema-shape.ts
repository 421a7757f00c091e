/**
 * What a JSON Schema node says about a value, gathered from `$ref`, `allOf`, `type`, `enum` and unions into one shape,
 * and how to say it in words. Follows references inside the document only; validating is not its business.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";

export interface Shape {
  readonly node: JsonObject;
  /** Empty: anything. */
  readonly types: readonly string[];
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  /** No other properties than those named. */
  readonly closed: boolean;
  /** Schema of the properties that are not named. */
  readonly others: JsonObject | undefined;
  readonly items: JsonObject | undefined;
  readonly branches: readonly JsonObject[];
}

const maxHops = 32;
const shapes = new WeakMap<JsonObject, Shape>();

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function shapeOf(root: JsonSchema, node: JsonObject): Shape {
  const known = shapes.get(node);
  if (known !== undefined) return known;
  const shape = gather(root, node, maxHops);
  shapes.set(node, shape);
  return shape;
}

function gather(root: JsonSchema, node: JsonObject, hops: number): Shape {
  const target = followed(root, node, hops);
  const parts = hops > 0 && Array.isArray(target.allOf) ? target.allOf.filter(isObject).map((part) => gather(root, part, hops - 1)) : [];
  const properties = new Map<string, JsonObject>();
  const required = new Set<string>();
  for (const part of parts) {
    for (const [name, schema] of part.properties) properties.set(name, schema);
    for (const name of part.required) required.add(name);
  }
  if (isObject(target.properties))
    for (const [name, schema] of Object.entries(target.properties)) properties.set(name, isObject(schema) ? schema : {});
  if (Array.isArray(target.required)) for (const name of target.required) if (typeof name === "string") required.add(name);
  const branches = [target.anyOf, target.oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const own = typesOf(target);
  const types = own.length > 0 ? own : fromParts(root, parts, branches, hops);
  const open = target.patternProperties !== undefined || (isObject(target.additionalProperties) && !isNever(target.additionalProperties));
  return {
    node: target,
    types: types.length === 0 && properties.size > 0 ? ["object"] : types,
    properties,
    required,
    closed: !open && (target.additionalProperties === false || (parts.length > 0 && parts.every((part) => part.closed))),
    others: isObject(target.additionalProperties) ? target.additionalProperties : undefined,
    items: isObject(target.items) ? target.items : undefined,
    branches,
  };
}

function fromParts(root: JsonSchema, parts: readonly Shape[], branches: readonly JsonObject[], hops: number): readonly string[] {
  const typed = parts.find((part) => part.types.length > 0);
  if (typed !== undefined) return typed.types;
  if (branches.length === 0 || hops <= 0) return [];
  const lists = branches.map((branch) => gather(root, branch, hops - 1).types);
  return lists.some((list) => list.length === 0) ? [] : [...new Set(lists.flat())];
}

function isNever(schema: JsonObject): boolean {
  return isObject(schema.not) && Object.keys(schema.not).length === 0;
}

function followed(root: JsonSchema, node: JsonObject, hops: number): JsonObject {
  let at = node;
  for (let hop = 0; hop < hops && typeof at.$ref === "string"; hop++) {
    const target = lookUp(root, at.$ref);
    if (target === undefined) return {};
    const { $ref: _, ...beside } = at;
    at = Object.keys(beside).length === 0 ? target : { ...target, ...beside };
  }
  return typeof at.$ref === "string" ? {} : at;
}

/** The schema that a local reference (`#/$defs/x`) leads to. */
function lookUp(root: JsonSchema, reference: string): JsonObject | undefined {
  const found = placeOf(root, reference);
  return isObject(found) ? found : undefined;
}

/** The same, where `true` and `false` are schemas too. */
export function leadsToSchema(root: JsonSchema, reference: string): boolean {
  const found = placeOf(root, reference);
  return isObject(found) || typeof found === "boolean";
}

function placeOf(root: JsonSchema, reference: string): Json | undefined {
  return reference.startsWith("#") ? nodesTo(root, reference).at(-1) : undefined;
}

/** All that a pointer passes, from `root` to where it leads; the last is `undefined` if it leads nowhere. */
export function nodesTo(root: JsonObject, pointer: string): readonly (Json | undefined)[] {
  let at: Json | undefined = root;
  const passed: (Json | undefined)[] = [root];
  // An empty name is a name; only what stands before the first slash is none.
  for (const part of pointer.split("/").slice(1)) {
    const key = nameOfStep(part);
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    passed.push(at);
  }
  return passed;
}

/** What one step of a pointer names. */
export function nameOfStep(part: string): string {
  return decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function typesOf(node: JsonObject): readonly string[] {
  if (typeof node.type === "string") return [node.type];
  if (Array.isArray(node.type)) return node.type.filter((type) => typeof type === "string");
  const values = Array.isArray(node.enum) ? node.enum : node.const === undefined ? [] : [node.const];
  return [...new Set(values.map(typeOfValue))];
}

export function typeOfValue(value: Json | undefined): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export function accepts(shape: Shape, type: string): boolean {
  return shape.types.length === 0 || shape.types.includes(type) || (type === "integer" && shape.types.includes("number"));
}

/** The one branch of a union that a value can belong to, by its type and by the constants it carries; `undefined` where several can. */
export function branchFor(root: JsonSchema, shape: Shape, value: Json): number | undefined {
  const fitting = shape.branches.flatMap((branch, at) => {
    const candidate = shapeOf(root, branch);
    if (!accepts(candidate, typeOfValue(value))) return [];
    if (!isObject(value)) return [at];
    for (const [name, schema] of candidate.properties) {
      const fixed = schema.const === undefined ? schema.enum : [schema.const];
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      if (Array.isArray(fixed) && given !== undefined && !fixed.includes(given)) return [];
    }
    return [at];
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The schema of the value at a path of a given input, as far as it can be told. */
export function nodeAt(root: JsonSchema, path: readonly (string | number)[], input: Json): JsonObject | undefined {
  let node: JsonObject = root;
  let value: Json | undefined = input;
  for (const step of path) {
    let shape = shapeOf(root, node);
    const branch = shape.branches.length > 0 && value !== undefined ? branchFor(root, shape, value) : undefined;
    const chosen = branch === undefined ? undefined : shape.branches[branch];
    if (chosen !== undefined && shape.properties.size === 0) shape = shapeOf(root, chosen);
    const next = typeof step === "number" ? shape.items : (shape.properties.get(step) ?? shape.others);
    if (next === undefined) return undefined;
    node = next;
    value = Array.isArray(value) ? value[Number(step)] : isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return node;
}
