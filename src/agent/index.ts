/** Agents: definitions, skills, the loop over `Durable`, providers, sub-agents. */
export type { AgentDefinition, FilePlace } from "./definitions/definition.ts";
export { type Definitions, loadDefinitions } from "./definitions/load-definitions.ts";
export type { AgentDefinitions } from "./ports.ts";
export { openModel } from "./providers/open-model.ts";
export { Runner } from "./runner.ts";
export { loadSkills, type Skills } from "./skills/load-skills.ts";
export { skillText } from "./skills/skill.ts";
export { createSkillTool } from "./skills/skill-tool.ts";
export { createAgentTool, type SpawnRequest } from "./subagents/agent-tool.ts";
export type { SubagentPorts } from "./subagents/subagent-ports.ts";
export { SubagentRoom } from "./subagents/subagent-room.ts";
