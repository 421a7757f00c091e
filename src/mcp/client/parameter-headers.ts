/**
 * Parameters that a tool of an HTTP server wants as headers too (`x-mcp-header`, 2026-07-28), so that what stands between can route
 * by them. A declaration that breaks the protocol's rules makes the whole tool unusable.
 */
import type { Json, JsonObject, JsonSchema } from "../../contract/index.ts";
import { isObject } from "./imported-tool.ts";

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

const keyword = "x-mcp-header";
/** A name that HTTP takes. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const primitive = new Set(["string", "integer", "boolean"]);
const plain = /^[\t\x20-\x7e]+$/;
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
  for (const { path, header } of headerDeclarations(schema) ?? []) {
    let value: Json | undefined = args;
    for (const key of path) value = isObject(value) ? value[key] : undefined;
    const isSafe = typeof value !== "number" || Number.isSafeInteger(value);
    if (["string", "number", "boolean"].includes(typeof value) && isSafe) headers[`Mcp-Param-${header}`] = fieldValue(String(value));
  }
  return headers;
}

function fieldValue(text: string): string {
  const isPlain = plain.test(text) && text === text.trim() && !encoded.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}
