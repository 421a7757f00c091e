/**
 * Text to typed values (D2). With a schema, the schema decides: `007` stays text where it says string and is 7
 * where it says integer. Without one only `true`, `false`, plain integers and plain decimals convert.
 * A value that does not fit is left as it is; saying so is the engine's validation.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject, type Shape } from "../frame/shape.ts";
import { maxDepth, type Repairs } from "../types.ts";
import { readJson } from "./json-text.ts";

const plainInteger = /^-?(0|[1-9]\d{0,15})$/;
const plainDecimal = /^-?(0|[1-9]\d{0,14})\.\d{1,15}$/;

/** `quoted`: it stood in CDATA, which says text wherever text is possible. */
export function valueOfText(text: string, shape: Shape | undefined, quoted: boolean, repairs: Repairs): Json {
  if (shape === undefined || shape.types.size === 0) return untyped(text);
  if (shape.enums !== undefined) return ofEnum(text, shape.enums);
  const { types } = shape;
  if (types.has("string")) {
    if (quoted || types.size === 1) return text;
    return canonical(text, types) ?? structured(text, shape, repairs) ?? (types.has("null") && text === "null" ? null : text);
  }
  const trimmed = text.trim();
  if (types.has("null") && (trimmed === "null" || trimmed === "")) return null;
  if (types.has("boolean")) {
    const lower = trimmed.toLowerCase();
    if (lower === "true" || lower === "false") return lower === "true";
  }
  const number = types.has("integer") || types.has("number") ? numberOf(trimmed, !types.has("number")) : undefined;
  return number ?? structured(text, shape, repairs) ?? text;
}

/** What text means where no schema says anything. */
export function untyped(text: string): Json {
  if (text === "true") return true;
  if (text === "false") return false;
  const code = text.charCodeAt(0);
  if (text.length > 32 || !((code >= 48 && code <= 57) || code === 45)) return text;
  if (text === "-0") return text;
  if (plainInteger.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : text;
  }
  return plainDecimal.test(text) ? Number(text) : text;
}

/** Where text is possible too, only the exact form of another type is taken for it. */
function canonical(text: string, types: ReadonlySet<string>): Json | undefined {
  const value = untyped(text);
  if (typeof value === "boolean") return types.has("boolean") ? value : undefined;
  if (typeof value !== "number" || String(value) !== text) return undefined;
  return types.has("number") || (types.has("integer") && Number.isInteger(value)) ? value : undefined;
}

function numberOf(text: string, integer: boolean): number | undefined {
  if (text.length > 64 || !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isFinite(number)) return undefined;
  // Beyond 2^53 digits would be lost: the text is kept and validation complains.
  if (Number.isInteger(number) ? !Number.isSafeInteger(number) : integer) return undefined;
  return number;
}

function ofEnum(text: string, enums: readonly Json[]): Json {
  if (enums.includes(text)) return text;
  const trimmed = text.trim();
  return enums.find((one) => (typeof one === "string" ? one === trimmed : JSON.stringify(one) === trimmed)) ?? text;
}

function structured(text: string, shape: Shape, repairs: Repairs): Json | undefined {
  const wantsArray = shape.types.has("array");
  const wantsObject = shape.types.has("object");
  if (!wantsArray && !wantsObject) return undefined;
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if ((first === "[" && wantsArray) || (first === "{" && wantsObject)) {
    const read = readJson(trimmed);
    if (read !== undefined && (Array.isArray(read.value) ? wantsArray : isObject(read.value))) {
      if (read.mended) repairs.add("JSON syntax");
      return valueOfJson(read.value, shape, repairs);
    }
    return undefined;
  }
  if (shape.types.has("string")) return undefined;
  if (trimmed === "") return wantsArray ? [] : wantsObject ? {} : undefined;
  if (!wantsArray) return undefined;
  repairs.add("value type");
  return [valueOfText(text, shape.item(0), false, repairs)];
}

/**
 * Values that came as JSON already have types; what still differs from the schema is mended and said:
 * JSON inside a string where a list or object belongs, a number written as text.
 */
export function valueOfJson(value: Json, shape: Shape | undefined, repairs: Repairs, depth = 0): Json {
  if (shape === undefined || depth > maxDepth) return value;
  if (typeof value === "string") return ofJsonString(value, shape, repairs);
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const items = list.map((item, index) => valueOfJson(item, shape.item(index), repairs, depth + 1));
    return items.every((item, index) => item === list[index]) ? value : items;
  }
  return isObject(value) ? ofJsonObject(value, shape, repairs, depth) : value;
}

function ofJsonObject(value: JsonObject, shape: Shape, repairs: Repairs, depth: number): JsonObject {
  let changed = false;
  const entries = Object.entries(value).map(([key, one]): [string, Json | undefined] => {
    const next = one === undefined ? undefined : valueOfJson(one, shape.property(key), repairs, depth + 1);
    if (next !== one) changed = true;
    return [key, next];
  });
  return changed ? Object.fromEntries(entries) : value;
}

function ofJsonString(value: string, shape: Shape, repairs: Repairs): Json {
  const { types } = shape;
  if (types.size === 0 || types.has("string") || shape.enums?.includes(value)) return value;
  const first = value.trimStart().charAt(0);
  const encoded = (first === "[" && types.has("array")) || (first === "{" && types.has("object"));
  const inner: Repairs = new Set();
  const next = valueOfText(value, shape, false, inner);
  if (next === value) return value;
  for (const repair of inner) repairs.add(repair);
  repairs.add(encoded ? "double-encoded JSON" : "value type");
  return next;
}
