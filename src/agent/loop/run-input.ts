/** What a run is started with; recorded with it, so that another process can go on. */
import type { ToolSpec } from "../../contract/index.ts";
import type { Worktree } from "../subagents/worktree.ts";

export interface RunInput {
  readonly prompt: string;
  readonly agent: string;
  readonly model: string;
  readonly maxRounds?: number;
  readonly maxCostUsd?: number;
  readonly record?: string;
  /** Driven by a server, so the next one goes on with it. */
  readonly served?: boolean;
  readonly child?: ChildInput;
}

/** Of a run that another run started. */
export interface ChildInput {
  readonly subagentId: string;
  /** Of the child that started it. */
  readonly parentSubagentId?: string;
  readonly description: string;
  readonly mode: "sync" | "background" | "worktree";
  /** The call that started it: made again after a crash, it finds the child. */
  readonly callId: string;
  readonly worktree?: Worktree;
  /** The parent's tools as they were then; absent with another model. */
  readonly tools?: readonly ToolSpec[];
}
