/** What a variable is, which names and values are accepted, and where it may be used. */
import type { ValueUse, VariableInfo } from "../contract/index.ts";
import { badVariable } from "./failures.ts";
import { shortestMaskable, shortestWord } from "./mask/forms.ts";

export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly scope: "session" | "project" | "global";
  /** The workspace of a project variable, the session of a session variable; empty for a global one. */
  readonly owner: string;
  readonly note?: string;
  readonly tools?: readonly string[];
  readonly hosts?: readonly string[];
  readonly createdAt: number;
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const longestValue = 64 * 1024;
const longestNote = 1000;

export function isVariableName(name: string): boolean {
  return namePattern.test(name);
}

export function checkVariable({ name, value, note }: Pick<Variable, "name" | "value" | "note">): void {
  if (!isVariableName(name)) {
    throw badVariable(`'${name.slice(0, 80)}' is not a name for a variable.`, "Use letters, digits and _, not beginning with a digit.");
  }
  if (value === "") throw badVariable(`The value of ${name} is empty.`, "Give a value, or remove the variable.");
  if (value.length > longestValue)
    throw badVariable(`The value of ${name} is longer than ${longestValue} characters.`, "Keep a path to it instead.");
  if (note !== undefined && note.length > longestNote)
    throw badVariable(`The note of ${name} is too long.`, `At most ${longestNote} characters.`);
}

/** Accepted all the same, with these words for the person. */
export function warningsFor({ name, value }: Pick<Variable, "name" | "value">): string[] {
  const { length } = value.trim();
  if (length >= shortestMaskable) return [];
  const masked = length >= shortestWord ? "only where it stands as a word of its own" : "nowhere";
  return [`${name} has fewer than ${shortestMaskable} characters: it can be masked ${masked} in outputs, and in no encoded form.`];
}

export function infoOf({ name, scope, note, tools, hosts }: Variable): VariableInfo {
  return { name, scope, ...(note === undefined ? {} : { note }), ...(tools && { tools }), ...(hosts && { hosts }) };
}

/** Hosts as a URL spells them, `*.` in front for all below; anything else is refused rather than never matched. */
export function normalHost(host: string): string {
  const wildcard = host.startsWith("*.");
  const bare = (wildcard ? host.slice(2) : host).trim();
  const text = bare.includes("://") ? bare : `https://${bare}`;
  const hostname = URL.canParse(text) ? new URL(text).hostname.replace(/\.$/, "") : "";
  if (hostname === "" || hostname.includes("*") || (wildcard && !/[a-z]/.test(hostname))) {
    throw badVariable(`'${host.slice(0, 80)}' is not a host.`, "Write a host such as api.example.com, or *.example.com for all below it.");
  }
  return wildcard ? `*.${hostname}` : hostname;
}

/** Why the variable may not be used so, or nothing. */
export function whyNotBound(variable: Variable, use: ValueUse): string | undefined {
  const { name, tools, hosts } = variable;
  if (tools !== undefined && !tools.some((tool) => matchesTool(tool, use.tool))) {
    return `${name} may only be used with ${tools.join(", ")}, not with ${use.tool}.`;
  }
  if (hosts === undefined) return undefined;
  if (use.hosts.length === 0) return `${name} may only be sent to ${hosts.join(", ")}, and it is not known where this call would send it.`;
  const other = use.hosts.find((host) => !hosts.some((allowed) => matchesHost(allowed, host)));
  return other === undefined ? undefined : `${name} may only be sent to ${hosts.join(", ")}, not to ${other}.`;
}

function matchesTool(allowed: string, tool: string): boolean {
  const [a, b] = [allowed.toLowerCase(), tool.toLowerCase()];
  return a.endsWith("*") ? b.startsWith(a.slice(0, -1)) : a === b;
}

function matchesHost(allowed: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) && name.length > allowed.length - 1 : name === allowed;
}
