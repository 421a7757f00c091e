/** One model, one answer at a time. Owns the port between the loop and every provider; retries and calls are the loop's. */
import type { ToolSpec, UsageBody } from "../../contract/index.ts";
import type { AnswerPart, CallPart, Finish, Message } from "../history/message.ts";

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** How many answers the conversation has had from this model. */
  readonly answersBefore: number;
  /** How many it has had from all models. */
  readonly answersInAll: number;
  /** Whose conversation it is: a child's name, or nothing for the run at the top. */
  readonly conversation: string;
  /** A summary of the past is asked for, which is no answer of the conversation. */
  readonly isSummary?: true;
  /** So many of `tools` were there when the conversation began. */
  readonly initialTools: number;
  /** Of this answer, where it is less than what the model can give. */
  readonly maxOutputTokens?: number;
  readonly signal: AbortSignal;
}

/** A part of an answer that is whole; a call has no id of Karyi's yet. */
type WholePart = Exclude<AnswerPart, CallPart> | Omit<CallPart, "callId">;

/** `delta` is shown as it comes; `part` is what counts; `end` comes once, with the provider's own end mark. */
export type ModelEvent =
  | { readonly type: "delta"; readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly type: "part"; readonly part: WholePart }
  /** Bytes came that are nothing to show: the stream is alive. */
  | { readonly type: "alive" }
  | { readonly type: "end"; readonly finish: Exclude<Finish, "interrupted">; readonly usage: UsageBody; readonly raw?: string };

export interface Price {
  /** USD for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

export interface Model {
  /** `PROVIDER/MODEL`. */
  readonly id: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  readonly idleTimeoutMs: number;
  /** Throws a `ProviderFailure` if there is no whole answer. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

/** `overflow`: too many tokens. `too_large`: too many bytes, or an image that is not taken. */
export type FailureKind = "retry" | "overflow" | "too_large" | "fatal";

/** Why there is no answer, and whether asking again can help. */
export class ProviderFailure extends Error {
  readonly kind: FailureKind;
  readonly code: string;
  /** The provider said when to come again. */
  readonly retryAfterMs: number | undefined;
  /** Of an overflow, if the provider told it. */
  readonly windowTokens: number | undefined;

  constructor(
    kind: FailureKind,
    code: string,
    message: string,
    more: { readonly retryAfterMs?: number; readonly windowTokens?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "ProviderFailure";
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = more.retryAfterMs;
    this.windowTokens = more.windowTokens;
  }
}
