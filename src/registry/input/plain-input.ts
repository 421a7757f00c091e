/**
 * A private copy of what a caller handed over, as plain JSON within bounds: no getters, no classes, no cycles, no
 * `__proto__`. Everything after this stage works on the copy. Refuses instead of guessing; never overflows the stack.
 */
import { type Json, ToolFailure } from "../../contract/index.ts";

const maxDepth = 100;
const maxValues = 200_000;
const maxCharacters = 32 * 1024 * 1024;

interface Budget {
  values: number;
  characters: number;
}

export function plainInput(raw: unknown): Json {
  try {
    return copy(raw, "", 0, { values: maxValues, characters: maxCharacters });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    // A getter or a proxy of the caller's threw while it was read.
    throw refused("The input could not be read as JSON.");
  }
}

/** `undefined` when the text is not JSON at all; what is JSON is copied within the same bounds. */
export function parseJsonText(text: string): Json | undefined {
  if (text.length > maxCharacters) throw refused("The input is larger than 32 MiB.");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  return plainInput(parsed);
}

function copy(value: unknown, path: string, depth: number, budget: Budget): Json {
  if (depth > maxDepth) throw refused(`The input is nested deeper than ${maxDepth} levels (at '${path.slice(0, 80)}').`);
  if (--budget.values < 0) throw refused(`The input has more than ${maxValues} values.`);
  if (typeof value === "string") {
    spend(budget, value.length);
    return value;
  }
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refused(`'${path}' is ${value}, which JSON cannot hold.`);
    return value;
  }
  if (Array.isArray(value)) {
    if (value.length > budget.values) throw refused(`The input has more than ${maxValues} values.`);
    return Array.from(value, (item, at) => copy(item === undefined ? null : item, `${path}[${at}]`, depth + 1, budget));
  }
  if (typeof value !== "object" || !isPlain(value)) throw refused(`'${path}' is not JSON but ${kindOf(value)}.`);
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw refused("A parameter must not be called '__proto__'.");
    spend(budget, key.length);
    const item: unknown = (value as Record<string, unknown>)[key];
    if (item !== undefined) result[key] = copy(item, path === "" ? key : `${path}.${key}`, depth + 1, budget);
  }
  return result;
}

function spend(budget: Budget, characters: number): void {
  budget.characters -= characters;
  if (budget.characters < 0) throw refused("The input is larger than 32 MiB.");
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name.slice(0, 40)}` : "an object of a class";
}

function refused(message: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { details: { reason: "bad_parameters", problems: [] } });
}
