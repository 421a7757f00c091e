/**
 * Karyi for the bare OpenAI client: the session's tools for `chat.completions` and `responses`, and the answers to their calls.
 * The same message answered twice runs once; a provider's id names an answer and nothing else.
 *
 * @example
 * const completion = await client.chat.completions.create({ model, messages, tools: chatTools(session) });
 * messages.push(completion.choices[0].message, ...(await answerChat(session, completion.choices[0].message)));
 */
import type { CallOptions, SessionHandle } from "../contract/index.ts";
import { identified } from "./message-ids.ts";
import { apiName, imagesOf, parametersOf, parsedArguments, textOf } from "./model-text.ts";

export interface ChatTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: Record<string, unknown> };
}

export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  readonly strict: false;
}

type ImagePart = { readonly type: "image_url"; readonly image_url: { readonly url: string } };
export type ChatAnswer =
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }
  | { readonly role: "user"; readonly content: ({ readonly type: "text"; readonly text: string } | ImagePart)[] };

type OutputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" };
export interface ResponsesAnswer {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string | OutputPart[];
}

/** A message of the model, as far as it matters here. */
export interface ChatMessage {
  readonly tool_calls?:
    | readonly { readonly id: string; readonly type: string; readonly function?: { readonly name: string; readonly arguments: string } }[]
    | null;
}

export interface ResponsesResult {
  readonly output: readonly { readonly type: string; readonly call_id?: unknown; readonly name?: unknown; readonly arguments?: unknown }[];
}

export function chatTools(session: Pick<SessionHandle, "tools">): ChatTool[] {
  return session.tools().map((tool) => ({
    type: "function",
    function: { name: apiName(tool.name), description: tool.description, parameters: parametersOf(tool) },
  }));
}

export function responsesTools(session: Pick<SessionHandle, "tools">): ResponsesTool[] {
  return session.tools().map((tool) => ({
    type: "function",
    name: apiName(tool.name),
    description: tool.description,
    parameters: parametersOf(tool),
    strict: false,
  }));
}

/** In call order. A tool message takes no image, so images follow in a message of the user. */
export async function answerChat(
  session: Pick<SessionHandle, "callAll">,
  message: ChatMessage,
  options?: CallOptions,
): Promise<ChatAnswer[]> {
  const calls = (message.tool_calls ?? []).flatMap(({ id, function: asked }) => (asked === undefined ? [] : [{ id, ...asked }]));
  const results = await session.callAll(
    identified(
      session,
      message,
      calls.map(({ id, name, arguments: text }) => ({ providerId: id, name, input: parsedArguments(text) })),
    ),
    options,
  );
  const answers: ChatAnswer[] = results.map((result, index) => ({
    role: "tool",
    tool_call_id: calls[index]?.id ?? result.callId,
    content: textOf(result),
  }));
  const images = results.flatMap((result) => imagesOf(result).map((image) => ({ image, tool: result.tool })));
  if (images.length === 0) return answers;
  const content = images.flatMap(({ image, tool }) => [
    { type: "text" as const, text: `Image from ${tool}:` },
    { type: "image_url" as const, image_url: { url: `data:${image.mediaType};base64,${image.data}` } },
  ]);
  return [...answers, { role: "user", content }];
}

/** In call order, for the next request's `input`. */
export async function answerResponse(
  session: Pick<SessionHandle, "callAll">,
  response: ResponsesResult,
  options?: CallOptions,
): Promise<ResponsesAnswer[]> {
  const calls = response.output.filter(({ type }) => type === "function_call");
  const results = await session.callAll(
    identified(
      session,
      response,
      calls.map(({ call_id, name, arguments: text }) => ({
        providerId: String(call_id),
        name: String(name),
        input: parsedArguments(String(text ?? "")),
      })),
    ),
    options,
  );
  return results.map((result, index) => {
    const images = imagesOf(result).map(({ mediaType, data }) => ({
      type: "input_image" as const,
      image_url: `data:${mediaType};base64,${data}`,
      detail: "auto" as const,
    }));
    const text = textOf(result);
    const output = images.length === 0 ? text : [{ type: "input_text" as const, text }, ...images];
    return { type: "function_call_output", call_id: String(calls[index]?.call_id ?? result.callId), output };
  });
}
