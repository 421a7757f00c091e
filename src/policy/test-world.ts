/** The world of the policy's own tests: a workspace, a home, nothing else; every test changes what it needs. */
import {
  defaultTraits,
  type Effect,
  type Mode,
  type PathFacts,
  type PolicyQuestion,
  type PolicyWorld,
  type Rules,
} from "../contract/index.ts";
import { factsFromText, type TextWorld } from "./paths/text-facts.ts";

export const noRules: Rules = { allow: [], ask: [], deny: [] };

export function worldOf(changes: Partial<PolicyWorld> = {}): PolicyWorld {
  return {
    workspace: "/repo",
    roots: ["/repo"],
    temporary: [],
    userHome: "/home/u",
    karyiHome: "/home/u/.karyi",
    allowedDomains: [],
    platform: "posix",
    caseInsensitive: false,
    sandboxed: false,
    ...changes,
  };
}

export function windowsWorld(changes: Partial<PolicyWorld> = {}): PolicyWorld {
  return worldOf({
    workspace: "C:\\repo",
    roots: ["C:\\repo"],
    userHome: "C:\\Users\\u",
    karyiHome: "C:\\Users\\u\\.karyi",
    platform: "win32",
    caseInsensitive: true,
    ...changes,
  });
}

function facts(path: string, changes: Partial<TextWorld> = {}): PathFacts {
  return factsFromText(path, { cwd: "/repo", platform: "posix", ...changes });
}

export function read(path: string, changes: Partial<TextWorld> & { tree?: boolean } = {}): Effect {
  const { tree, ...rest } = changes;
  return { kind: "read", path: facts(path, rest), ...(tree === undefined ? {} : { tree }) };
}

export function write(
  path: string,
  changes: Partial<TextWorld> & { tree?: boolean; unread?: boolean; change?: "create" | "modify" | "delete" | "mode" | "link" } = {},
): Effect {
  const { tree, unread, change = "modify", ...rest } = changes;
  return {
    kind: "write",
    path: facts(path, rest),
    change,
    ...(tree === undefined ? {} : { tree }),
    ...(unread === undefined ? {} : { unread }),
  };
}

export function run(text: string, understood = false): Effect {
  return { kind: "run", program: text.split(" ")[0] ?? "", text, understood };
}

export function connect(url: string, method = "GET", addresses?: readonly string[]): Effect {
  return { kind: "connect", url, method, ...(addresses === undefined ? {} : { addresses }) };
}

export function question(
  effects: readonly Effect[],
  changes: Partial<PolicyQuestion> & { readonly readOnly?: boolean } = {},
): PolicyQuestion {
  const { readOnly = false, ...rest } = changes;
  const mode: Mode = "default";
  return { tool: "Tool", traits: { ...defaultTraits, readOnly }, effects, mode, rules: noRules, ...rest };
}

export function rules(changes: Partial<Rules>): Rules {
  return { ...noRules, ...changes };
}
