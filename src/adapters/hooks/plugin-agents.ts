/** opencode and pi, whose calls come from the plugin file of ours. Neither can ask its person from there, so a question is a denial. */
import type { Json, JsonObject, Touch } from "../../contract/index.ts";
import { type HookProtocol, isText, type MapTool, preToolUse, readCall, strangeTool } from "./protocol.ts";

const pick = (input: JsonObject, names: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(names).flatMap(([ours, theirs]) => (input[theirs] === undefined ? [] : [[ours, input[theirs]]])));
const reads = (path: Json | undefined, more: { readonly tree?: true } = {}): readonly Touch[] =>
  isText(path) ? [{ kind: "read", path, ...more }] : [];
const writes = (path: Json | undefined, more: { readonly replaces?: true } = {}): readonly Touch[] =>
  isText(path) ? [{ kind: "write", path, ...more }] : [];
/** A pattern of names that may lead out of the directory that is searched is nothing that can be told. */
const searched = ({ pattern, path }: JsonObject): readonly Touch[] =>
  isText(pattern) && !/^[/~]|\.\.|[{,(|]\s*[/~]/.test(pattern) ? reads(path ?? ".", { tree: true }) : [];

/** Its own tools that touch nothing outside of it, or whose calls are hooked themselves (sub-agents). */
const ownOfOpencode: ReadonlySet<string> = new Set(["invalid", "plan_exit", "question", "skill", "task", "todoread", "todowrite"]);

const opencodeTool: MapTool = (name, input) => {
  const { filePath, path, url } = input;
  switch (name) {
    case "bash":
      return { name: "Bash", input: pick(input, { command: "command" }), touches: [] };
    case "read":
      return { name: "Read", input: pick(input, { file_path: "filePath" }), touches: reads(filePath) };
    case "write":
      return {
        name: "Write",
        input: pick(input, { file_path: "filePath", content: "content" }),
        touches: writes(filePath, { replaces: true }),
      };
    case "edit": {
      const names = { file_path: "filePath", old_string: "oldString", new_string: "newString", replace_all: "replaceAll" };
      return { name: "Edit", input: pick(input, names), touches: writes(filePath) };
    }
    case "apply_patch":
    case "patch":
      return { name: "apply_patch", input, touches: patchedFiles(input.patchText) };
    case "glob":
      return { name: "Glob", input: pick(input, { pattern: "pattern", path: "path" }), touches: searched(input) };
    case "grep":
      return { name: "Grep", input: pick(input, { pattern: "pattern", path: "path" }), touches: reads(path ?? ".", { tree: true }) };
    case "list":
      return { name: "List", input: pick(input, { path: "path" }), touches: reads(path ?? ".", { tree: true }) };
    case "webfetch":
      return { name: "WebFetch", input: pick(input, { url: "url" }), touches: isText(url) ? [{ kind: "connect", url }] : [] };
    case "websearch":
      return { name: "WebSearch", input: pick(input, { query: "query" }), touches: [] };
    default:
      return ownOfOpencode.has(name) ? undefined : strangeTool(name, input);
  }
};

const piTool: MapTool = (name, input) => {
  const { path } = input;
  switch (name) {
    case "bash":
      return { name: "Bash", input: pick(input, { command: "command" }), touches: [] };
    case "read":
      return { name: "Read", input: pick(input, { file_path: "path" }), touches: reads(path) };
    case "write":
      return { name: "Write", input: pick(input, { file_path: "path", content: "content" }), touches: writes(path, { replaces: true }) };
    case "edit":
      // One text, or a list of them: which of the two the plan shows changes nothing about the file.
      return {
        name: "Edit",
        input: pick(input, { file_path: "path", old_string: "oldText", new_string: "newText" }),
        touches: writes(path),
      };
    case "find":
      return { name: "Glob", input: pick(input, { pattern: "pattern", path: "path" }), touches: searched(input) };
    case "grep":
      return { name: "Grep", input: pick(input, { pattern: "pattern", path: "path" }), touches: reads(path ?? ".", { tree: true }) };
    case "ls":
      return { name: "List", input: pick(input, { path: "path" }), touches: reads(path ?? ".", { tree: true }) };
    default:
      return strangeTool(name, input);
  }
};

/** The files that a patch names, old and new. One that names none says nothing, and is asked about. */
export function patchedFiles(patch: Json | undefined): readonly Touch[] {
  if (!isText(patch)) return [];
  const named = [...patch.matchAll(/^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):[ \t]*(.+?)[ \t\r]*$/gm)];
  return [...new Set(named.map(([, path = ""]) => path))].map((path) => ({ kind: "write", path }));
}

export const opencode: HookProtocol = {
  agent: "opencode",
  read: (text) => readCall(text, "opencode", opencodeTool),
  deny: (reason) => preToolUse("deny", reason),
};

export const pi: HookProtocol = {
  agent: "pi",
  read: (text) => readCall(text, "pi", piTool),
  deny: (reason) => preToolUse("deny", reason),
};
