/**
 * The Skill tool (A7): tells a model the words of a skill, or lets a sub-agent follow them (`context: fork`).
 * Refuses a name that there is not, with the names there are. A skill permits nothing: its calls are judged one by one.
 */
import { z } from "zod";
import { defineTool, type Tool, ToolFailure, type ToolOutput } from "../../contract/index.ts";
import { type Skill, skillText } from "./skill.ts";

export interface SkillToolPorts {
  /** The skills of a workspace as they are now. */
  skills(workspace: string): Promise<readonly Skill[]>;
  /** Runs a prompt in a sub-agent of the calling session. Absent: there are no agents here, and every skill is told inline. */
  readonly fork?: (call: {
    readonly sessionId: string;
    readonly callId: string;
    readonly description: string;
    readonly prompt: string;
    readonly signal: AbortSignal;
  }) => Promise<ToolOutput>;
}

export function createSkillTool(ports: SkillToolPorts): Tool {
  return defineTool<{ skill: string; args: string }>({
    name: "Skill",
    aliases: ["skill", "use_skill"],
    description: "Loads a skill: instructions for a kind of task. Follow them from then on.",
    input: z.object({
      skill: z.string().min(1),
      args: z.string().default("").describe("Free text"),
    }),
    synonyms: { name: "skill", skill_name: "skill", command: "skill", arguments: "args" },
    example: { skill: "release-notes", args: "1.4.0" },
    traits: { readOnly: true, searchHint: "skill instructions procedure playbook load" },
    resumable: true,
    plan: ({ skill }) => ({ summary: `Load the skill ${skill}`, effects: [{ kind: "state", area: "tools" }] }),
    async run({ skill, args }, { session, callId, signal }) {
      const known = await ports.skills(session.workspace);
      const found = known.find(({ name }) => name === skill) ?? known.find(({ name }) => name.toLowerCase() === skill.toLowerCase());
      if (found === undefined) throw unknownSkill(skill, known);
      const text = skillText(found, args);
      if (found.context === "fork" && ports.fork !== undefined)
        return ports.fork({ sessionId: session.id, callId, description: `Skill ${found.name}`, prompt: text, signal });
      const folder = found.source.replace(/[\\/][^\\/]*$/, "");
      return { output: `Skill ${found.name} (its files are in ${folder}):\n\n${text}`, data: { skill: found.name, source: found.source } };
    },
  });
}

function unknownSkill(skill: string, known: readonly Skill[]): ToolFailure {
  const names = known.map(({ name }) => name).join(", ");
  return new ToolFailure("tool_not_found", `There is no skill '${skill}'.`, {
    hint: names === "" ? "There are no skills here." : `There are: ${names}.`,
    details: { reason: "skill_not_found" },
  });
}
