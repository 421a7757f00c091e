/** Claude Code's hook protocol. Only tightens: an allow is silence. */
import type { Json, Touch } from "../../contract/index.ts";
import { type HookProtocol, isText, type MapTool, preToolUse, readCall, strangeTool } from "./protocol.ts";

export const claudeCode: HookProtocol = {
  agent: "claude-code",
  read: (text) => readCall(text, "claude-code", mapTool),
  deny: (reason) => preToolUse("deny", reason),
  ask: (reason) => preToolUse("ask", reason),
};

/** Its own tools that touch nothing outside of it, or whose calls are hooked themselves (sub-agents). */
const own: ReadonlySet<string> = new Set([
  "Agent",
  "AskUserQuestion",
  "BashOutput",
  "CronCreate",
  "CronDelete",
  "CronList",
  "EnterPlanMode",
  "ExitPlanMode",
  "KillBash",
  "KillShell",
  "ListMcpResourcesTool",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "Skill",
  "SlashCommand",
  "StructuredOutput",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
]);

/** Tools of Claude Code by ours that do the same. */
const mapTool: MapTool = (name, input) => {
  const pick = (...keys: string[]) => Object.fromEntries(keys.flatMap((key) => (input[key] === undefined ? [] : [[key, input[key]]])));
  switch (name) {
    case "Bash":
      return { name: "Bash", input: pick("command"), touches: [] };
    case "Write":
      return { name: "Write", input: pick("file_path", "content"), touches: writes(input.file_path, { replaces: true }) };
    case "Edit":
      return { name: "Edit", input: pick("file_path", "old_string", "new_string", "replace_all"), touches: writes(input.file_path) };
    case "MultiEdit":
      return { name: "MultiEdit", input: { files: [pick("file_path", "edits")] }, touches: writes(input.file_path) };
    case "NotebookEdit":
      return {
        name: "Write",
        input: { file_path: input.notebook_path, content: String(input.new_source ?? "") },
        touches: writes(input.notebook_path),
      };
    case "Read":
      return { name: "Read", input: pick("file_path"), touches: reads(input.file_path) };
    case "Glob":
      return { name, input: pick("pattern", "path"), touches: staysBelow(input.pattern) ? reads(input.path ?? ".", { tree: true }) : [] };
    case "Grep":
      return { name, input: pick("pattern", "path"), touches: reads(input.path ?? ".", { tree: true }) };
    case "LS":
      return { name: "List", input: pick("path"), touches: reads(input.path ?? ".", { tree: true }) };
    case "WebFetch":
      return { name: "WebFetch", input: pick("url"), touches: isText(input.url) ? [{ kind: "connect", url: input.url }] : [] };
    case "WebSearch":
      return { name: "WebSearch", input: pick("query"), touches: [] };
    case "ReadMcpResourceTool":
      return { name, input, touches: isText(input.server) ? [{ kind: "remote", server: input.server, tool: "resources/read" }] : [] };
    default:
      return own.has(name) ? undefined : strangeTool(name, input);
  }
};

function reads(path: Json | undefined, more: { readonly tree?: true } = {}): readonly Touch[] {
  return isText(path) ? [{ kind: "read", path, ...more }] : [];
}

function writes(path: Json | undefined, more: { readonly replaces?: true } = {}): readonly Touch[] {
  return isText(path) ? [{ kind: "write", path, ...more }] : [];
}

/** True if a pattern of names cannot lead out of the directory that is searched. */
function staysBelow(pattern: Json | undefined): boolean {
  return isText(pattern) && !/^[/~]|\.\.|[{,(|]\s*[/~]/.test(pattern);
}
