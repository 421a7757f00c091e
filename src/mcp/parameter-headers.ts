/**
 * Parameters that a tool of an HTTP server wants as headers too (`x-mcp-header`, 2026-07-28), so that what stands between can route
 * by them. A declaration that breaks the protocol's rules makes the whole tool unusable. A server refuses a call whose headers say
 * something else than its body.
 */
import { isUtf8 } from "node:buffer";
import type { Json, JsonObject, JsonSchema } from "../contract/index.ts";

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

const keyword = "x-mcp-header";
/** A name that HTTP takes. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const primitive = new Set(["string", "integer", "boolean"]);
const plain = /^[\t\x20-\x7e]+$/;
const decimal = /^-?\d+(?:\.\d+)?$/;
const encoded = /^=\?base64\?.*\?=$/;

/** `undefined` if a declaration is wrong. */
export function headerDeclarations(schema: JsonSchema): readonly Declaration[] | undefined {
  const found: Declaration[] = [];
  const isRight = (node: Json | undefined, path: readonly string[], isReachable: boolean): boolean => {
    if (Array.isArray(node)) return (node as Json[]).every((inner) => isRight(inner, path, false));
    if (!isObject(node)) return true;
    const header = node[keyword];
    if (header !== undefined) {
      const isName = typeof header === "string" && token.test(header);
      if (!isName || !isReachable || path.length === 0 || !primitive.has(String(node.type))) return false;
      if (found.some((other) => other.header.toLowerCase() === header.toLowerCase())) return false;
      found.push({ path, header });
    }
    return Object.entries(node).every(([key, inner]) => {
      // Of a property of that name the value is a schema, and nothing else is looked for in data.
      if (key === keyword || key === "default" || key === "const" || key === "enum" || key === "examples") return true;
      if (key !== "properties") return isRight(inner, path, false);
      return !isObject(inner) || Object.entries(inner).every(([name, property]) => isRight(property, [...path, name], isReachable));
    });
  };
  return isRight(schema as JsonObject, [], true) ? found : undefined;
}

/** What is absent or no primitive has no header. */
export function parameterHeaders(schema: JsonSchema, args: JsonObject): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { header, value } of declaredValues(schema, args)) {
    headers[`Mcp-Param-${header}`] = fieldValue(String(value));
  }
  return headers;
}

export interface HeaderMismatch {
  readonly header: string;
  /** What is wrong, in words. */
  readonly body: string;
}

/** What a server refuses a call for; `undefined` if headers and body agree. */
export function headerMismatch(
  schema: JsonSchema,
  args: JsonObject,
  headers: { get(name: string): string | null },
): HeaderMismatch | undefined {
  for (const { path, header: name, value } of declaredValues(schema, args)) {
    const header = `Mcp-Param-${name}`;
    const given = headers.get(header);
    const said = given === null ? undefined : decoded(given);
    const place = path.join(".");
    if (given === null) return { header, body: `${place} is in the body, but not in the headers` };
    if (said === undefined) return { header, body: "the header is no valid Base64 of UTF-8" };
    const isSame = said === String(value) || (typeof value === "number" && decimal.test(said) && Number(said) === value);
    if (!isSame) return { header, body: `the header says ${JSON.stringify(said)}, the body ${place}=${JSON.stringify(value)}` };
  }
  return undefined;
}

type Primitive = string | number | boolean;

/** Of the parameters that are declared, those that a call has and a header can carry. */
function declaredValues(schema: JsonSchema, args: JsonObject): readonly (Declaration & { readonly value: Primitive })[] {
  return (headerDeclarations(schema) ?? []).flatMap((declaration) => {
    let value: Json | undefined = args;
    for (const key of declaration.path) value = isObject(value) ? value[key] : undefined;
    return isCarried(value) ? [{ ...declaration, value }] : [];
  });
}

function isCarried(value: Json | undefined): value is Primitive {
  return typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isSafeInteger(value));
}

/** `undefined` if it calls itself Base64 and is none, or holds no UTF-8. */
function decoded(field: string): string | undefined {
  const coded = /^=\?base64\?(.*)\?=$/.exec(field)?.[1];
  if (coded === undefined) return field;
  const bytes = Buffer.from(coded, "base64");
  return bytes.toString("base64") === coded && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

function fieldValue(text: string): string {
  const isPlain = plain.test(text) && text === text.trim() && !encoded.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
