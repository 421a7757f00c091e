/**
 * Karyi for the bare Anthropic client: the session's tools for `messages.create`, and the answers to a message's calls.
 * The same message answered twice runs once; a provider's id names an answer and nothing else.
 *
 * @example
 * const message = await client.messages.create({ model, max_tokens, messages, tools: anthropicTools(session) });
 * messages.push({ role: "assistant", content: message.content }, ...(await answerMessage(session, message)));
 */
import type { CallOptions, SessionHandle } from "../contract/index.ts";
import { identified } from "./message-ids.ts";
import { apiName, imagesOf, isFailure, parametersOf, textOf } from "./model-text.ts";

export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object"; readonly [key: string]: unknown };
}

type MediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
type Block = { type: "text"; text: string } | { type: "image"; source: { type: "base64"; media_type: MediaType; data: string } };

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: Block[];
  is_error?: boolean;
}

/** A message of the model, as far as it matters here. */
export interface AnthropicMessage {
  readonly content: readonly { readonly type: string; readonly id?: string; readonly name?: string; readonly input?: unknown }[];
}

export function anthropicTools(session: Pick<SessionHandle, "tools">): AnthropicTool[] {
  return session.tools().map((tool) => ({
    name: apiName(tool.name),
    description: tool.description,
    input_schema: { ...parametersOf(tool), type: "object" },
  }));
}

/** One message with all results in call order; none if the model called nothing. */
export async function answerMessage(
  session: Pick<SessionHandle, "callAll">,
  message: AnthropicMessage,
  options?: CallOptions,
): Promise<{ role: "user"; content: ToolResultBlock[] }[]> {
  const calls = message.content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) return [];
  const results = await session.callAll(
    identified(
      session,
      message,
      calls.map(({ id = "", name = "", input }) => ({ providerId: id, name, input })),
    ),
    options,
  );
  const content = results.map(
    (result, index): ToolResultBlock => ({
      type: "tool_result",
      tool_use_id: calls[index]?.id ?? result.callId,
      content: [
        { type: "text", text: textOf(result) },
        ...imagesOf(result).map(({ mediaType, data }) => ({
          type: "image" as const,
          source: { type: "base64" as const, media_type: mediaType as MediaType, data },
        })),
      ],
      ...(isFailure(result) ? { is_error: true } : {}),
    }),
  );
  return [{ role: "user", content }];
}
