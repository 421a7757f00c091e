/** Sessions for other libraries, and hooks of other agents. */
import { claudeCode } from "./hooks/claude-code.ts";
import { codex } from "./hooks/codex.ts";
import type { HookAgent, HookProtocol } from "./hooks/protocol.ts";

export { type HookAgent, hookAgents } from "./hooks/protocol.ts";
export { type HookEntries, holdsEntries, withEntries, withoutEntries } from "./hooks/settings-text.ts";
export { unwrapped } from "./hooks/wrapped-command.ts";

export const hookProtocols: Readonly<Record<HookAgent, HookProtocol>> = { "claude-code": claudeCode, codex };
