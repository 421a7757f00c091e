/** What a call gives back: one neutral shape for every protocol (C2), and the error codes (C3). */
import type { Json, JsonObject } from "./json.ts";

export type ErrorCode =
  | "invalid_tool_input"
  | "tool_not_found"
  | "tool_forbidden_path"
  | "tool_conflict"
  | "tool_disabled"
  | "tool_error"
  | "permission_denied"
  | "timeout"
  | "cancelled";

export type ResultStatus = "ok" | "error" | "denied" | "cancelled" | "planned" | "suspended";

export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  /** What the model could do next. */
  readonly hint?: string;
  /** `reason` says more than the code: `file_not_found`, `stale_file`, `not_unique`, … */
  readonly details?: JsonObject;
}

export interface TextContent {
  readonly type: "text";
  readonly text: string;
}

export interface ImageContent {
  readonly type: "image";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly width?: number;
  readonly height?: number;
}

export type Content = TextContent | ImageContent;

/** What was left out of `output`: bytes shown, bytes in all, and where the whole can be read. */
export interface Truncation {
  readonly shown: number;
  readonly total: number;
  readonly ref: string;
}

/**
 * What a call gives back, whatever became of it: `status` says what, `output` is for the model, `data` for programs.
 *
 * @example
 * const result = await session.call("Read", { file_path: "missing.txt" });
 * if (result.status === "error") console.log(result.error?.code, result.error?.hint);
 */
export interface Result {
  readonly callId: string;
  /** Id that the provider gave the call; `encodeResults` answers under it. */
  readonly providerId?: string;
  readonly tool: string;
  readonly status: ResultStatus;
  /** Text for the model. */
  readonly output: string;
  readonly content: readonly Content[];
  /** Structured data in snake_case. */
  readonly data?: Json;
  readonly error?: ToolError;
  readonly undoable: boolean;
  readonly durationMs: number;
  readonly truncated?: Truncation;
  /** Of a suspended call: the approval that somebody must answer. */
  readonly approvalId?: string;
}

/** How an error stands in `output`, below what was printed before it. */
export function errorText({ code, message, hint }: Pick<ToolError, "code" | "message" | "hint">): string {
  return [`Error (${code}): ${message}`, ...(hint === undefined ? [] : [`Hint: ${hint}`])].join("\n");
}
