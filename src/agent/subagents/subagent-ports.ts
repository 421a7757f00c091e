/** What the sub-agents are given by whoever wires them. */
import type { Durable, KaryiEngine, SessionHandle, TaskRecord } from "../../contract/index.ts";
import type { AgentDefinitions } from "../ports.ts";
import type { Worktrees } from "./worktree.ts";

export interface SubagentPorts {
  readonly durable: Durable;
  readonly engine: Pick<KaryiEngine, "sessionById" | "openSession" | "approvals" | "call" | "changed" | "describeTool">;
  readonly definitions: AgentDefinitions;
  readonly worktrees: Worktrees;
  defaultModel(session: SessionHandle): Promise<string | undefined>;
  /** Throws a `ToolFailure` if the model cannot be used. */
  openModel(id: string, session: SessionHandle): Promise<{ readonly price?: object }>;
  maxDepth(session: SessionHandle): Promise<number>;
  saveTask(sessionId: string, task: TaskRecord): Promise<void>;
  /** Settles calls that dead processes left in other directories than this engine's. */
  recoverElsewhere(): Promise<void>;
  now(): number;
  newId(): string;
  log(message: string, cause?: unknown): void;
}
