/**
 * What is particular to each type of event (C10), in the names of the wire. Owns the shapes; `event.ts` owns the envelope.
 * A body holds nothing in clear: the engine masks it before it is written.
 */
import type { Answer } from "./approval.ts";
import type { Json, JsonObject } from "./json.ts";
import type { CommandClass } from "./plan.ts";
import type { ErrorCode, ResultStatus } from "./result.ts";

/** Tokens of a run; `input_tokens` without the cached ones. */
export interface UsageBody {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

export type RunStatus = "done" | "failed" | "max_rounds" | "max_cost" | "max_tokens" | "refused" | "cancelled";

/** How a run ended; the same object is printed by `karyi run --json` and answered by HTTP. */
export interface RunEndBody {
  readonly run_id: string;
  readonly status: RunStatus;
  /** The last answer of this run. */
  readonly text: string;
  /** Answers of the model. */
  readonly rounds: number;
  readonly usage: UsageBody;
  /** Absent where a price is unknown. */
  readonly cost_usd?: number;
  /** What the provider's prompt cache saved at the configured price. */
  readonly cache_saved_usd?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly details?: JsonObject;
}

/** Something a rehearsed command wanted and did not get (B9). */
export interface WithheldBody {
  readonly kind: "network" | "file" | "socket" | "path";
  /** A host, a path; absent where only the kind is known. */
  readonly name?: string;
}

/** What a rehearsal found (B9): in `data.rehearsed`, in `permission_request` and in approvals. */
export interface RehearsedBody {
  readonly exit_code: number | null;
  readonly change_set: string | null;
  readonly changes_total: number;
  readonly network_attempts: number;
  readonly withheld: readonly WithheldBody[];
  /** Paths of known caches whose changes were dropped. */
  readonly dropped: readonly string[];
}

/** The body of each type. */
export interface EventBodies {
  readonly run_start: { readonly run_id: string; readonly agent: string; readonly model: string; readonly prompt?: string };
  readonly turn_start: { readonly run_id?: string; readonly turn?: number; readonly model?: string };
  readonly text_delta: { readonly text: string };
  /** A whole text; `role` is `user` for a message of the person. */
  readonly text: { readonly text: string; readonly role?: "user" | "assistant" };
  readonly thinking_delta: { readonly text: string };
  readonly tool_call: {
    readonly tool: string;
    readonly input: Json;
    readonly summary: string;
    readonly class?: CommandClass;
    readonly repaired?: readonly string[];
  };
  readonly tool_progress: { readonly text: string; readonly dropped?: number };
  readonly tool_result: {
    readonly tool: string;
    readonly status: ResultStatus;
    readonly output: string;
    readonly output_length: number;
    readonly undoable: boolean;
    readonly duration_ms: number;
    readonly class?: CommandClass;
    readonly error?: ErrorBody;
    readonly truncated?: { readonly shown: number; readonly total: number; readonly ref: string };
    /** Paths that changed, the first of them, and how many there are. */
    readonly changes?: readonly { readonly path: string; readonly change: string }[];
    readonly changes_total?: number;
    /** Of an undo: the calls it took back. */
    readonly undo_of?: readonly string[];
  };
  readonly permission_request: {
    readonly approval_id: string;
    readonly tool: string;
    readonly summary: string;
    readonly reason: string;
    readonly rule: string;
    readonly class?: CommandClass;
    readonly rehearsal?: RehearsedBody;
  };
  readonly permission_result: {
    readonly approval_id: string;
    readonly answer: Answer | null;
    readonly answered_by: string | null;
    readonly words?: string;
  };
  /** Written when a value is asked for, and again with its outcome; `request_id` is the same in both. */
  readonly value_request: {
    readonly request_id: string;
    readonly key: string;
    readonly reason: string;
    readonly note?: string;
    readonly status: "asked" | "given" | "refused" | "cancelled" | "failed";
    readonly scope?: "session" | "project" | "global";
    readonly words?: string;
  };
  readonly input_required: { readonly kind: string; readonly program: string; readonly question: string };
  readonly subagent_start: {
    readonly agent: string;
    readonly description: string;
    readonly parent_id?: string;
    readonly mode?: string;
    readonly model?: string;
  };
  /** `event` is the child's own event in its wire form. */
  readonly subagent_event: { readonly event: JsonObject };
  readonly subagent_end: {
    readonly status: "done" | "failed" | "cancelled" | "max_rounds";
    readonly calls: number;
    readonly usage: UsageBody;
    readonly text?: string;
  };
  readonly artifact_updated: {
    readonly artifact_id: string;
    readonly version: number;
    readonly kind: "create" | "update" | "update_fuzzy" | "rewrite" | "revert";
  };
  readonly turn_end: { readonly run_id?: string; readonly turn?: number; readonly usage?: UsageBody; readonly cost_usd?: number };
  readonly run_end: RunEndBody;
  readonly error: { readonly message: string; readonly code?: string; readonly retry_in_ms?: number };
}
