/**
 * Codex's hook protocol. It looks like Claude Code's and is none: there "ask", a bare "allow" and every field that it does not
 * know make the hook fail, and a failed hook lets the call run. So it gets a denial with a reason, or silence.
 */
import type { Json, Touch } from "../../contract/index.ts";
import { type HookProtocol, isText, type MapTool, preToolUse, readCall, strangeTool } from "./protocol.ts";

export const codex: HookProtocol = {
  agent: "codex",
  read: (text) => readCall(text, "codex", mapTool),
  deny: (reason) => preToolUse("deny", reason),
};

/** Its own tools that touch nothing outside of it. */
const own: ReadonlySet<string> = new Set(["update_plan", "request_user_input"]);

const mapTool: MapTool = (name, input) => {
  switch (name) {
    case "Bash":
      return { name, input: isText(input.command) ? { command: input.command } : {}, touches: [] };
    case "apply_patch":
      return { name, input, touches: patched(input.command) };
    case "view_image":
      return { name: "Read", input: { file_path: input.path }, touches: isText(input.path) ? [{ kind: "read", path: input.path }] : [] };
    default:
      return own.has(name) ? undefined : strangeTool(name, input);
  }
};

/** The files that a patch names, old and new. One that names none says nothing, and is asked about. */
function patched(patch: Json | undefined): readonly Touch[] {
  if (!isText(patch)) return [];
  const named = [...patch.matchAll(/^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):[ \t]*(.+?)[ \t\r]*$/gm)];
  return [...new Set(named.map(([, path = ""]) => path))].map((path) => ({ kind: "write", path }));
}
