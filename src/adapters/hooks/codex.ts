/**
 * Codex's hook protocol. It looks like Claude Code's and is none: there "ask", a bare "allow" and every field that it does not
 * know make the hook fail, and a failed hook lets the call run. So it gets a denial with a reason, or silence.
 */
import { patchedFiles } from "./plugin-agents.ts";
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
      return { name, input, touches: patchedFiles(input.command) };
    case "view_image":
      return { name: "Read", input: { file_path: input.path }, touches: isText(input.path) ? [{ kind: "read", path: input.path }] : [] };
    default:
      return own.has(name) ? undefined : strangeTool(name, input);
  }
};
