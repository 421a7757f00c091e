/**
 * From whatever a model sent to an input that fits the tool's schema: copied, mended where that is certain, checked,
 * defaults filled in. Throws nothing but ToolFailure; all problems are named at once, so that one more try is enough.
 */
import type { ZodType } from "zod";
import {
  type Json,
  type JsonObject,
  type JsonSchema,
  type StandardResult,
  type StandardSchema,
  type Tool,
  ToolFailure,
} from "../../contract/index.ts";
import { badParameters, type Problem, pathText } from "./input-problems.ts";
import { inputKindOf, inputSchemaOf } from "./input-schema.ts";
import { checkAgainst, checkedSchema, type SchemaError, schemaGaps } from "./json-schema-check.ts";
import { isNothing, type Mending, mend } from "./mend-input.ts";
import { parseJsonText, plainInput } from "./plain-input.ts";
import { accepts, branchFor, isObject, nodeAt, shapeOf, typeOfValue } from "./schema-shape.ts";
import { expectation, received } from "./schema-words.ts";

type Path = readonly (string | number)[];

/** The input, or a promise of it if the schema checks asynchronously. */
export function parseInput(tool: Tool, raw: unknown): unknown {
  const given = plainInput(raw ?? null);
  const kind = inputKindOf(tool);
  const schema = kind === "json" ? checkedSchema(advertised(tool)) : advertised(tool);
  const object = accepts(shapeOf(schema, schema), "object") ? asObject(tool, schema, given) : given;
  const mending: Mending = { tool, schema, closed: kind === "zod" ? "everywhere" : "outermost", problems: [] };
  const mended = mend(mending, object, schema, []);
  const finish = (checked: Checked): unknown => {
    const problems = [...mending.problems, ...checked.problems];
    if (problems.length > 0) throw badParameters(tool, schema, problems);
    return checked.value;
  };
  const checked = kind === "json" ? checkImported(tool, schema, mended) : checkByLibrary(tool, schema, mended, kind);
  return checked instanceof Promise ? checked.then(finish) : finish(checked);
}

/** Parts of a tool's imported schema that are not checked, because they make no sense here: `properties/x: pattern`. */
export function uncheckedParts(tool: Tool): readonly string[] {
  return inputKindOf(tool) === "json" ? schemaGaps(advertised(tool)) : [];
}

