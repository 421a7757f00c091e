/**
 * Checks inputs against imported JSON Schemas. One validator a draft, loaded at the first such call. A schema that
 * cannot be used is an error of that call, never of the start-up; patterns that could be made to run for ever are not run.
 */
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { type Json, type JsonSchema, ToolFailure } from "../contract/index.ts";

export interface SchemaError {
  readonly path: readonly (string | number)[];
  readonly keyword: string;
  readonly message: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly schemaPath: string;
}

type Draft = "2020" | "draft-07";

const load = createRequire(import.meta.url);
const validators = new Map<Draft, Ajv>();
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** The value comes back with defaults filled in: it is changed in place. */
export function checkAgainst(toolName: string, schema: JsonSchema, value: Json): readonly SchemaError[] {
  const validate = compiled.get(schema) ?? compile(toolName, schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(toError);
}

function compile(toolName: string, schema: JsonSchema): ValidateFunction {
  const draft: Draft = typeof schema.$schema === "string" && /draft-0[4-7]/.test(schema.$schema) ? "draft-07" : "2020";
  // Two tools may carry the same $id, and a $schema of an unknown dialect says nothing here.
  const { $id: _, id: __, $schema: ___, ...body } = schema;
  try {
    const validate = validatorFor(draft).compile(body);
    if ("$async" in validate) throw new Error("asynchronous schemas are not supported");
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

function validatorFor(draft: Draft): Ajv {
  let validator = validators.get(draft);
  if (validator === undefined) {
    const module = load(draft === "2020" ? "ajv/dist/2020.js" : "ajv") as { default: new (options: Options) => Ajv };
    validator = new module.default({
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
    validators.set(draft, validator);
  }
  return validator;
}

const maxTested = 10_000;
/** A repetition inside a repetition, or alternatives inside one: the shapes that backtrack without end. */
const mayRunForever = /\([^()]*[+*{|][^()]*\)[+*{]|\\\d/;

/** Schemas come from servers nobody here wrote; the server checks its own patterns again. */
function boundedRegExp(pattern: string, flags: string): { test(text: string): boolean; toString(): string } {
  const expression = new RegExp(pattern, flags);
  const endless = mayRunForever.test(pattern);
  return {
    test: (text) => endless || text.length > maxTested || expression.test(text),
    // The validator shares expressions whose text is the same.
    toString: () => String(expression),
  };
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
