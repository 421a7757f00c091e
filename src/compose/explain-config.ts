/**
 * The keys of the configuration as a person learns them, read from the schema and the words beside it. Owns no words about
 * any key: a key that is added to the schema with `said(…)` is explained here without further work.
 */
import { z } from "zod";
import { nearestName } from "./check-config.ts";
import { configSchema } from "./config-schema.ts";

/** A key with everything known about it. `KEY.NAME` and `KEY[]` stand for what a person names or lists. */
export interface ExplainedKey {
  readonly key: string;
  readonly type: string;
  readonly en: string;
  readonly zh: string;
  readonly values?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly minimum?: number;
  readonly required: boolean;
  /** Names of the keys directly below. */
  readonly below: readonly string[];
}

interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly zh?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** Every key, parents before what is below them, in the order of the schema. */
export function configKeys(): readonly ExplainedKey[] {
  const root = z.toJSONSchema(configSchema, { unrepresentable: "any", io: "input", reused: "inline" }) as Node;
  return below("", root);
}

/** The explained key, or the nearest one that exists. */
export function explainKey(key: string): ExplainedKey | { readonly unknown: string; readonly near: string | undefined } {
  const keys = configKeys();
  const wanted = key.split(".");
  const found = keys.find((candidate) => candidate.key === key) ?? keys.find((candidate) => fits(candidate.key.split("."), wanted));
  return (
    found ?? {
      unknown: key,
      near: nearestName(
        key,
        keys.map((candidate) => candidate.key),
      ),
    }
  );
}

/** `providers.local.baseUrl` is explained by `providers.NAME.baseUrl`. */
function fits(pattern: readonly string[], wanted: readonly string[]): boolean {
  return (
    pattern.length === wanted.length && pattern.every((part, at) => part === wanted[at] || part === "NAME" || part === `${wanted[at]}[]`)
  );
}

function below(prefix: string, node: Node): readonly ExplainedKey[] {
  const branches = branchesOf(node);
  const named = new Map<string, { node: Node; required: boolean }>();
  for (const branch of branches)
    for (const [name, child] of Object.entries(branch.properties ?? {}))
      if (!named.has(name)) named.set(name, { node: child, required: branches.every((each) => each.required?.includes(name) === true) });
  const open = branches.map(({ additionalProperties }) => additionalProperties).find((each) => typeof each === "object");
  const keys = [...named].flatMap(([name, child]) => described(join(prefix, name), child.node, child.required));
  return open === undefined || branchesOf(open).every(isPlain) ? keys : [...keys, ...described(join(prefix, "NAME"), open, false)];
}

function described(key: string, node: Node, required: boolean): readonly ExplainedKey[] {
  const inner = node.items !== undefined && !branchesOf(node.items).every(isPlain) ? below(`${key}[]`, node.items) : below(key, node);
  const direct = new RegExp(`^${key.replaceAll(/[.[\]]/g, "\\$&")}(?:\\[\\])?\\.[^.]+$`);
  const values = node.enum ?? (node.items?.enum ? node.items.enum : undefined);
  const minimum =
    node.minimum ?? (node.exclusiveMinimum === undefined ? undefined : node.exclusiveMinimum + (node.type === "integer" ? 1 : 0));
  const own: ExplainedKey = {
    key,
    type: typeOf(node),
    en: node.description ?? "",
    zh: node.zh ?? "",
    ...(values === undefined ? {} : { values }),
    ...(node.default === undefined ? {} : { default: node.default }),
    ...(node.examples?.[0] === undefined ? {} : { example: node.examples[0] }),
    ...(minimum === undefined || minimum < 0 ? {} : { minimum }),
    required,
    below: inner.map((child) => child.key).filter((child) => direct.test(child)),
  };
  return [own, ...inner];
}

function branchesOf(node: Node): readonly Node[] {
  const branches = node.anyOf ?? node.oneOf;
  return branches === undefined ? [node] : branches.flatMap(branchesOf);
}

function isPlain(node: Node): boolean {
  return node.properties === undefined && typeof node.additionalProperties !== "object";
}

function typeOf(node: Node): string {
  const branches = node.anyOf ?? node.oneOf;
  if (branches !== undefined) return [...new Set(branches.map(typeOf))].join(" or ");
  if (node.type === "array") return `list of ${node.items === undefined ? "anything" : typeOf(node.items)}`;
  if (node.enum !== undefined || node.const !== undefined)
    return (node.enum ?? [node.const]).map((value) => JSON.stringify(value)).join(" | ");
  return node.type ?? "anything";
}

function join(prefix: string, name: string): string {
  return prefix === "" ? name : `${prefix}.${name}`;
}
