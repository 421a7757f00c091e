/**
 * A conversation as the AI SDK's providers take it. Owns that no provider refuses it: every call has its result in the next
 * message, no text is blank, ids are unique, and thinking goes back only to the model that made it.
 */
import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import { type ImageContent, type Json, noOutputText } from "../../contract/index.ts";
import type { Answer, CallOutcome, CallPart, Message } from "../history/message.ts";
import { callsOf } from "../history/message.ts";
import { WireIds, wireName } from "./wire-names.ts";

export interface PromptForm {
  /** `PROVIDER/MODEL` that is asked. */
  readonly model: string;
  /** `result`: images stand in results. `user`: in a message of their own after them. */
  readonly images: "result" | "user";
  /** How a file's bytes are given; version 4 of the specification wraps them. */
  readonly wrapsData: boolean;
  /** Marks for the provider's cache: on the system prompt and on the last message. */
  readonly cacheMark?: SharedV3ProviderOptions;
}

type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

export function toPrompt(system: string, messages: readonly Message[], form: PromptForm): LanguageModelV3Prompt {
  const mark = form.cacheMark === undefined ? {} : { providerOptions: form.cacheMark };
  const prompt: LanguageModelV3Message[] = [{ role: "system", content: system, ...mark }];
  const ids = new WireIds();
  let open: { readonly calls: readonly CallPart[]; readonly ids: ReadonlyMap<string, string> } | undefined;
  for (const message of messages) {
    if (message.role === "assistant") {
      const known = new Map(callsOf(message.answer).map((call) => [call.callId, ids.next(call.providerId)]));
      const content = assistantContent(message.answer, known, form.model);
      if (content.length > 0) prompt.push({ role: "assistant", content });
      open = known.size === 0 ? undefined : { calls: callsOf(message.answer), ids: known };
      continue;
    }
    if (open) {
      prompt.push(...resultMessages(open.calls, open.ids, message.role === "results" ? message.outcomes : [], form));
      open = undefined;
    }
    if (message.role === "user")
      prompt.push({ role: "user", content: [{ type: "text", text: message.text.trim() === "" ? "(nothing)" : message.text }] });
  }
  const last = prompt.at(-1);
  if (last && last.role !== "system") prompt[prompt.length - 1] = { ...last, ...mark };
  return prompt;
}

function assistantContent({ parts, model }: Answer, ids: ReadonlyMap<string, string>, target: string): AssistantContent {
  const own = model === target;
  const back = (meta: Json | undefined) => (own && meta !== undefined ? { providerOptions: meta as SharedV3ProviderOptions } : {});
  const content: AssistantContent = [];
  for (const part of parts) {
    if (part.type === "text" && part.text.trim() !== "") content.push({ type: "text", text: part.text, ...back(part.meta) });
    else if (part.type === "thinking" && own && part.meta !== undefined)
      content.push({ type: "reasoning", text: part.text, ...back(part.meta) });
    else if (part.type === "call") {
      const { callId, name, input, meta } = part;
      content.push({ type: "tool-call", toolCallId: ids.get(callId) ?? callId, toolName: wireName(name), input, ...back(meta) });
    }
  }
  // Thoughts that nothing was said after cannot stand alone.
  return content.every(({ type }) => type === "reasoning") ? [] : content;
}

function resultMessages(
  calls: readonly CallPart[],
  ids: ReadonlyMap<string, string>,
  outcomes: readonly CallOutcome[],
  form: PromptForm,
): LanguageModelV3Message[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.callId, outcome]));
  const shown: ImageContent[] = [];
  const content = calls.map((call): LanguageModelV3ToolResultPart => {
    const outcome = byId.get(call.callId) ?? { callId: call.callId, tool: call.name, output: "Error: not run.", isError: true };
    const images = outcome.images ?? [];
    if (form.images === "user") shown.push(...images);
    return {
      type: "tool-result",
      toolCallId: ids.get(call.callId) ?? call.callId,
      toolName: wireName(call.name),
      output: outputOf(outcome, form),
    };
  });
  const messages: LanguageModelV3Message[] = [{ role: "tool", content }];
  if (shown.length > 0) {
    const files = shown.map(({ data, mediaType }) => ({ type: "file" as const, mediaType, data: wrapped(data, form) }));
    messages.push({ role: "user", content: [{ type: "text", text: "The images of the results above, in order:" }, ...files] });
  }
  return messages;
}

function outputOf({ output, isError, images = [] }: CallOutcome, form: PromptForm): LanguageModelV3ToolResultPart["output"] {
  const value = output.trim() === "" ? noOutputText : output;
  if (images.length === 0 || form.images === "user") return { type: isError ? "error-text" : "text", value };
  const pictures = images.map(({ data, mediaType }) => ({ type: "image-data" as const, data, mediaType }));
  return { type: "content", value: [{ type: "text", text: value }, ...pictures] };
}

/** The types are those of version 3; the form of version 4 is made for packages that the person installed. */
function wrapped(data: string, { wrapsData }: PromptForm): string {
  return wrapsData ? ({ type: "data", data } as unknown as string) : data;
}
