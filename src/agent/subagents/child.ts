/** A child at work in this process: what is known of it, and what its caller is told in the end. */
import {
  type JsonObject,
  type RunEndBody,
  type SubagentState,
  ToolFailure,
  type ToolOutput,
  type UsageBody,
} from "../../contract/index.ts";
import type { AgentMode } from "./agent-tool.ts";

export type EndStatus = Extract<SubagentState["status"], "done" | "failed" | "cancelled" | "max_rounds">;

export interface ChildEnd {
  readonly status: EndStatus;
  readonly text: string;
  readonly calls: number;
  readonly usage: UsageBody;
  readonly error?: string;
  readonly branch?: string;
  readonly changed?: readonly string[];
  /** The process ends, not the child: it goes on where its caller's run is resumed. */
  readonly isSuspended?: true;
}

export interface Child {
  readonly subagentId: string;
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly callId: string;
  readonly agent: string;
  readonly description: string;
  readonly mode: AgentMode;
  /** Whole texts so far, one after the other. */
  text: string;
  calls: number;
  end?: ChildEnd;
  /** Its caller has heard how it ended. */
  isTold: boolean;
  cancel(): void;
  /** Never rejects. */
  readonly done: Promise<ChildEnd>;
}

/** Every end that has no word of its own is a failure. */
export function endStatus(status: RunEndBody["status"]): EndStatus {
  return status === "done" || status === "cancelled" || status === "max_rounds" ? status : "failed";
}

export function outputOf({ subagentId, agent }: Pick<Child, "subagentId" | "agent">, end: ChildEnd): ToolOutput {
  const { status, calls, usage, branch, changed } = end;
  const data: JsonObject = {
    subagent_id: subagentId,
    agent,
    status,
    calls,
    usage: { ...usage },
    ...(branch === undefined ? {} : { branch_name: branch }),
    ...(changed === undefined ? {} : { changed_files: [...changed] }),
  };
  const output = wordsOf(end);
  if (status === "done" || status === "max_rounds") return { output, data };
  throw new ToolFailure(status === "cancelled" ? "cancelled" : "tool_error", `The agent ${agent} (${subagentId}) ${howEnded(end)}.`, {
    output,
    data,
    details: { reason: `agent_${status}` },
  });
}

/** A child in the background: its caller knows it by its task. */
export function startedOutput({ subagentId, agent }: Pick<Child, "subagentId" | "agent">): ToolOutput {
  return {
    output: `Started in the background as ${subagentId}. TaskOutput {"id": "${subagentId}", "wait_ms": 60000} reads it, TaskStop ends it. What it says is also told when you end your turn.`,
    data: { task_id: subagentId, subagent_id: subagentId, agent },
  };
}

function howEnded({ status, error }: ChildEnd): string {
  if (status === "cancelled") return "was cancelled";
  return error === undefined ? "failed" : `failed: ${error.replace(/\.$/, "")}`;
}

/** The child's last words, and where its changes are. */
function wordsOf({ status, text, branch, changed }: ChildEnd): string {
  const notes = [
    ...(status === "max_rounds" ? ["ended at its limit of rounds"] : []),
    ...(branch === undefined || changed === undefined || changed.length === 0 ? [] : [`branch ${branch}; changed: ${changed.join(", ")}`]),
    ...(changed?.length === 0 ? ["nothing was changed; worktree and branch are removed"] : []),
  ].map((note) => `[${note}]`);
  const words = text.trim() === "" ? "(the agent said nothing)" : text;
  return notes.length === 0 ? words : `${words}\n\n${notes.join("\n")}`;
}

/** By which a conversation shows that it was told how a child ended. */
export function resultHead(subagentId: string): string {
  return `<agent-result id="${subagentId}"`;
}

/** A background child, told in a further turn. */
export function toldLater({ subagentId, agent, description }: Child, end: ChildEnd): string {
  const what = description === "" ? agent : `${agent}: ${description}`;
  const how = end.status === "done" ? "is done" : howEnded(end);
  return `${resultHead(subagentId)} agent="${agent}" status="${end.status}">\nThe agent ${subagentId} (${what}) ${end.status === "max_rounds" ? "ended at its limit of rounds" : how}. It said:\n${wordsOf(end)}\n</agent-result>`;
}
