/**
 * Brings an input into the form its schema expects, as far as that is certain: other names of a parameter, numbers and
 * booleans and JSON written as text, null for an absent optional parameter. Parameters that exist nowhere are reported.
 * Refuses to guess: a text that is not exactly a number stays a text, and the validator will say so.
 */
import type { Json, JsonObject, JsonSchema, Tool } from "../../contract/index.ts";
import { closestName, normalName, type Problem, pathText } from "./input-problems.ts";
import { parseJsonText } from "./plain-input.ts";
import { accepts, branchFor, isObject, type Shape, shapeOf } from "./schema-shape.ts";
import { received } from "./schema-words.ts";

type Path = readonly (string | number)[];

export interface Mending {
  readonly tool: Tool;
  readonly schema: JsonSchema;
  /** Every object takes only what it names (zod), or the outermost one (imported schemas, which often forget to say so). */
  readonly closed: "everywhere" | "outermost";
  readonly problems: Problem[];
}

export function mend(mending: Mending, value: Json, node: JsonObject, path: Path): Json {
  const shape = shapeOf(mending.schema, node);
  const converted = typeof value === "string" && !accepts(shape, "string") ? fromText(value, shape, mending) : value;
  if (Array.isArray(converted)) return mendArray(mending, converted, shape, path);
  if (isObject(converted) && accepts(shape, "object")) return mendObject(mending, converted, shape, path);
  return converted;
}

function fromText(text: string, shape: Shape, { schema }: Mending): Json {
  const trimmed = text.trim();
  if (accepts(shape, "integer") && /^[+-]?\d+(?:\.0+)?$/.test(trimmed) && Number.isSafeInteger(Number(trimmed))) return Number(trimmed);
  if (accepts(shape, "number") && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) && Number.isFinite(Number(trimmed)))
    return Number(trimmed);
  if (accepts(shape, "boolean") && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === "true";
  const wanted = trimmed.startsWith("{") ? "object" : trimmed.startsWith("[") ? "array" : undefined;
  if (wanted !== undefined && accepts(shape, wanted)) return parseJsonText(trimmed) ?? text;
  if (wanted === undefined && trimmed !== "" && accepts(shape, "array") && !accepts(shape, "object") && takesTexts(schema, shape))
    return [text];
  return text;
}

/** One text where a list of texts is wanted is a list of one; for other lists that would be a guess. */
function takesTexts(schema: JsonSchema, shape: Shape): boolean {
  return shape.items !== undefined && shapeOf(schema, shape.items).types.join() === "string";
}

function mendArray(mending: Mending, values: readonly Json[], shape: Shape, path: Path): Json {
  const at = shape.branches.length > 0 && shape.items === undefined ? branchFor(mending.schema, shape, values) : undefined;
  const branch = at === undefined ? undefined : shape.branches[at];
  const items = branch === undefined ? shape.items : shapeOf(mending.schema, branch).items;
  return items === undefined ? values : values.map((item, index) => mend(mending, item, items, [...path, index]));
}

function mendObject(mending: Mending, given: JsonObject, shape: Shape, path: Path): Json {
  const target = shape.properties.size > 0 || shape.branches.length === 0 ? shape : chosenBranch(mending.schema, shape, given);
  if (target === undefined) {
    reportStrangers(mending, given, shape, path);
    return given;
  }
  const closed = isClosed(mending, target, path);
  const result: Record<string, Json> = {};
  const spelled = new Map<string, string>();
  for (const [asked, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const name = target.properties.has(asked) ? asked : otherName(mending, asked, target, path);
    if (name === undefined && closed) {
      mending.problems.push(unknown(asked, target, path, value));
      continue;
    }
    const key = name ?? asked;
    const schema = target.properties.get(key) ?? target.others;
    const mended = schema === undefined ? value : mend(mending, value, schema, [...path, key]);
    if (mended === null && schema !== undefined && !target.required.has(key) && !accepts(shapeOf(mending.schema, schema), "null")) continue;
    const before = spelled.get(key);
    if (before !== undefined && JSON.stringify(result[key]) !== JSON.stringify(mended)) {
      mending.problems.push(twice(key, before, asked, path, value));
      continue;
    }
    spelled.set(key, asked);
    result[key] = mended;
  }
  return result;
}

function chosenBranch(schema: JsonSchema, shape: Shape, given: JsonObject): Shape | undefined {
  const at = branchFor(schema, shape, given);
  const branch = at === undefined ? undefined : shape.branches[at];
  return branch === undefined ? undefined : shapeOf(schema, branch);
}

/** Of a union whose branch is still open: a parameter that no branch knows is unknown whichever it will be. */
function reportStrangers(mending: Mending, given: JsonObject, shape: Shape, path: Path): void {
  const objects = shape.branches.map((branch) => shapeOf(mending.schema, branch)).filter((branch) => accepts(branch, "object"));
  if (objects.some((branch) => !isClosed(mending, branch, path))) return;
  const properties = new Map(objects.flatMap((branch) => [...branch.properties]));
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !properties.has(name)) mending.problems.push(unknown(name, { ...shape, properties }, path, value));
}

const opening = ["anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties", "propertyNames", "not"] as const;

function isClosed({ closed }: Mending, shape: Shape, path: Path): boolean {
  if (shape.closed) return true;
  const { node } = shape;
  if (node.additionalProperties !== undefined || opening.some((key) => node[key] !== undefined)) return false;
  if (closed === "everywhere") return shape.properties.size > 0;
  return path.length === 0 && (shape.properties.size > 0 || node.properties !== undefined);
}

/** A synonym of the tool's, or the same name in another spelling (`filePath`); never a name that merely looks alike. */
function otherName({ tool }: Mending, asked: string, shape: Shape, path: Path): string | undefined {
  const synonyms = path.length === 0 ? tool.synonyms : undefined;
  if (synonyms !== undefined) {
    const normal = normalName(asked);
    for (const [other, name] of Object.entries(synonyms)) if (normalName(other) === normal && shape.properties.has(name)) return name;
  }
  if (shape.others !== undefined) return undefined;
  const normal = normalName(asked);
  const alike = [...shape.properties.keys()].filter((name) => normalName(name) === normal && normal !== "");
  return alike.length === 1 ? alike[0] : undefined;
}

function unknown(asked: string, shape: Shape, path: Path, value: Json): Problem {
  const names = [...shape.properties.keys()];
  const closest = closestName(asked, names);
  return {
    parameter: pathText([...path, asked]),
    problem: "unknown",
    expected: names.length === 0 ? "no parameters" : `only ${names.slice(0, 30).join(", ")}`,
    received: received(value),
    ...(closest === undefined ? {} : { closest }),
  };
}

function twice(name: string, before: string, asked: string, path: Path, value: Json): Problem {
  return {
    parameter: pathText([...path, name]),
    problem: "value",
    expected: "one value",
    received: received(value),
    words: `given twice with different values, as '${before}' and as '${asked}'`,
  };
}

export function isNothing(raw: Json): boolean {
  return raw === null || (typeof raw === "string" && raw.trim() === "");
}
