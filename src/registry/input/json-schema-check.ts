/**
 * Checks inputs against imported JSON Schemas, with one validator that is loaded at the first such call. A keyword that cannot
 * be used is not checked and is named by `schemaGaps`; patterns that could be made to run for ever are not run.
 */
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { type Json, type JsonSchema, ToolFailure } from "../../contract/index.ts";
import { mayRunForever } from "./endless-pattern.ts";
import { forgetTrials, unevaluatedItems } from "./unevaluated-items.ts";
import { type UsableSchema, usableSchema } from "./usable-schema.ts";

export interface SchemaError {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly message: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly schemaPath: string;
}

const load = createRequire(import.meta.url);
const compiled = new WeakMap<JsonSchema, ValidateFunction>();
const usable = new WeakMap<JsonSchema, UsableSchema>();
let validator: Ajv | undefined;
let serial = 0;

/** The part of an imported schema that is checked: references local, older drafts brought to 2020-12. */
export function checkedSchema(schema: JsonSchema): JsonSchema {
  return usableOf(schema).schema;
}

/** `schema` comes from `checkedSchema`. Defaults are filled into `value`, which is changed in place. */
export function checkAgainst(toolName: string, schema: JsonSchema, value: Json): readonly SchemaError[] {
  const validate = compiled.get(schema) ?? compile(toolName, schema);
  forgetTrials();
  if (validate(value)) return [];
  return (validate.errors ?? []).map(toError);
}

/** Why a schema cannot be used as it stands; `undefined` if it can. */
export function schemaProblem(schema: JsonSchema): string | undefined {
  const { gaps } = usableOf(schema);
  if (gaps.length > 0) return `it makes no sense at ${gaps.join("; ")}`;
  try {
    compile("this tool", checkedSchema(schema));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export function schemaGaps(schema: JsonSchema): readonly string[] {
  return usableOf(schema).gaps;
}

function usableOf(schema: JsonSchema): UsableSchema {
  const known = usable.get(schema);
  if (known !== undefined) return known;
  const made = usableSchema(schema);
  usable.set(schema, made);
  return made;
}

function compile(toolName: string, schema: JsonSchema): ValidateFunction {
  serial += 1;
  try {
    // An id of its own lets a schema refer to itself, and two tools carry the same definitions.
    const validate = theValidator().compile({ ...schema, $id: `karyi:${serial}` });
    compiled.set(schema, validate);
    return validate;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolFailure("tool_error", `The input schema of ${toolName} is broken, so it cannot be called: ${why.slice(0, 300)}.`, {
      hint: "Use another tool; this one must be repaired where it comes from.",
      details: { reason: "broken_schema" },
      cause: error,
    });
  }
}

function theValidator(): Ajv {
  validator ??= newValidator();
  return validator;
}

function newValidator(): Ajv {
  const module = load("ajv/dist/2020.js") as { default: new (options: Options) => Ajv } & Pick<typeof import("ajv"), "_" | "nil" | "str">;
  const made = new module.default({
    allErrors: true,
    strict: false,
    logger: false,
    useDefaults: true,
    // Inherited names are not input: without this a schema could reach Object.prototype.
    ownProperties: true,
    addUsedSchema: false,
    validateFormats: false,
    code: { regExp: boundedRegExp },
  });
  made.removeKeyword("unevaluatedItems");
  made.addKeyword(unevaluatedItems(module));
  made.addMetaSchema(load("ajv/dist/refs/json-schema-draft-07.json") as Record<string, unknown>);
  return made;
}

const maxTested = 10_000;

/** Schemas come from servers nobody here wrote; the server checks its own patterns again. */
function boundedRegExp(pattern: string, flags: string): { test(text: string): boolean; toString(): string } {
  const expression = compiledPattern(pattern, flags);
  const endless = mayRunForever(pattern);
  return {
    test: (text) => endless || text.length > maxTested || expression.test(text),
    // The validator shares expressions whose text is the same.
    toString: () => String(expression),
  };
}
function compiledPattern(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    // Written for a reader that is not strict about escapes.
    return new RegExp(pattern);
  }
}
boundedRegExp.code = "boundedRegExp";

function toError({ instancePath, keyword, message, params, schemaPath }: ErrorObject): SchemaError {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return { path, keyword, message: message ?? keyword, parameters: params, schemaPath };
}
