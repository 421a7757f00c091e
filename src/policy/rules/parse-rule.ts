/**
 * Owns the grammar of rules as people write them: `Tool`, `Tool(pattern)`, `mcp__server__*`.
 * Refuses what it cannot read with words that say how it is written; it never guesses.
 */
import { parsedUrl } from "../../contract/index.ts";

export type RuleSubject =
  | { readonly kind: "tool" }
  | { readonly kind: "command"; readonly pattern: string }
  | { readonly kind: "path"; readonly access: "read" | "write" | "any"; readonly glob: string }
  | { readonly kind: "domain"; readonly host: string; readonly port?: string }
  | { readonly kind: "agent"; readonly name: string };

export interface ParsedRule {
  readonly text: string;
  /** Canonical name, possibly with `*`. */
  readonly tool: string;
  /** The subject reaches effects of every tool, since `Read(.env)` must hold for `cat .env` too. */
  readonly everyTool: boolean;
  readonly subject: RuleSubject;
}

export type RuleReading = { readonly ok: true; readonly rule: ParsedRule } | { readonly ok: false; readonly error: string };

const canonical: Readonly<Record<string, string>> = {
  FileRead: "Read",
  read_file: "Read",
  FileEdit: "Edit",
  FileWrite: "Write",
  write_file: "Write",
  web_fetch: "WebFetch",
  bash: "Bash",
  Task: "Agent",
  call_subagent: "Agent",
};

const toolName = /^[A-Za-z_][\w.:/-]*\*?$/;
const maxLength = 4096;

export function parseRule(text: string): RuleReading {
  const rule = text.trim();
  const fail = (why: string): RuleReading => ({
    ok: false,
    error: `The rule ${JSON.stringify(text.slice(0, 200))} cannot be read: ${why}`,
  });
  if (rule === "") return fail("it is empty.");
  if (rule.length > maxLength) return fail(`it is longer than ${maxLength} characters.`);
  if (rule.includes("\0")) return fail("it holds a NUL.");
  const open = rule.indexOf("(");
  const name = (open < 0 ? rule : rule.slice(0, open)).trim();
  if (name === "*") return fail("it names every tool; choose a mode instead.");
  if (!toolName.test(name)) return fail(/\s/.test(name) ? `to rule a command, write Bash(${rule}).` : "a rule is Tool or Tool(pattern).");
  const tool = Object.hasOwn(canonical, name) ? (canonical[name] ?? name) : name;
  if (open < 0) return { ok: true, rule: { text: rule, tool: serverWide(tool), everyTool: false, subject: { kind: "tool" } } };
  if (!rule.endsWith(")")) return fail('the ")" at the end is missing.');
  const pattern = rule.slice(open + 1, -1).trim();
  if (pattern === "") return fail(`the brackets are empty; write ${name} for all of it.`);
  if (tool.endsWith("*")) return fail("a name with * takes no pattern.");
  const subject = subjectOf(tool, pattern);
  if (typeof subject === "string") return fail(subject);
  return { ok: true, rule: { text: rule, tool, everyTool: ["Read", "Edit", "Write", "Bash", "WebFetch"].includes(tool), subject } };
}

function subjectOf(tool: string, pattern: string): RuleSubject | string {
  if (tool === "Bash") return { kind: "command", pattern };
  if (tool === "Agent") return { kind: "agent", name: pattern };
  if (pattern.startsWith("domain:")) return domainSubject(pattern.slice("domain:".length).trim());
  if (tool === "WebFetch") return "write WebFetch(domain:example.com).";
  if (tool.startsWith("mcp__")) return "an MCP tool takes no pattern.";
  const access = tool === "Read" ? "read" : tool === "Edit" || tool === "Write" ? "write" : "any";
  if (pattern.startsWith("!")) return "a pattern cannot begin with !; put the exception into another list.";
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(pattern)) return "a pattern cannot hold ..; write the directory itself.";
  return { kind: "path", access, glob: pattern };
}

function domainSubject(text: string): RuleSubject | string {
  const match = /^((?:\*\.)?[^\s/?#@\\:*%]+)(?::(\d{1,5}))?$/u.exec(text);
  const host = match?.[1];
  if (host === undefined || parsedUrl(`http://${host.replace(/^\*\./, "")}/`) === undefined)
    return "write domain:example.com or domain:*.example.com.";
  if (host.startsWith("*.") && !host.slice(2).includes(".")) return "a whole top-level domain is too wide.";
  return { kind: "domain", host, ...(match?.[2] === undefined ? {} : { port: match[2] }) };
}

/** `mcp__github` means every tool of that server. */
function serverWide(tool: string): string {
  return /^mcp__(?!.*__)/.test(tool) && !tool.endsWith("*") ? `${tool}__*` : tool;
}
