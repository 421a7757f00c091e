/**
 * The Agent tool (A3): hands a task to another agent, waits for it, leaves it in the background, or gives it a worktree.
 * Refuses an unknown agent or mode and an empty prompt before anything starts. Permits nothing: the child's calls are judged one by one.
 */
import { z } from "zod";
import { defineTool, type Tool, type ToolOutput } from "../../contract/index.ts";

export type AgentMode = "sync" | "background" | "worktree";

export interface SpawnRequest {
  readonly sessionId: string;
  readonly callId: string;
  readonly prompt: string;
  readonly description: string;
  readonly agent: string;
  readonly model?: string | undefined;
  readonly mode: AgentMode;
  readonly branchName?: string | undefined;
  readonly signal: AbortSignal;
}

/** A child works as long as it works; the run that called it can be cancelled. */
const longMs = 7 * 24 * 3_600_000;

const input = z.object({
  prompt: z.string().trim().min(1).describe("The whole task; the agent knows nothing of this conversation"),
  description: z.string().default("").describe("The task in a few words"),
  agent: z.string().default("general"),
  model: z.string().optional().describe("PROVIDER/MODEL; default: yours"),
  mode: z.enum(["sync", "background", "worktree"]).default("sync").describe("background: read it with TaskOutput"),
  branch_name: z.string().optional().describe("Of the worktree"),
});

export function createAgentTool(spawn: (request: SpawnRequest) => Promise<ToolOutput>): Tool {
  return defineTool<z.output<typeof input>>({
    name: "Agent",
    aliases: ["Task", "call_subagent"],
    description: "Hands a task to another agent; its last words are the result. Calls in one answer work side by side.",
    input,
    synonyms: { agent_name: "agent", agent_type: "agent", subagent_type: "agent", task: "prompt", instruction: "prompt" },
    example: { prompt: "List where the cache is cleared, with file and line." },
    traits: { concurrencySafe: true, searchHint: "sub-agent delegate task parallel worktree background" },
    timeoutMs: Math.min(longMs, 2 ** 31 - 1),
    graceMs: 60_000,
    resumable: true,
    plan: ({ agent, mode, prompt, description }) => ({
      summary: `Start the agent ${agent}${mode === "sync" ? "" : ` (${mode})`}: ${description === "" ? prompt.slice(0, 100).replaceAll("\n", " ") : description}`,
      effects: [{ kind: "agent", agent }],
      preview: { type: "text", text: prompt },
    }),
    run: ({ prompt, description, agent, model, mode, branch_name }, { session, callId, signal }) =>
      spawn({ sessionId: session.id, callId, prompt, description, agent, model, mode, branchName: branch_name, signal }),
  });
}
