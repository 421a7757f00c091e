/**
 * A conversation in a form that no provider owns: what people said, what models answered, what calls gave. Owns the shapes
 * that steps record; refuses provider ids as names of calls.
 */
import type { ImageContent, Json, ToolSpec, UsageBody } from "../../contract/index.ts";

/** A piece of an answer, in the order the model wrote it. */
export type AnswerPart =
  | { readonly type: "text"; readonly text: string; readonly meta?: Json }
  /** `meta` is what the provider signed it with; it goes back only to the model that made it. */
  | { readonly type: "thinking"; readonly text: string; readonly meta?: Json }
  | CallPart;

export interface CallPart {
  readonly type: "call";
  /** Karyi's id of the call. */
  readonly callId: string;
  /** The provider's; some servers count from `call_0` in every turn. */
  readonly providerId: string;
  /** As the model wrote it. */
  readonly name: string;
  /** As the model wrote it, if that was an object. */
  readonly input: Json;
  /** Why the input is not what the model meant: it was no JSON object, or it was cut. */
  readonly broken?: string;
  /** What a decoder had to mend. */
  readonly repaired?: readonly string[];
  readonly meta?: Json;
}

/** `cut`: the output limit. `interrupted`: a person stopped it. */
export type Finish = "stop" | "calls" | "cut" | "refused" | "interrupted";

export interface Answer {
  /** `PROVIDER/MODEL` that gave it. */
  readonly model: string;
  readonly parts: readonly AnswerPart[];
  readonly finish: Finish;
  readonly usage: UsageBody;
  /** Of a model that is driven by a dialect: the text as it was written, calls included. */
  readonly raw?: string;
  /** Absent where the price is unknown. */
  readonly costUsd?: number;
  readonly savedUsd?: number;
}

/** What the model is told of one call. */
export interface CallOutcome {
  readonly callId: string;
  readonly output: string;
  readonly isError: boolean;
  readonly images?: readonly ImageContent[];
  /** Where the whole output can be read. */
  readonly ref?: string;
  /** The tool, by its own name. */
  readonly tool: string;
  /** Why the engine never saw the call: its input was broken, or the output limit cut its answer. */
  readonly fault?: "broken" | "cut_off";
}

export type Message =
  /** `newTools` can be called from here on. */
  | { readonly role: "user"; readonly text: string; readonly newTools?: readonly ToolSpec[] }
  | { readonly role: "assistant"; readonly answer: Answer }
  /** Outcomes of the answer before it, one for each of its calls, in their order. */
  | { readonly role: "results"; readonly outcomes: readonly CallOutcome[]; readonly newTools?: readonly ToolSpec[] };

export function callsOf({ parts }: Pick<Answer, "parts">): readonly CallPart[] {
  return parts.filter((part): part is CallPart => part.type === "call");
}

export function textOf({ parts }: Pick<Answer, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

export const noUsage: UsageBody = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

export function addUsage(left: UsageBody, right: UsageBody): UsageBody {
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    cache_read_tokens: left.cache_read_tokens + right.cache_read_tokens,
    cache_write_tokens: left.cache_write_tokens + right.cache_write_tokens,
  };
}
