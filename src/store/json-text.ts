/** JSON as it is stored: canonical where it is hashed, null where a column may be empty. */
import { createHash } from "node:crypto";
import type { Json, JsonObject } from "../contract/index.ts";

/** The same value always gives the same text: names sorted, `undefined` left out. */
export function canonical(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonical).join(",")}]`;
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const item = value[name];
    if (item !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonical(item)}`;
  }
  return `{${text}}`;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A property only where the column has a value, as exact optional properties want it. */
export function optional<Name extends string, Value>(name: Name, value: Value | null): { readonly [Key in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [Key in Name]?: Value };
}

function isList(value: readonly Json[] | JsonObject): value is readonly Json[] {
  return Array.isArray(value);
}
