/**
 * The forms a tool's schema may have: zod 4 of any copy, another library with Standard Schema and its JSON Schema form, or raw
 * JSON Schema. Owns telling them apart; refuses zod 3 and libraries that cannot say their JSON Schema, with what to do instead.
 */
import type { JsonSchema } from "./json.ts";

/** Success with a value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** Standard Schema (standardschema.dev) with its JSON Schema form: zod 4, ArkType, Valibot with its converter. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Absent in zod before 4.2, whose JSON Schema Karyi makes itself. */
    readonly jsonSchema?: { input(options: { readonly target: string }): Record<string, unknown> } | undefined;
  };
}

export type ToolSchema<Value = unknown> = StandardSchema<Value> | JsonSchema;

export type SchemaKind = "zod" | "standard" | "json";

/** Throws a TypeError if the schema is of a form that cannot be used. `subject` names it: `Tool 'Weather'`. */
export function schemaKindOf(schema: unknown, subject: string): SchemaKind {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null)
    throw new TypeError(`${subject} has no input schema: give a zod 4 schema, a Standard Schema or JSON Schema.`);
  if ("_zod" in schema) return "zod";
  if ("_def" in schema && "safeParse" in schema)
    throw new TypeError(
      `${subject} has a schema of zod 3, which cannot say its JSON Schema. Use zod 4 (npm install zod@4, or import from "zod/v4"), or give JSON Schema.`,
    );
  if (!("~standard" in schema)) {
    if (typeof schema === "object") return "json";
    throw new TypeError(`${subject} has a function for a schema: give a zod 4 schema, a Standard Schema or JSON Schema.`);
  }
  const { "~standard": standard } = schema as StandardSchema;
  if (typeof standard.jsonSchema?.input === "function") return "standard";
  throw new TypeError(
    `${subject} has a schema of ${standard.vendor} without a JSON Schema form, which models need. Wrap it with the library's JSON Schema converter, or give JSON Schema.`,
  );
}
