/**
 * `$KARYI{NAME}` in the input of a call, and `$$KARYI{NAME}` for the text itself. Only inputs are ever read for
 * placeholders: what a tool brings back, a page or a file, is never expanded. Linear in the text.
 */
import { type Json, type JsonObject, placeholderPattern, ToolFailure } from "../contract/index.ts";

const mark = "$KARYI{";
/** Inputs are parsed from JSON or markup; nothing meant is nested deeper. */
const deepest = 500;

/** Names used anywhere in a value, in the order they appear; in texts, not in names of fields. */
export function placeholdersIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") {
      if (!next.includes(mark)) continue;
      for (const [, literal, name = ""] of next.matchAll(placeholderPattern)) if (literal === "") names.add(name);
    } else if (typeof next === "object" && next !== null && !ArrayBuffer.isView(next) && !seen.has(next)) {
      seen.add(next);
      const parts: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
      for (let index = parts.length - 1; index >= 0; index--) waiting.push(parts[index]);
    }
  }
  return [...names];
}

/** The same value where there is nothing to fill in. `fill` answers `undefined` to leave a placeholder as it is. */
export function fillIn(value: Json, fill: (name: string) => string | undefined, except: readonly string[] = []): Json {
  if (!isObject(value)) return filled(value, fill, 0);
  return mapped(value, (part, name) => (except.includes(name) ? part : filled(part, fill, 1)));
}

function filled(value: Json, fill: (name: string) => string | undefined, depth: number): Json {
  if (typeof value === "string") {
    if (!value.includes(mark)) return value;
    return value.replaceAll(placeholderPattern, (whole, literal: string, name: string) =>
      literal === "" ? (fill(name) ?? whole) : whole.slice(1),
    );
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth > deepest) {
    throw new ToolFailure("invalid_tool_input", "The input is nested too deep.", { details: { reason: "too_deep" } });
  }
  if (Array.isArray(value)) {
    const parts = (value as readonly Json[]).map((part) => filled(part, fill, depth + 1));
    return parts.some((part, index) => part !== value[index]) ? parts : value;
  }
  return mapped(value as JsonObject, (part) => filled(part, fill, depth + 1));
}

function mapped(value: JsonObject, change: (part: Json, name: string) => Json): JsonObject {
  let changed = false;
  const entries = Object.entries(value).map(([name, part]) => {
    const next = part === undefined ? part : change(part, name);
    changed ||= next !== part;
    return [name, next] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