interface Checked {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

function advertised(tool: Tool): JsonSchema {
  try {
    return inputSchemaOf(tool);
  } catch (cause) {
    throw broken(tool, cause);
  }
}

function broken(tool: Tool, cause: unknown): ToolFailure {
  return new ToolFailure("tool_error", `The input schema of ${tool.name} is broken, so it cannot be called.`, {
    hint: "Use another tool; this one must be repaired where it comes from.",
    details: { reason: "broken_schema" },
    cause,
  });
}

/** Models send objects as text now and then, and nothing at all for tools without parameters. */
function asObject(tool: Tool, schema: JsonSchema, given: Json): JsonObject {
  if (isNothing(given)) return {};
  const value = typeof given === "string" ? parseJsonText(given) : given;
  if (isObject(value)) return value;
  const came = value === undefined ? `text that is not JSON, ${received(given)}` : received(value);
  throw badParameters(tool, schema, [{ parameter: "", problem: "type", expected: "an object of parameters", received: came }]);
}

function checkByLibrary(tool: Tool, schema: JsonSchema, input: Json, kind: "zod" | "standard"): Checked | Promise<Checked> {
  const failed = (cause: unknown): never => {
    throw broken(tool, cause);
  };
  try {
    const checked =
      kind === "zod" ? checkZod(tool.input as ZodType, schema, input) : checkStandard(tool.input as StandardSchema, schema, input);
    return checked instanceof Promise ? checked.catch(failed) : checked;
  } catch (cause) {
    return failed(cause);
  }
}

function checkZod(zod: ZodType, schema: JsonSchema, input: Json): Checked | Promise<Checked> {
  const told = (outcome: ReturnType<typeof zod.safeParse>): Checked =>
    outcome.success
      ? { value: outcome.data, problems: [] }
      : { value: undefined, problems: outcome.error.issues.flatMap((issue) => fromIssue(schema, input, issue as Issue, [])) };
  try {
    return told(zod.safeParse(input));
  } catch (error) {
    if (!(error instanceof Error) || error.constructor.name !== "$ZodAsyncError") throw error;
    return zod.safeParseAsync(input).then(told);
  }
}

function checkStandard(standard: StandardSchema, schema: JsonSchema, input: Json): Checked | Promise<Checked> {
  const told = (outcome: StandardResult<unknown>): Checked =>
    outcome.issues === undefined
      ? { value: outcome.value, problems: [] }
      : {
          value: undefined,
          problems: outcome.issues.map(({ message, path }) => {
            const steps = (path ?? []).map((step) => (typeof step === "object" ? step.key : step));
            return problemAt(
              schema,
              input,
              steps.map((step) => (typeof step === "number" ? step : String(step))),
              message,
            );
          }),
        };
  const outcome = standard["~standard"].validate(input);
  return outcome instanceof Promise ? outcome.then(told) : told(outcome);
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

function fromIssue(schema: JsonSchema, input: Json, issue: Issue, base: Path): readonly Problem[] {
  const path = [...base, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  if (issue.code === "unrecognized_keys") return (issue.keys ?? []).map((key) => unknownAt(schema, input, [...path, key]));
  if (issue.code === "invalid_union") {
    const chosen = chosenBranch(schema, input, path);
    const inner = chosen === undefined ? undefined : issue.errors?.[chosen];
    if (inner !== undefined && inner.length > 0) return inner.flatMap((each) => fromIssue(schema, input, each, path));
  }
  return [problemAt(schema, input, path, issue.code === "custom" ? issue.message : undefined)];
}

function checkImported(tool: Tool, schema: JsonSchema, input: Json): Checked {
  // Defaults are filled in where the value stands, so the message is made from the input as it was.
  const value = structuredClone(input);
  let errors: readonly SchemaError[];
  try {
    errors = checkAgainst(tool.name, schema, value);
  } catch (error) {
    throw error instanceof ToolFailure ? error : broken(tool, error);
  }
  const relevant = withoutOtherBranches(schema, input, errors);
  return { value, problems: relevant.map((error) => fromSchemaError(schema, input, error)) };
}

/** Of a union only the branch the value belongs to is worth a message; where that is open, only the union itself. */
function withoutOtherBranches(schema: JsonSchema, input: Json, errors: readonly SchemaError[]): readonly SchemaError[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  return errors.filter((error) => {
    for (const union of unions) {
      if (error === union) {
        if (explained(union, errors, chosenBranch(schema, input, union.path))) return false;
        continue;
      }
      const below = union.path.every((step, at) => error.path[at] === step);
      const chosen = chosenBranch(schema, input, union.path);
      const own = chosen !== undefined && error.schemaPath.startsWith(`${union.schemaPath}/${chosen}/`);
      if (below && !own && (error.schemaPath.startsWith(`${union.schemaPath}/`) || !error.schemaPath.startsWith("#/properties")))
        return false;
    }
    return true;
  });
}

function explained(union: SchemaError, errors: readonly SchemaError[], chosen: number | undefined): boolean {
  return chosen !== undefined && errors.some(({ schemaPath }) => schemaPath.startsWith(`${union.schemaPath}/${chosen}/`));
}

function fromSchemaError(schema: JsonSchema, input: Json, { path, keyword, parameters, message }: SchemaError): Problem {
  if (keyword === "required" || keyword === "dependentRequired")
    return problemAt(schema, input, [...path, String(parameters.missingProperty)]);
  if (keyword === "additionalProperties") return unknownAt(schema, input, [...path, String(parameters.additionalProperty)]);
  if (keyword === "unevaluatedProperties") return unknownAt(schema, input, [...path, String(parameters.unevaluatedProperty)]);
  const plain = [
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "oneOf",
    "minItems",
    "maxItems",
  ];
  return problemAt(schema, input, path, plain.includes(keyword) ? undefined : message);
}

function chosenBranch(schema: JsonSchema, input: Json, path: Path): number | undefined {
  const node = nodeAt(schema, path, input);
  const value = valueAt(input, path);
  return node === undefined || value === undefined ? undefined : branchFor(schema, shapeOf(schema, node), value);
}

function problemAt(schema: JsonSchema, input: Json, path: Path, words?: string): Problem {
  const node = nodeAt(schema, path, input);
  const value = valueAt(input, path);
  const wrongType = value !== undefined && node !== undefined && !accepts(shapeOf(schema, node), typeOfValue(value));
  return {
    parameter: pathText(path),
    problem: value === undefined ? "missing" : wrongType ? "type" : "value",
    expected: node === undefined ? "another value" : expectation(schema, node),
    received: received(value),
    ...(words === undefined ? {} : { words }),
  };
}

function unknownAt(schema: JsonSchema, input: Json, path: Path): Problem {
  const node = nodeAt(schema, path.slice(0, -1), input);
  const names = node === undefined ? [] : [...shapeOf(schema, node).properties.keys()];
  return {
    parameter: pathText(path),
    problem: "unknown",
    expected: names.length === 0 ? "no such parameter" : `only ${names.slice(0, 30).join(", ")}`,
    received: received(valueAt(input, path)),
  };
}

function valueAt(input: Json, path: Path): Json | undefined {
  let value: Json | undefined = input;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}
