/**
 * Says what is wrong with a configuration, and the nearest right form: unknown keys, rules that cannot be read, rules about
 * tools that do not exist. Owns the words; whoever loads a layer decides whether a problem is an error or a warning.
 */
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import type { Rules } from "../contract/index.ts";
import { parseRule } from "../policy/index.ts";

export interface RuleProblem {
  readonly rule: string;
  readonly message: string;
  /** False if the rule is well written and only its tool is not known here: a library may add it. */
  readonly certain: boolean;
}

type RuleLists = { readonly [List in keyof Rules]?: readonly string[] | undefined };

/** Names with these forms belong to MCP servers and plugins, which may not be connected now. */
const knownByForm = /^(?:mcp__.+|[\w-]+:[\w.*-]+|[\w-]+__[\w.*-]+)$/;

/** Problems of all rules; `tools` are the names and aliases that exist. */
export function ruleProblems(rules: RuleLists, tools: readonly string[]): readonly RuleProblem[] {
  const lists = [rules.allow, rules.ask, rules.deny];
  return lists.flatMap((list) => (list ?? []).flatMap((rule) => problemOf(rule, tools) ?? []));
}

function problemOf(text: string, tools: readonly string[]): RuleProblem | undefined {
  const reading = parseRule(text);
  if (!reading.ok) return { rule: text, message: reading.error, certain: true };
  const { tool } = reading.rule;
  const name = text.trim().split("(", 1)[0]?.trim() ?? tool;
  if (tools.includes(tool) || tools.includes(name)) return undefined;
  const nearlyMcp = /^mcp_+/i.exec(name)?.[0];
  const isMisspelt = nearlyMcp !== undefined && nearlyMcp !== "mcp__";
  if (!isMisspelt && knownByForm.test(name)) return undefined;
  if (name.endsWith("*") && tools.some((known) => known.startsWith(name.slice(0, -1)))) return undefined;
  const near = isMisspelt ? `mcp__${name.slice(nearlyMcp.length)}` : nearestName(name, tools);
  const message = `The rule ${JSON.stringify(text)} names no tool that exists${near === undefined ? "." : `; did you mean ${near}${text.trim().slice(name.length)}?`}`;
  return { rule: text, message, certain: near !== undefined };
}

/** The name that was probably meant: another case, or at most two letters away. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= 2 && far * 2 <= candidate.length)
    .sort((a, b) => a.far - b.far);
  return best?.candidate;
}

/** The problems of a value that does not fit the schema, one sentence each. */
export function schemaProblems(error: z.ZodError, schema: z.ZodType): readonly string[] {
  return error.issues.flatMap((issue) => {
    const at = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") return [`${at === "" ? "(top)" : at}: ${issue.message}`];
    const known = keysAt(schema, issue.path.map(String));
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      const path = [...issue.path, key].join(".");
      const meant = near === undefined ? "" : `; did you mean '${[...issue.path, near].join(".")}'?`;
      return `unknown key '${path}'${meant} (known here: ${known.join(", ")})`;
    });
  });
}

function keysAt(schema: z.ZodType, path: readonly string[]): readonly string[] {
  let node = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }) as Node | undefined;
  for (const part of path)
    node = node?.properties?.[part] ?? (typeof node?.additionalProperties === "object" ? node.additionalProperties : node?.items);
  return Object.keys(node?.properties ?? {});
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
}
