/**
 * The keyword `unevaluatedItems` as 2020-12 means it: an item counts as looked at by `contains` if it fits there, and by a
 * branch only if that branch holds. The validator's own keyword counts by the highest index alone. Makes code; runs none.
 */
import type { CodeKeywordDefinition, KeywordCxt, Name } from "ajv";
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject, nodesTo } from "./schema-shape.ts";

/** Branches within branches are tried once for each keyword around them, which doubles with each level; beyond this they count as true. */
const maxTrials = 200;

/**
 * What trials of one check have found. The validator tries each branch as well, so without a memory a schema that refers to
 * itself would be tried twice as often with each level of the input.
 */
const found = {
  fits: new WeakMap<object, Map<unknown, boolean>>(),
  recall(schema: unknown, value: unknown): boolean | undefined {
    return typeof value === "object" && value !== null ? this.fits.get(value)?.get(schema) : undefined;
  },
  keep(schema: unknown, value: unknown, fits: boolean): void {
    if (typeof value !== "object" || value === null) return;
    this.fits.set(value, (this.fits.get(value) ?? new Map<unknown, boolean>()).set(schema, fits));
  },
};

/** Before each check, because values change between checks. */
export function forgetTrials(): void {
  found.fits = new WeakMap();
}

type Codegen = Pick<typeof import("ajv"), "_" | "nil" | "str">;

export function unevaluatedItems(codegen: Codegen): CodeKeywordDefinition {
  const { _, str } = codegen;
  const trials = new WeakMap<object, { count: number }>();
  return {
    keyword: "unevaluatedItems",
    type: "array",
    schemaType: ["boolean", "object"],
    trackErrors: true,
    error: {
      message: ({ params: { at } }) => str`must NOT have an item at ${at}, which no part of the schema describes`,
      params: ({ params: { at } }) => _`{unevaluatedItem: ${at}}`,
    },
    code(cxt) {
      const { gen, data, schema, parentSchema, it } = cxt;
      const spent = trials.get(it.schemaEnv.root) ?? { count: 0 };
      trials.set(it.schemaEnv.root, spent);
      const seen = gen.const("seen", _`new Set()`);
      const { unevaluatedItems: own, ...beside } = parentSchema as JsonObject;
      new SeenItems(codegen, cxt, seen, spent).add(beside);
      // What the trials found wrong is none of the input's problems.
      cxt.reset();
      it.items = true;
      if (own === true) return;
      gen.forRange("i", 0, _`${data}.length`, (at) => {
        gen.if(_`!${seen}.has(${at})`, () => {
          if (schema === false) {
            cxt.setParams({ at });
            cxt.error();
          } else cxt.subschema({ keyword: "unevaluatedItems", dataProp: at, dataPropType: ofIndex }, gen.name("valid"));
        });
      });
    },
  };
}

/** The validator's word for a property that is a number. */
const ofIndex = 0;

/** Code that gathers the indices which the keywords of a schema look at, given that the schema holds. */
class SeenItems {
  readonly #codegen: Codegen;
  readonly #cxt: KeywordCxt;
  readonly #seen: Name;
  readonly #spent: { count: number };
  /** References followed under the conditions that hold at this point of the code; once more would add nothing. */
  #followed: ReadonlySet<string> = new Set();

  constructor(codegen: Codegen, cxt: KeywordCxt, seen: Name, spent: { count: number }) {
    this.#codegen = codegen;
    this.#cxt = cxt;
    this.#seen = seen;
    this.#spent = spent;
  }

  add(schema: Json | undefined): void {
    if (!isObject(schema)) return;
    if (schema.items !== undefined || schema.unevaluatedItems !== undefined) return this.#addUpTo(undefined);
    if (Array.isArray(schema.prefixItems)) this.#addUpTo(schema.prefixItems.length);
    if (schema.contains !== undefined) this.#addFitting(schema.contains);
    if (typeof schema.$ref === "string") this.#follow(schema.$ref);
    for (const part of listOf(schema.allOf)) this.add(part);
    for (const branch of [...listOf(schema.anyOf), ...listOf(schema.oneOf)]) this.#ifHolds(branch, () => this.add(branch));
    if (schema.if === undefined) return;
    this.#ifHolds(
      schema.if,
      () => {
        this.add(schema.if);
        this.add(schema.then);
      },
      () => this.add(schema.else),
    );
  }

  #addUpTo(count: number | undefined): void {
    const { _ } = this.#codegen;
    const { gen, data } = this.#cxt;
    const end = count === undefined ? _`${data}.length` : _`Math.min(${count}, ${data}.length)`;
    gen.forRange("i", 0, end, (at) => gen.code(_`${this.#seen}.add(${at})`));
  }

  #addFitting(schema: Json): void {
    const { _ } = this.#codegen;
    const { gen, data } = this.#cxt;
    if (this.#spent.count >= maxTrials) return this.#addUpTo(undefined);
    gen.forRange("i", 0, _`${data}.length`, (at) => {
      const fits = this.#trial(schema, { dataProp: at, dataPropType: ofIndex });
      gen.if(fits, () => gen.code(_`${this.#seen}.add(${at})`));
    });
  }

  #follow(reference: string): void {
    const root = this.#cxt.it.schemaEnv.root.schema;
    if (!isObject(root) || !reference.startsWith("#") || this.#followed.has(reference)) return;
    this.#followed = new Set([...this.#followed, reference]);
    this.add(nodesTo(root, reference).at(-1));
  }

  #ifHolds(schema: Json, then: () => void, otherwise?: () => void): void {
    const { gen } = this.#cxt;
    if (this.#spent.count >= maxTrials) return this.#addUpTo(undefined);
    const followed = this.#followed;
    const apart = (add: () => void) => () => {
      add();
      this.#followed = followed;
    };
    gen.if(this.#trial(schema, {}), apart(then), otherwise && apart(otherwise));
  }

  /** Whether a value fits a schema, without a word about it. */
  #trial(trialled: Json, of: { readonly dataProp?: Name; readonly dataPropType?: 0 }): Name {
    const { _, nil } = this.#codegen;
    const { gen, data } = this.#cxt;
    this.#spent.count += 1;
    const schema = isObject(trialled) ? trialled : trialled !== false;
    const topSchemaRef = gen.scopeValue("schema", { ref: schema });
    const memory = gen.scopeValue("obj", { ref: found });
    const value = of.dataProp === undefined ? data : _`${data}[${of.dataProp}]`;
    const fits = gen.let("fits", _`${memory}.recall(${topSchemaRef}, ${value})`);
    gen.if(_`${fits} === undefined`, () => {
      const valid = gen.name("valid");
      const quiet = { compositeRule: true, createErrors: false, allErrors: false } as const;
      this.#cxt.subschema({ schema, schemaPath: nil, topSchemaRef, errSchemaPath: "#", ...quiet, ...of }, valid);
      gen.assign(fits, valid);
      gen.code(_`${memory}.keep(${topSchemaRef}, ${value}, ${fits})`);
    });
    return fits;
  }
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
