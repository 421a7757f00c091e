/** What a variable is, which names and values are accepted, and where it may be used. */
import { parsedUrl, type ValueUse, type VariableInfo } from "../contract/index.ts";
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
  readonly commands?: readonly string[];
  readonly createdAt: number;
}

/** What Karyi holds for itself, such as a login to a server: masked like any value, and used by nobody by name. */
export interface Held {
  readonly name: string;
  readonly value: string;
  readonly scope: "held";
  /** Whom it is held for. */
  readonly owner: string;
  readonly createdAt: number;
}

export type Stored = Variable | Held;

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

export function infoOf({ name, scope, note, tools, hosts, commands }: Variable): VariableInfo {
  const bound = { ...(tools && { tools }), ...(hosts && { hosts }), ...(commands && { commands }) };
  return { name, scope, ...(note === undefined ? {} : { note }), ...bound };
}

/** A pattern that begins with anything would bind to nothing. */
export function normalCommand(command: string): string {
  const text = command.trim().replaceAll(/\s+/g, " ");
  if (text === "" || text.startsWith("*"))
    throw badVariable(`'${command.slice(0, 80)}' is not a command.`, "Write a program such as gh, or a command such as 'git push *'.");
  return text;
}

/** Hosts as a URL spells them, `*.` in front for all below; anything else is refused rather than never matched. */
export function normalHost(host: string): string {
  const wildcard = host.startsWith("*.");
  const bare = (wildcard ? host.slice(2) : host).trim();
  const text = bare.includes("://") ? bare : `https://${bare}`;
  const hostname = parsedUrl(text)?.hostname.replace(/\.$/, "") ?? "";
  if (hostname === "" || hostname.includes("*") || (wildcard && !/[a-z]/.test(hostname))) {
    throw badVariable(`'${host.slice(0, 80)}' is not a host.`, "Write a host such as api.example.com, or *.example.com for all below it.");
  }
  return wildcard ? `*.${hostname}` : hostname;
}

/** Why the variable may not be used so, or nothing. */
export function whyNotBound(variable: Variable, use: ValueUse): string | undefined {
  const { name, tools, hosts, commands } = variable;
  if (commands !== undefined) {
    if (use.commands === undefined || use.commands.length === 0)
      return `${name} may only be used in ${commands.join(", ")}, and it is not known that nothing else would run here.`;
    const other = use.commands.find((text) => !commands.some((allowed) => matchesCommand(allowed, text)));
    if (other !== undefined) return `${name} may only be used in ${commands.join(", ")}, not beside ${other.split(" ", 1)[0] ?? ""}.`;
  }
  if (tools !== undefined && !tools.some((tool) => matchesTool(tool, use.tool))) {
    return `${name} may only be used with ${tools.join(", ")}, not with ${use.tool}.`;
  }
  if (hosts === undefined) return undefined;
  if (use.hosts.length === 0) return `${name} may only be sent to ${hosts.join(", ")}, and it is not known where this call would send it.`;
  const other = use.hosts.find((host) => !hosts.some((allowed) => matchesHost(allowed, host)));
  return other === undefined ? undefined : `${name} may only be sent to ${hosts.join(", ")}, not to ${other}.`;
}

export function isBound({ tools, hosts, commands }: Pick<Variable, "tools" | "hosts" | "commands">): boolean {
  return tools !== undefined || hosts !== undefined || commands !== undefined;
}

/** `gh` stands for every call of it, `git push *` also for one without further arguments. */
function matchesCommand(allowed: string, text: string): boolean {
  const pattern = /[ *]/.test(allowed) ? allowed : `${allowed} *`;
  if (pattern.endsWith(" *") && !pattern.slice(0, -2).includes("*"))
    return text === pattern.slice(0, -2) || text.startsWith(pattern.slice(0, -1));
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`).test(text);
}

function matchesTool(allowed: string, tool: string): boolean {
  const [a, b] = [allowed.toLowerCase(), tool.toLowerCase()];
  return a.endsWith("*") ? b.startsWith(a.slice(0, -1)) : a === b;
}

function matchesHost(allowed: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return allowed.startsWith("*.") ? name.endsWith(allowed.slice(1)) && name.length > allowed.length - 1 : name === allowed;
}
