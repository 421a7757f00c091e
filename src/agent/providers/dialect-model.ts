/**
 * A model without function calling, driven by a dialect: instructions in the system prompt, calls read from its text, results
 * as text. Owns that translation; the model behind it never sees a tool.
 */
import type { Result, ToolSpec } from "../../contract/index.ts";
import { createDecoder, type DecodedPart, encodeResults, generateToolInstruction, type TextDialect } from "../../dialect/index.ts";
import { type Answer, type CallOutcome, callsOf, type Message, textOf } from "../history/message.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";

export function dialectModel(model: Model, dialect: TextDialect): Model {
  return { ...model, stream: (request) => decoded(model, dialect, request) };
}

async function* decoded(model: Model, dialect: TextDialect, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { tools, initialTools } = request;
  const schemas = new Map(
    tools.flatMap(({ name, aliases, inputSchema }) => [name, ...aliases].map((known) => [known, inputSchema] as const)),
  );
  const decoder = createDecoder(dialect, { tools: (name) => schemas.get(name) });
  const system = `${request.system}\n\n${generateToolInstruction(tools.slice(0, initialTools), dialect)}`;
  const messages = request.messages.map((message) => plain(message, dialect));
  const state = { text: "", raw: "", calls: 0 };
  for await (const event of model.stream({ ...request, system, tools: [], messages })) {
    if (event.type === "delta" && event.kind === "text") {
      state.raw += event.text;
      yield* shown(decoder.push(event.text), state);
    } else if (event.type === "end") {
      yield* shown(decoder.end(), state);
      yield* textPart(state);
      const finish = event.finish === "stop" && state.calls > 0 ? "calls" : event.finish;
      yield { ...event, finish, raw: state.raw };
    } else if (event.type !== "part" || event.part.type === "thinking") yield event;
  }
}

function* shown(parts: readonly DecodedPart[], state: { text: string; calls: number }): Generator<ModelEvent> {
  for (const part of parts) {
    if (part.type === "text") {
      state.text += part.text;
      yield { type: "delta", kind: "text", text: part.text };
      continue;
    }
    yield* textPart(state);
    const { name, input, unreadable, repaired, cutOff } = part.call;
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    const broken = unreadable ?? (cutOff ? "it was cut off" : isObject ? undefined : "its input is not an object");
    yield {
      type: "part",
      part: {
        type: "call",
        providerId: `call_${state.calls}`,
        name,
        input: isObject ? input : {},
        ...(broken === undefined ? {} : { broken }),
        ...(repaired === undefined ? {} : { repaired }),
      },
    };
    state.calls += 1;
  }
}

function* textPart(state: { text: string }): Generator<ModelEvent> {
  if (state.text.trim() !== "") yield { type: "part", part: { type: "text", text: state.text } };
  state.text = "";
}

/** The message as the model behind sees it: text, and nothing else. */
function plain(message: Message, dialect: TextDialect): Message {
  if (message.role === "assistant") return { role: "assistant", answer: plainAnswer(message.answer, dialect) };
  const news = message.newTools === undefined ? "" : `\n\n${newToolWords(message.newTools, dialect)}`;
  if (message.role === "user") return { role: "user", text: message.text + news };
  return { role: "user", text: encodeResults(dialect, message.outcomes.map(resultOf)) + news };
}

function newToolWords(tools: readonly ToolSpec[], dialect: TextDialect): string {
  return `Further tools that can be called from now on:\n\n${generateToolInstruction(tools, dialect)}`;
}

function plainAnswer(answer: Answer, dialect: TextDialect): Answer {
  const text = answer.raw ?? [textOf(answer), ...callsOf(answer).map(({ name, input }) => callText(name, input, dialect))].join("\n");
  return { ...answer, parts: [{ type: "text", text }] };
}

/** A call that another model made, in the form of this dialect. */
function callText(name: string, input: unknown, dialect: TextDialect): string {
  return `(${dialect}) called ${name} ${JSON.stringify(input)}`;
}

const errorForm = /^Error: (\w+): ([\s\S]*)$/;

function resultOf({ callId, tool, output, isError, images = [] }: CallOutcome): Result {
  const base = { callId, tool, content: images, undoable: false, durationMs: 0 };
  if (!isError) return { ...base, status: "ok", output };
  const [, code = "tool_error", message = output] = errorForm.exec(output) ?? [];
  return { ...base, status: "error", output: "", error: { code: code as "tool_error", message } };
}
