/**
 * References of an imported JSON Schema, made local: every `$id`, `id` and `$anchor` is turned into a pointer within the
 * document. Owns the map of names; refuses nothing: a reference that leads out of the document is answered with `undefined`.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "./schema-shape.ts";

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

export class SchemaReferences {
  /** Absolute name, without its fragment, to the pointer of the schema that has it. */
  readonly #documents = new Map<string, string>([[outermost, ""]]);
  readonly #anchors = new Map<string, string>();
  readonly #bases = new WeakMap<JsonObject, string>();

  /** Draft 7 and older: a name beside a `$ref` is none. */
  readonly #refAlone: boolean;

  constructor(root: JsonObject, refAlone: boolean) {
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
