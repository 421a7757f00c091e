/**
 * References of an imported JSON Schema, made local: every `$id`, `id` and `$anchor` is turned into a pointer within the
 * document. Owns the map of names; refuses nothing: a reference that leads out of the document is answered with `undefined`.
 * Where a `$dynamicRef` leads depends on the way it was reached; that way is a `Scope`.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject, nodesTo } from "./schema-shape.ts";

/** Keywords whose value is one schema, a list of schemas, or a map of schemas; everything else holds no schema. */
export const schemaKeywords: ReadonlyMap<string, "one" | "list" | "map" | "oneOrList"> = new Map([
  ...["additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "not"].map((key) => [key, "one"] as const),
  ...["propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"].map((key) => [key, "one"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((key) => [key, "list"] as const),
  ...["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"].map((key) => [key, "map"] as const),
  ["items", "oneOrList"],
]);

/** Every schema directly below a node, with the pointer that leads to it. */
function* schemasBelow(node: JsonObject): Generator<{ readonly pointer: string; readonly schema: Json }> {
  for (const [key, kind] of schemaKeywords) {
    const value = node[key];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      if (kind === "list" || kind === "oneOrList") for (const [at, schema] of value.entries()) yield { pointer: `/${key}/${at}`, schema };
    } else if (kind === "map") {
      if (isObject(value))
        for (const [name, schema] of Object.entries(value)) yield { pointer: `/${key}/${escaped(name)}`, schema: schema ?? {} };
    } else if (kind !== "list") yield { pointer: `/${key}`, schema: value };
  }
}

const outermost = "schema://root/";

/** For each dynamic anchor, the pointer of the first schema on the way that has it. */
export type Scope = ReadonlyMap<string, string>;

export function isSameScope(one: Scope, other: Scope): boolean {
  return one.size === other.size && [...one].every(([name, pointer]) => other.get(name) === pointer);
}

/** `$recursiveAnchor` is the dynamic anchor without a name. */
const recursive = "";

export class SchemaReferences {
  /** Absolute name, without its fragment, to the pointer of the schema that has it. */
  readonly #documents = new Map<string, string>([[outermost, ""]]);
  readonly #anchors = new Map<string, string>();
  readonly #bases = new WeakMap<JsonObject, string>();
  /** Dynamic anchors of each document, by its absolute name. */
  readonly #dynamic = new Map<string, Map<string, string>>();
  readonly #root: JsonObject;

  /** Draft 7 and older: a name beside a `$ref` is none. */
  readonly #refAlone: boolean;

  constructor(root: JsonObject, refAlone: boolean) {
    this.#root = root;
    this.#refAlone = refAlone;
    this.#collect(root, "", outermost);
  }

  /** The pointer that `reference` of `node` leads to, or `undefined` if it leads out of the document. */
  pointer(node: JsonObject, reference: string): string | undefined {
    const base = this.#bases.get(node) ?? outermost;
    const [name = "", fragment = ""] = splitAtHash(reference);
    const document = this.#documents.get(name === "" ? base : absolute(name, base));
    if (document === undefined) return undefined;
    if (fragment === "" || fragment.startsWith("/")) return document + fragment;
    return this.#anchors.get(`${document}#${fragment}`);
  }

  /** The pointer that a `$dynamicRef` or `$recursiveRef` of `node` leads to if it is reached through `scope`. */
  dynamicPointer(node: JsonObject, reference: string, scope: Scope): string | undefined {
    const pointer = this.pointer(node, reference);
    if (pointer === undefined) return undefined;
    const [, name = ""] = splitAtHash(reference);
    const isDynamic = this.#dynamic.get(this.#documentOf(pointer))?.get(name) === pointer;
    return (isDynamic ? scope.get(name) : undefined) ?? pointer;
  }

  /** What `scope` becomes when the schema at `pointer` is entered by a reference. */
  enteredAt(scope: Scope, pointer: string): Scope {
    return this.#entered(scope, this.#documentOf(pointer));
  }

  /** What `scope` becomes when `node` is entered from the schema around it. */
  entered(scope: Scope, node: JsonObject): Scope {
    const base = this.#bases.get(node);
    return base === undefined ? scope : this.#entered(scope, base);
  }

  /** The scope in which the schema at `pointer` is read where it stands. */
  scopeAt(pointer: string): Scope {
    return nodesTo(this.#root, pointer).reduce<Scope>((scope, node) => (isObject(node) ? this.entered(scope, node) : scope), new Map());
  }

  /** Takes in the schema at `pointer`, which stands where none is expected; `false` if it is known already. */
  tookIn(pointer: string): boolean {
    const node = nodesTo(this.#root, pointer).at(-1);
    if (!isObject(node) || this.#bases.has(node)) return false;
    this.#collect(node, pointer, this.#documentOf(pointer));
    return true;
  }

  #entered(scope: Scope, base: string): Scope {
    const further = [...(this.#dynamic.get(base) ?? [])].filter(([name]) => !scope.has(name));
    return further.length === 0 ? scope : new Map([...scope, ...further]);
  }

  #documentOf(pointer: string): string {
    const bases = nodesTo(this.#root, pointer).map((node) => (isObject(node) ? this.#bases.get(node) : undefined));
    return bases.findLast((base) => base !== undefined) ?? outermost;
  }

  #collect(node: JsonObject, pointer: string, outer: string): void {
    const isReference = this.#refAlone && typeof node.$ref === "string";
    const own = isReference ? undefined : typeof node.$id === "string" ? node.$id : typeof node.id === "string" ? node.id : undefined;
    let base = outer;
    if (own !== undefined) {
      const [name = "", fragment = ""] = splitAtHash(own);
      if (name !== "") {
        base = absolute(name, outer);
        this.#documents.set(base, pointer);
      } else if (fragment !== "") this.#anchors.set(`${this.#documents.get(outer) ?? ""}#${fragment}`, pointer);
    }
    this.#bases.set(node, base);
    for (const anchor of [node.$anchor, node.$dynamicAnchor])
      if (typeof anchor === "string") this.#anchors.set(`${this.#documents.get(base) ?? ""}#${anchor}`, pointer);
    const dynamic = typeof node.$dynamicAnchor === "string" ? node.$dynamicAnchor : node.$recursiveAnchor === true ? recursive : undefined;
    if (dynamic !== undefined) this.#dynamic.set(base, (this.#dynamic.get(base) ?? new Map<string, string>()).set(dynamic, pointer));
    for (const below of schemasBelow(node)) if (isObject(below.schema)) this.#collect(below.schema, pointer + below.pointer, base);
  }
}

function splitAtHash(reference: string): readonly string[] {
  const at = reference.indexOf("#");
  return at < 0 ? [reference, ""] : [reference.slice(0, at), reference.slice(at + 1)];
}

function absolute(name: string, base: string): string {
  try {
    return new URL(name, base).href;
  } catch {
    return name;
  }
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
