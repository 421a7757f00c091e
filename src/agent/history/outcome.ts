/** What a model reads of a result: bounded, head and tail, with the reference of the whole (C8). */
import { cutForModel, estimateTokens, type ImageContent, type Result } from "../../contract/index.ts";
import { encodeResults } from "../../dialect/index.ts";
import type { CallOutcome, CallPart } from "./message.ts";

export interface OutcomeOptions {
  readonly maxTokens: number;
  keep(text: string): Promise<string>;
}

export async function outcomeOf(result: Result, { maxTokens, keep }: OutcomeOptions): Promise<CallOutcome> {
  const images = result.content.filter((content): content is ImageContent => content.type === "image");
  const whole = textFor(result);
  const fits = estimateTokens(whole) <= maxTokens;
  const ref = result.truncated?.ref ?? (fits ? undefined : await keep(whole));
  return {
    callId: result.callId,
    tool: result.tool,
    output: fits ? whole : cutForModel(whole, maxTokens, ref ?? ""),
    isError: result.status !== "ok" && result.status !== "planned",
    ...(images.length === 0 ? {} : { images }),
    ...(ref === undefined ? {} : { ref }),
  };
}

/** Of a result as a model would read it whole. */
export function tokensOf(result: Result): number {
  return estimateTokens(textFor(result));
}

/** An outcome of a call that the engine never saw; `fault` says what was wrong with the call itself. */
export function notRun({ callId, name }: Pick<CallPart, "callId" | "name">, why: string, fault?: CallOutcome["fault"]): CallOutcome {
  return { callId, tool: name, output: `Error: ${why}`, isError: true, ...(fault === undefined ? {} : { fault }) };
}

function textFor(result: Result): string {
  const [message] = encodeResults("openai", [{ ...result, content: [] }]) as readonly { readonly content: string }[];
  return message?.content ?? "";
}
