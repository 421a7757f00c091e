/** The one exception a tool throws on purpose: an expected failure that becomes an error result. */
import type { JsonObject } from "./json.ts";
import type { ErrorCode, ToolError, Truncation } from "./result.ts";

export interface FailureOptions {
  readonly hint?: string;
  readonly details?: JsonObject;
  /** Shown to the model in full beside the error (a failed command's output, a mismatch report). */
  readonly output?: string;
  /** Structured data of the result, as with a success. */
  readonly data?: JsonObject;
  /** Of a tool that cut its output itself, as with a success. */
  readonly truncated?: Truncation;
  /** Nothing of what the plan named was done: whatever changed there meanwhile is somebody else's. */
  readonly unchanged?: boolean;
  readonly cause?: unknown;
}

/**
 * What a tool throws if it cannot do what it was asked: the call ends with this as its `error`. Anything else thrown is a defect.
 *
 * @example
 * throw new ToolFailure("invalid_tool_input", "There is no city of that name.", { hint: "Name a city.", details: { reason: "no_city" } });
 */
export class ToolFailure extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: JsonObject | undefined;
  readonly output: string | undefined;
  readonly data: JsonObject | undefined;
  readonly truncated: Truncation | undefined;
  readonly unchanged: boolean;

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ToolFailure";
    this.code = code;
    this.hint = options.hint;
    this.details = options.details;
    this.output = options.output;
    this.data = options.data;
    this.truncated = options.truncated;
    this.unchanged = options.unchanged ?? false;
  }

  toError(): ToolError {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}
