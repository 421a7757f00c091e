/** Runs of an agent (A1): what is asked for, how it goes on, and how it ends. Owned by the agent room, used by fronts. */
import type { KaryiEvent } from "./event.ts";
import type { RunEndBody, UsageBody } from "./event-body.ts";
import type { SessionHandle } from "./session-handle.ts";

export interface RunRequest {
  /** Absent with `resume`. */
  readonly prompt?: string;
  /** Idempotency key: a second request with the same id starts nothing. */
  readonly runId?: string;
  /** Name of an agent definition; default `general`. */
  readonly agent?: string;
  /** `PROVIDER/MODEL`; default from the config. */
  readonly model?: string;
  readonly maxRounds?: number;
  readonly maxCostUsd?: number;
  /** Goes on with the unfinished run of the session. */
  readonly resume?: boolean;
  /** Keeps the provider's answers in this file, for `replay/FILE`. */
  readonly record?: string;
  /** A server drives it: whoever serves this home next goes on with it. */
  readonly served?: boolean;
  readonly signal?: AbortSignal;
}

/** The object of `karyi run --json` and of HTTP. */
export interface RunOutcome extends RunEndBody {
  readonly session_id: string;
}

/** A run that was started, in this process or another. */
export interface RunState {
  readonly runId: string;
  readonly sessionId: string;
  readonly status: "queued" | "running" | "waiting" | RunEndBody["status"];
  readonly startedAt: number;
  /** Present if the run has ended. */
  readonly outcome?: RunOutcome;
}

/** A sub-agent as the registry of A5 knows it. */
export interface SubagentState {
  readonly id: string;
  readonly parentId?: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly description: string;
  readonly mode: "sync" | "background" | "worktree";
  readonly status: "running" | "waiting" | "done" | "failed" | "cancelled" | "max_rounds";
  readonly calls: number;
  readonly usage: UsageBody;
  readonly startedAt: number;
  readonly lastActivityAt: number;
  readonly endedAt?: number;
}

/** The sub-agents of a session. */
export interface Subagents {
  list(): Promise<readonly SubagentState[]>;
  find(id: string): Promise<SubagentState | undefined>;
  /** False if there is no such agent at work. */
  cancel(id: string, options?: { readonly subtree?: boolean }): Promise<boolean>;
}

/** Runs of sessions. The agent room implements it; `SessionHandle.run` and the gateway call it. */
export interface AgentRunner {
  /** Starts (or resumes) a run and yields the session's events until its `run_end`. */
  run(session: SessionHandle, request: RunRequest): AsyncGenerator<KaryiEvent, RunOutcome>;
  /** Starts a run that goes on by itself; the same `runId` starts nothing again. */
  start(session: SessionHandle, request: RunRequest): Promise<RunState>;
  /** Throws a `ToolFailure` that names those there are if a workspace knows no such agent or model. */
  demand(workspace: string, wanted: { readonly agent?: string | undefined; readonly model?: string | undefined }): Promise<void>;
  state(sessionId: string, runId: string): Promise<RunState | undefined>;
  /** Runs of a session, newest first. */
  list(sessionId: string): Promise<readonly RunState[]>;
  /** Unfinished runs that a server drove which is gone, oldest first. */
  leftByServers(): Promise<readonly RunState[]>;
  /** False if the run is over or unknown. */
  cancel(sessionId: string, runId: string): Promise<boolean>;
  /** `now` goes in after the current results; `after` begins when the run has ended. */
  message(sessionId: string, runId: string, text: string, when: "now" | "after"): Promise<boolean>;
  subagents(sessionId: string): Subagents;
  close(): Promise<void>;
}
