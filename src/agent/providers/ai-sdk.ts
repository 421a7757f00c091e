/**
 * A model of the AI SDK's provider interface (specification v2, v3 or v4) as the loop asks it: one `doStream`, no loop and no
 * retry of its own. Refuses an answer whose stream carried an error or ended before its last event.
 */
import {
  type JSONSchema7,
  type LanguageModelV3,
  type LanguageModelV3StreamPart,
  type SharedV3ProviderOptions,
  TypeValidationError,
} from "@ai-sdk/provider";
import type { Json, JsonObject, ToolSpec, UsageBody } from "../../contract/index.ts";
import { failureOf } from "./failures.ts";
import { type Model, type ModelEvent, type ModelRequest, ProviderFailure } from "./model.ts";
import { type PromptForm, toPrompt } from "./to-prompt.ts";
import { WatchedFetch } from "./watched-fetch.ts";
import { wellFormed } from "./well-formed.ts";
import { wireName } from "./wire-names.ts";

export interface AiSdkModel extends Omit<Model, "stream"> {
  /** Made anew for each request, on a `fetch` that watches it. */
  make(watched: typeof fetch): Promise<LanguageModelV3> | LanguageModelV3;
  readonly form: Omit<PromptForm, "model" | "wrapsData">;
  /** Seen in the bytes of a stream that is whole. */
  readonly endMark?: RegExp;
  readonly providerOptions?: SharedV3ProviderOptions;
  /** Tokens of an answer that the provider is told. */
  readonly outputTokens?: number;
}

