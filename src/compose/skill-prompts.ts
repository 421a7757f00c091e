/** Skills as prompts of the MCP server: under their own names, with one argument. */
import { skillText } from "../agent/index.ts";
import { ToolFailure } from "../contract/index.ts";
import type { PromptSurface } from "../mcp/server/index.ts";
import type { WiredEngine } from "./wired-engine.ts";

export function skillPrompts({ agentFiles, workspace }: WiredEngine): PromptSurface {
  return {
    list: async () =>
      (await agentFiles.skills(workspace)).skills.map(({ name, description }) => ({
        name,
        description,
        arguments: [{ name: "arguments", description: "Goes in the place of $ARGUMENTS", required: false }],
      })),
    async get(name, { arguments: given = "" }) {
      const { skills } = await agentFiles.skills(workspace);
      const skill = skills.find((one) => one.name === name);
      if (skill === undefined) {
        const names = skills.map((one) => one.name).join(", ");
        throw new ToolFailure("tool_not_found", `There is no skill '${name}'. There is: ${names === "" ? "none" : names}.`);
      }
      return { description: skill.description, messages: [{ role: "user", content: { type: "text", text: skillText(skill, given) } }] };
    },
  };
}
