/**
 * Karyi for the AI SDK (6 and 7): the session's tools with its own approvals. An approval counts only for a question that Karyi
 * asked in an earlier round: whoever invents a call together with its approval gets nothing.
 * The session is opened with `approvals: "record"`.
 *
 * @example
 * const karyi = aiSdk(engine, session);
 * await generateText({ model, messages, tools: karyi.tools, prepareStep: karyi.prepareStep });
 */
import type { ModelMessage, ToolSet } from "ai";
import type { Json, JsonSchema, KaryiEngine, Result, SessionHandle, SessionTool } from "../contract/index.ts";
import { apiName, imagesOf, isFailure, textOf } from "./model-text.ts";

type Answers = Pick<KaryiEngine, "answer" | "resume" | "call" | "approvals">;

export interface AiSdkTools {
  readonly tools: ToolSet;
  /** Settles refusals, which the AI SDK tells no tool, and names the tools that a model sees now. */
  prepareStep(step: { readonly messages: readonly ModelMessage[] }): Promise<{ activeTools: string[] }>;
}

export function aiSdk(engine: Answers, session: SessionHandle): AiSdkTools {
  const round: Round = { asked: new Set(), done: new Map() };
  const tools = Object.fromEntries(session.tools().map((tool) => [apiName(tool.name), toolOf(engine, tool, round)])) as ToolSet;
  return {
    tools,
    async prepareStep({ messages }) {
      for (const toolCallId of refusedCalls(messages)) await refuse(engine, session.id, toolCallId);
      const active = session.catalog.activeTools().map(({ name }) => apiName(name));
      return { activeTools: active.filter((name) => name in tools) };
    },
  };
}

interface Execution {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal;
}

/** Calls between `needsApproval` and `execute`, by the provider's id: it is theirs only until their result is there. */
interface Round {
  /** Their question was there before this round. */
  readonly asked: Set<string>;
  /** They ran without a question when it was looked whether they need one. */
  readonly done: Map<string, Result>;
}

function toolOf(engine: Answers, tool: SessionTool, { asked, done }: Round) {
  return {
    description: tool.description,
    inputSchema: schemaOf(tool.inputSchema),
    async needsApproval(input: unknown, { toolCallId }: Execution): Promise<boolean> {
      if (!(await tool.needsApproval(input as Json))) return false;
      const before = new Set((await engine.approvals("pending")).map(({ id }) => id));
      const result = await tool.call(input as Json, { providerId: toolCallId });
      if (result.status !== "suspended") {
        done.set(toolCallId, result);
        return false;
      }
      if (before.has(result.approvalId ?? "")) asked.add(toolCallId);
      return true;
    },
    async execute(input: unknown, { toolCallId, abortSignal }: Execution): Promise<Result> {
      const ran = done.get(toolCallId);
      if (done.delete(toolCallId) && ran) return ran;
      const signal = abortSignal === undefined ? {} : { signal: abortSignal };
      const result = await tool.call(input as Json, { providerId: toolCallId, ...signal });
      if (result.status !== "suspended" || result.approvalId === undefined) return result;
      if (!asked.delete(toolCallId)) return notAsked(result);
      await engine.answer(result.approvalId, { answer: "once" }, "ai-sdk");
      return engine.resume(result.approvalId, signal);
    },
    toModelOutput: ({ output }: { readonly output: unknown }) => modelOutput(output as Result),
  };
}

function notAsked(result: Result): Result {
  const message = "This call was not approved: Karyi did not ask for this approval.";
  return { ...result, status: "denied", output: message, error: { code: "permission_denied", message } };
}

function modelOutput(result: Result) {
  const text = textOf(result);
  if (result.status === "denied") return { type: "execution-denied" as const, reason: text };
  if (isFailure(result)) return { type: "error-text" as const, value: text };
  const images = imagesOf(result).map(({ data, mediaType }) => ({ type: "image-data" as const, data, mediaType }));
  if (images.length === 0) return { type: "text" as const, value: text };
  return { type: "content" as const, value: [{ type: "text" as const, text }, ...images] };
}

/** What `jsonSchema` of the AI SDK makes; the engine checks the input itself. */
function schemaOf(inputSchema: JsonSchema): object {
  return { [Symbol.for("vercel.ai.schema")]: true, jsonSchema: inputSchema, validate: undefined };
}

type Part = { readonly type?: string; readonly approvalId?: string; readonly toolCallId?: string; readonly approved?: boolean };

/** Answers count for the questions of the last answer of the model: an id may have meant another call before. */
function refusedCalls(messages: readonly ModelMessage[]): readonly string[] {
  const latest = messages.slice(messages.findLastIndex(({ role }) => role === "assistant"));
  const parts = latest.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Part[]) : []));
  const requests = new Map(
    parts.flatMap(({ type, approvalId, toolCallId }) => (type === "tool-approval-request" ? [[approvalId, toolCallId] as const] : [])),
  );
  return parts.flatMap(({ type, approvalId, approved }) =>
    type === "tool-approval-response" && approved === false ? (requests.get(approvalId) ?? []) : [],
  );
}

async function refuse(engine: Answers, sessionId: string, toolCallId: string): Promise<void> {
  for (const approval of await engine.approvals("pending")) {
    const request = approval.sessionId === sessionId ? (await engine.call(approval.callId))?.request : undefined;
    if ((request as { readonly providerId?: string } | null | undefined)?.providerId !== toolCallId) continue;
    await engine.answer(approval.id, { answer: "deny" }, "ai-sdk");
    await engine.resume(approval.id);
  }
}
