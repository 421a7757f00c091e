/** Errors of requests (not of calls): one shape everywhere, `{error: {code, message, details?}}`, and the status of each code. */
import { type ErrorCode, type JsonObject, type Result, ToolFailure } from "../contract/index.ts";

export type ProblemCode =
  | ErrorCode
  | "invalid_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "stale"
  | "payload_too_large"
  | "unsupported_media_type"
  | "too_many_requests"
  | "misdirected_request"
  | "request_timeout"
  | "headers_too_large"
  | "unavailable"
  | "internal";

export interface ErrorShape {
  readonly error: { readonly code: string; readonly message: string; readonly details?: JsonObject };
}

export class Problem extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  readonly details: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ProblemCode,
    message: string,
    more: { readonly details?: JsonObject; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }

  toJson(): ErrorShape {
    return { error: { code: this.code, message: this.message, ...(this.details === undefined ? {} : { details: this.details }) } };
  }
}

export const notFound = (message = "There is nothing here."): Problem => new Problem(404, "not_found", message);
export const invalid = (message: string, details?: JsonObject): Problem =>
  new Problem(400, "invalid_request", message, details === undefined ? {} : { details });
export const lacksScope = (scope: string): Problem =>
  new Problem(403, "forbidden", `This needs a token with the scope '${scope}'.`, { details: { reason: "scope", scope } });

/** The codes of calls, where a failed call is the answer of a whole request (H1). */
const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  invalid_tool_input: 400,
  tool_forbidden_path: 403,
  tool_disabled: 403,
  permission_denied: 403,
  tool_not_found: 404,
  tool_conflict: 409,
  cancelled: 499,
  tool_error: 500,
  timeout: 504,
};

/** A call that did not end well, where the call is the whole request (H1). */
export function problemOfResult({ error, output, approvalId }: Result): Problem {
  if (error === undefined) {
    const details = approvalId === undefined ? {} : { details: { approval_id: approvalId } };
    return new Problem(403, "permission_denied", output, details);
  }
  const details = { ...error.details, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  return new Problem(statusOfCode[error.code], error.code, error.message, Object.keys(details).length === 0 ? {} : { details });
}

/** A failure that was thrown where the call is the whole request. */
export function problemOfFailure({ code, message, details }: ToolFailure): Problem {
  return new Problem(statusOfCode[code], code, message, details === undefined ? {} : { details });
}

/** What an exception is to the one who asked. A defect keeps its words to itself: they may hold anything. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ToolFailure) {
    const said = { ...error.details, ...(error.hint === undefined ? {} : { hint: error.hint }) };
    const more = Object.keys(said).length === 0 ? {} : { details: said };
    if (error.code === "tool_error") return new Problem(503, "unavailable", error.message, more);
    if (error.code === "invalid_tool_input") return new Problem(400, "invalid_request", error.message, more);
    return new Problem(statusOfCode[error.code], error.code === "tool_not_found" ? "not_found" : error.code, error.message, more);
  }
  return new Problem(500, "internal", "Something went wrong in Karyi; the log of the server says what.");
}
