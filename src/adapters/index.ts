/** Sessions for other libraries, and hooks of other agents. */
import { claudeCode } from "./hooks/claude-code.ts";
import { codex } from "./hooks/codex.ts";
import { opencode, pi } from "./hooks/plugin-agents.ts";
import type { HookAgent, HookProtocol } from "./hooks/protocol.ts";

export { type PluginAgent, pluginFile } from "./hooks/plugin-file.ts";
export { type HookAgent, hookAgents } from "./hooks/protocol.ts";
export { type HookEntries, holdsEntries, withEntries, withoutEntries } from "./hooks/settings-text.ts";
export { unwrapped, type WrappedCommand } from "./hooks/wrapped-command.ts";

export const hookProtocols: Readonly<Record<HookAgent, HookProtocol>> = { "claude-code": claudeCode, codex, opencode, pi };