export function aiSdkModel({ make, form, endMark, providerOptions, outputTokens, ...model }: AiSdkModel): Model {
  return {
    ...model,
    stream: (request) => {
      const watched = new WatchedFetch(endMark);
      return streamed(watched, async () => {
        // The SDK would print its first warning on stdout.
        (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
        const language = await make(watched.fetch);
        const wrapsData = (language.specificationVersion as string) === "v4";
        const { stream } = await language.doStream({
          prompt: wellFormed(toPrompt(request.system, request.messages, { ...form, model: model.id, wrapsData })),
          ...(request.tools.length === 0 ? {} : { tools: wellFormed(request.tools.map(functionTool)) }),
          abortSignal: request.signal,
          ...tokensOf(request, outputTokens),
          ...(providerOptions === undefined ? {} : { providerOptions }),
        });
        return stream;
      });
    },
  };
}

function tokensOf({ maxOutputTokens }: ModelRequest, own: number | undefined): { readonly maxOutputTokens?: number } {
  const tokens = maxOutputTokens === undefined ? own : Math.min(maxOutputTokens, own ?? maxOutputTokens);
  return tokens === undefined ? {} : { maxOutputTokens: tokens };
}

function functionTool({ name, description, inputSchema }: ToolSpec) {
  return { type: "function" as const, name: wireName(name), description, inputSchema: inputSchema as JSONSchema7 };
}

async function* streamed(
  watched: WatchedFetch,
  open: () => Promise<ReadableStream<LanguageModelV3StreamPart>>,
): AsyncGenerator<ModelEvent> {
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
  try {
    reader = (await open()).getReader();
    const answer = new AnswerParts();
    for (;;) {
      const next = reader.read();
      next.catch(() => {});
      let read: Awaited<typeof next> | undefined;
      while (read === undefined) {
        read = await Promise.race([next, watched.bytes().then(() => undefined)]);
        if (read === undefined) yield { type: "alive" };
      }
      if (read.done) break;
      yield* answer.take(read.value);
    }
    const end = answer.end(watched.hasEnded);
    yield* end;
  } catch (error) {
    throw failureOf(error);
  } finally {
    reader?.cancel().catch(() => {});
  }
}

interface OpenText {
  readonly kind: "text" | "thinking";
  text: string;
  meta: JsonObject | undefined;
}

/** Puts the pieces of a stream together. */
class AnswerParts {
  readonly #texts = new Map<string, OpenText>();
  readonly #inputs = new Map<string, { name: string; text: string }>();
  #finish: Extract<LanguageModelV3StreamPart, { type: "finish" }> | undefined;
  #calls = 0;

  *take(part: LanguageModelV3StreamPart): Generator<ModelEvent> {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#texts.set(keyOf(part), { kind: part.type === "text-start" ? "text" : "thinking", text: "", meta: metaOf(part) });
        return;
      case "text-delta":
      case "reasoning-delta":
        return yield* this.#delta(part);
      case "text-end":
      case "reasoning-end":
        return yield* this.#textEnds(keyOf(part), metaOf(part));
      case "tool-input-start":
        this.#inputs.set(part.id, { name: part.toolName, text: "" });
        return;
      case "tool-input-delta": {
        const input = this.#inputs.get(part.id);
        if (input) input.text += part.delta;
        return yield { type: "alive" };
      }
      case "tool-call": {
        if (part.providerExecuted) return;
        // A text that is still open was written before the call.
        for (const [key, { text }] of [...this.#texts]) if (text !== "") yield* this.#textEnds(key, undefined);
        this.#inputs.delete(part.toolCallId);
        return yield* this.#call(part.toolCallId, part.toolName, part.input, metaOf(part));
      }
      case "finish":
        this.#finish = part;
        return;
      case "error":
        if (isNewEvent(part.error)) return;
        throw part.error;
      default:
        return;
    }
  }

  *end(hasEnded: boolean | undefined): Generator<ModelEvent> {
    const finish = this.#finish;
    if (!finish || !(hasEnded ?? !isMissing(finish.finishReason)))
      throw new ProviderFailure("retry", "stream_cut", "The provider's stream ended before its last event.");
    for (const key of [...this.#texts.keys()]) yield* this.#textEnds(key, undefined);
    // A call that never became whole is not lost: it is told to the model as what it is.
    for (const [id, { name, text }] of this.#inputs) yield* this.#call(id, name, text, undefined);
    const reason = typeof finish.finishReason === "string" ? finish.finishReason : finish.finishReason.unified;
    const kinds = { length: "cut", "content-filter": "refused" } as const;
    const ended = this.#calls > 0 ? "calls" : "stop";
    yield { type: "end", finish: reason in kinds ? kinds[reason as keyof typeof kinds] : ended, usage: usageOf(finish.usage) };
  }

  *#delta(part: Extract<LanguageModelV3StreamPart, { type: "text-delta" | "reasoning-delta" }>): Generator<ModelEvent> {
    const key = keyOf(part);
    const kind = part.type === "text-delta" ? "text" : "thinking";
    const open: OpenText = this.#texts.get(key) ?? { kind, text: "", meta: undefined };
    open.text += part.delta;
    open.meta = merged(open.meta, metaOf(part));
    this.#texts.set(key, open);
    if (part.delta !== "") yield { type: "delta", kind, text: part.delta };
  }

  *#textEnds(key: string, last: JsonObject | undefined): Generator<ModelEvent> {
    const open = this.#texts.get(key);
    this.#texts.delete(key);
    if (!open) return;
    const meta = merged(open.meta, last);
    if (open.text === "" && meta === undefined) return;
    yield { type: "part", part: { type: open.kind, text: open.text, ...(meta === undefined ? {} : { meta }) } };
  }

  *#call(providerId: string, name: string, text: string, meta: JsonObject | undefined): Generator<ModelEvent> {
    this.#calls += 1;
    const { input, broken } = readInput(text);
    yield {
      type: "part",
      part: { type: "call", providerId, name, input, ...(broken === undefined ? {} : { broken }), ...(meta === undefined ? {} : { meta }) },
    };
  }
}

const knownEvents = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;

/** An event that the API has and the SDK does not know yet: Anthropic asks clients to leave such events out. */
function isNewEvent(error: unknown): boolean {
  if (!TypeValidationError.isInstance(error)) return false;
  const { type } = (error.value ?? {}) as { readonly type?: unknown };
  return typeof type === "string" && !knownEvents.test(type);
}

/** Providers begin with this reason and keep it if their stream ends before it tells another. */
function isMissing(reason: Extract<LanguageModelV3StreamPart, { type: "finish" }>["finishReason"] | string | undefined): boolean {
  if (typeof reason !== "object") return reason === undefined || reason === "unknown";
  return reason.unified === "other" && reason.raw === undefined;
}

/** Texts and thoughts may share an id. */
function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.split("-", 1)[0]}:${id}`;
}

function metaOf({ providerMetadata }: { readonly providerMetadata?: unknown }): JsonObject | undefined {
  return providerMetadata === undefined || providerMetadata === null ? undefined : (providerMetadata as JsonObject);
}

/** Metadata of one provider come in pieces: a signature follows its thought. */
function merged(left: JsonObject | undefined, right: JsonObject | undefined): JsonObject | undefined {
  if (!left || !right) return left ?? right;
  const entries = Object.entries(right).map(([key, value]) => [
    key,
    { ...(left[key] as JsonObject | undefined), ...(value as JsonObject) },
  ]);
  return { ...left, ...Object.fromEntries(entries) };
}

const [maxDepth, deepShown] = [200, 1000];

/** Whether brackets are open so deep that whoever walks through the value would fall over it. Brackets within texts do not count. */
function isDeep(text: string): boolean {
  let [depth, isText] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === "\\") at += 1;
      else if (character === '"') isText = false;
    } else if (character === '"') isText = true;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Broken input stays in the conversation as an object, so that every provider takes it back. */
function readInput(text: string): { readonly input: Json; readonly broken?: string } {
  if (text.trim() === "") return { input: {} };
  if (isDeep(text)) return { input: { not_json: text.slice(0, deepShown) }, broken: "its input is nested too deeply" };
  try {
    const input = JSON.parse(text) as Json;
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return { input };
    return { input: { not_an_object: input }, broken: "its input is not a JSON object" };
  } catch {
    return { input: { not_json: text }, broken: "its input is not valid JSON" };
  }
}

/** Version 2 counts all input together; later ones tell the cached part apart. */
function usageOf(usage: unknown): UsageBody {
  const { inputTokens, outputTokens, cachedInputTokens } = (usage ?? {}) as {
    readonly inputTokens?: number | { total?: number; noCache?: number; cacheRead?: number; cacheWrite?: number };
    readonly outputTokens?: number | { total?: number };
    readonly cachedInputTokens?: number;
  };
  const output = typeof outputTokens === "object" ? outputTokens.total : outputTokens;
  if (typeof inputTokens !== "object") {
    const cached = cachedInputTokens ?? 0;
    return {
      input_tokens: Math.max(0, (inputTokens ?? 0) - cached),
      output_tokens: output ?? 0,
      cache_read_tokens: cached,
      cache_write_tokens: 0,
    };
  }
  const { total = 0, cacheRead = 0, cacheWrite = 0 } = inputTokens;
  const noCache = inputTokens.noCache ?? Math.max(0, total - cacheRead - cacheWrite);
  return { input_tokens: noCache, output_tokens: output ?? 0, cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite };
}
