/**
 * Refuses options of `openSession` that would do nothing and be believed in: a misspelt key, a parent that is no handle.
 * TypeScript refuses them too; a program in JavaScript would get a session with more rights than it asked for.
 */
import { type OpenSessionOptions, ToolFailure } from "../contract/index.ts";
import { nearestName } from "./check-config.ts";

const known: { readonly [Key in keyof Required<OpenSessionOptions>]: true } = {
  id: true,
  cwd: true,
  owner: true,
  channel: true,
  workspace: true,
  mode: true,
  rules: true,
  roots: true,
  network: true,
  toolkit: true,
  approve: true,
  approvals: true,
  askValue: true,
  parent: true,
  worktree: true,
};
const lists = ["allow", "ask", "deny"];

export function refuseOptions(options: OpenSessionOptions): void {
  refuseUnknown(Object.keys(options), Object.keys(known), "");
  const { parent, rules, roots, toolkit }: { readonly [Key in keyof OpenSessionOptions]?: unknown } = options;
  if (parent !== undefined && !isHandle(parent))
    throw bad("parent", "The parent of a session must be its handle.", "Open the parent first: openSession({ parent: handle }).");
  if (rules !== undefined) {
    if (!isObject(rules)) throw bad("rules", "The rules of a session must be lists.", 'Write rules: { deny: ["Read(private/**)"] }.');
    refuseUnknown(Object.keys(rules), lists, "rules.");
    for (const list of lists) refuseNoList(`rules.${list}`, rules[list]);
  }
  refuseNoList("roots", roots);
  if (toolkit !== undefined && typeof toolkit !== "string") {
    if (!isObject(toolkit) || typeof toolkit.agent !== "string" || !isList(toolkit.tools))
      throw bad("toolkit", "A toolkit must name its agent and its tools.", 'Write toolkit: { agent: "reader", tools: ["Read"] }.');
  }
}

function refuseUnknown(keys: readonly string[], allowed: readonly string[], at: string): void {
  const key = keys.find((each) => !allowed.includes(each));
  if (key === undefined) return;
  const near = nearestName(key, allowed);
  const meant = near === undefined ? "" : `; did you mean '${at}${near}'?`;
  throw bad(`${at}${key}`, `openSession has no option '${at}${key}'${meant}`, `Known here: ${allowed.join(", ")}.`);
}

function refuseNoList(name: string, value: unknown): void {
  if (value !== undefined && !isList(value)) throw bad(name, `${name} must be a list of texts.`, `Write ${name}: ["…"].`);
}

function isHandle(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string" && typeof value.call === "function";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function bad(parameter: string, message: string, hint: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", message, { hint, details: { reason: "bad_parameters", parameter } });
}
