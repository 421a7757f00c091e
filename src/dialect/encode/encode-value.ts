/**
 * Values to elements: text in CDATA, lists as `<item>`, objects as named elements; whatever would not come back as
 * the same value that way is written as JSON, which always does where the schema knows the type.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import { untyped } from "../read/coerce.ts";
import { cdata, escapeXml } from "../read/entities.ts";
import { htmlNames } from "../read/markup-value.ts";
import { isNameCode } from "../read/tag.ts";

export interface ElementStyle {
  /** Numbers and booleans stand in CDATA too, as in the instructions models are given. */
  readonly quoteAll: boolean;
}

export function encodeElement(name: string, value: Json, indent: string, style: ElementStyle): string {
  return `${indent}<${name}>${encodeContent(value, indent, style)}</${name}>`;
}

function encodeContent(value: Json, indent: string, style: ElementStyle): string {
  if (typeof value === "string") return cdata(value);
  if (value === null) return "null";
  if (typeof value !== "object") return style.quoteAll ? cdata(String(value)) : String(value);
  if (!comesBack(value, 0)) return escapeXml(JSON.stringify(value));
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => encodeElement("item", item, inner, style))
    : entriesOf(value as JsonObject).map(([key, one]) => encodeElement(key, one, inner, style));
  return `\n${lines.join("\n")}\n${indent}`;
}

export function entriesOf(value: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined);
}

/** Would nested elements be read as this value again, even where no schema helps? */
function comesBack(value: Json, depth: number): boolean {
  if (depth > 8 || value === null) return false;
  if (typeof value === "string") return untyped(value) === value;
  if (typeof value === "number") return untyped(String(value)) === value;
  if (typeof value === "boolean") return true;
  if (Array.isArray(value)) return value.length > 0 && (value as readonly Json[]).every((item) => comesBack(item, depth + 1));
  if (!isObject(value)) return false;
  const entries = entriesOf(value);
  return (
    entries.length > 0 &&
    entries.every(([key, one]) => isElementName(key) && !htmlNames.has(key.toLowerCase()) && key !== "item" && comesBack(one, depth + 1))
  );
}

/** Can this key be a tag, and be told from the tags around it? */
export function isElementName(name: string): boolean {
  if (!/^[A-Za-z_]/.test(name) || name.length > 64 || name.includes(":")) return false;
  for (let index = 0; index < name.length; index += 1) if (!isNameCode(name.charCodeAt(index))) return false;
  return true;
}
