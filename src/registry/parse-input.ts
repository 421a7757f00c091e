/**
 * From whatever a model sent to an input that fits the tool's schema: copied, mended where that is certain, checked,
 * defaults filled in. Throws nothing but ToolFailure; all problems are named at once, so that one more try is enough.
 */
import { type Json, type JsonObject, type JsonSchema, type Tool, ToolFailure } from "../contract/index.ts";
import { badParameters, type Problem, pathText } from "./input-problems.ts";
import { inputSchemaOf, zodOf } from "./input-schema.ts";
import { checkAgainst, type SchemaError } from "./json-schema-check.ts";
import { isNothing, type Mending, mend } from "./mend-input.ts";
import { parseJsonText, plainInput } from "./plain-input.ts";
import { accepts, branchFor, isObject, nodeAt, shapeOf, typeOfValue } from "./schema-shape.ts";
import { expectation, received } from "./schema-words.ts";

type Path = readonly (string | number)[];

export function parseInput(tool: Tool, raw: unknown): unknown {
  const given = plainInput(raw ?? null);
  const schema = advertised(tool);
  const zod = zodOf(tool);
  const object = accepts(shapeOf(schema, schema), "object") ? asObject(tool, schema, given) : given;
  const mending: Mending = { tool, schema, closed: zod === undefined ? "outermost" : "everywhere", problems: [] };
  const mended = mend(mending, object, schema, []);
  const checked = zod === undefined ? checkImported(tool, schema, mended) : checkZod(tool, zod, schema, mended);
  const problems = [...mending.problems, ...checked.problems];
  if (problems.length > 0) throw badParameters(tool, schema, problems);
  return checked.value;
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

function checkZod(tool: Tool, zod: NonNullable<ReturnType<typeof zodOf>>, schema: JsonSchema, input: Json): Checked {
  let outcome: ReturnType<typeof zod.safeParse>;
  try {
    outcome = zod.safeParse(input);
  } catch (cause) {
    throw broken(tool, cause);
  }
  if (outcome.success) return { value: outcome.data, problems: [] };
  return { value: undefined, problems: outcome.error.issues.flatMap((issue) => fromIssue(schema, input, issue as Issue, [])) };
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
