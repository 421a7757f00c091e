/**
 * OpenAI payloads to parts: chat completions and their chunks, the older `function_call`, and the Responses API with
 * its events. A streamed call is finished when the provider says so, or when the next one has begun and its
 * arguments are a whole object; a piece that comes after that makes an unreadable call instead of a changed one.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import { type DecodedPart, decodedCall, type SchemaLookup } from "../types.ts";
import { NativeCall, nativePart } from "./native-call.ts";

export class OpenAiDecoder {
  private readonly calls = new Map<string, NativeCall>();
  /** Items of the Responses API that were handed out already. */
  private readonly items = new Set<string>();
  private streamedText = false;

  constructor(private readonly tools: SchemaLookup) {}

  push(event: Json): DecodedPart[] {
    if (Array.isArray(event)) return (event as readonly Json[]).flatMap((one) => this.push(one));
    if (!isObject(event)) return [];
    if (Array.isArray(event.choices)) {
      return (event.choices as readonly Json[]).flatMap((choice, index) => (isObject(choice) ? this.choice(choice, index) : []));
    }
    if (typeof event.type === "string" && event.type.startsWith("response.")) return this.responseEvent(event, event.type);
    if (Array.isArray(event.output)) return this.output(event.output as readonly Json[], event.status === "incomplete");
    if (isObject(event.message)) return this.message(event.message, false);
    if (event.role === "assistant") return this.message(event, false);
    if (event.role !== undefined) return [];
    if (event.type === "function_call" || event.type === "message") return this.item(event, false);
    if (isObject(event.function)) return this.whole(event, false);
    if (Array.isArray(event.tool_calls)) return this.message(event, false);
    return [];
  }

  end(): DecodedPart[] {
    return [...this.calls.values()].filter((call) => !call.done).map((call) => call.finish(true));
  }

  private choice(choice: JsonObject, position: number): DecodedPart[] {
    const key = String(typeof choice.index === "number" ? choice.index : position);
    const limited = choice.finish_reason === "length";
    const parts = isObject(choice.message)
      ? this.message(choice.message, limited)
      : isObject(choice.delta)
        ? this.delta(choice.delta, key)
        : [];
    if (typeof choice.finish_reason !== "string") return parts;
    const open = [...this.calls].filter(([name, call]) => name.startsWith(`${key}:`) && !call.done);
    return [...parts, ...open.map(([, call]) => call.finish(limited))];
  }

  private delta(delta: JsonObject, choice: string): DecodedPart[] {
    const parts: DecodedPart[] = textOf(delta.content);
    if (isObject(delta.function_call)) parts.push(...this.piece(`${choice}:function`, delta.function_call, undefined));
    if (!Array.isArray(delta.tool_calls)) return parts;
    for (const one of delta.tool_calls as readonly Json[]) {
      if (!isObject(one)) continue;
      const id = typeof one.id === "string" && one.id !== "" ? one.id : undefined;
      const key = this.keyOf(choice, one.index, id);
      if (!this.calls.has(key)) parts.push(...this.finishBefore(choice));
      parts.push(...this.piece(key, isObject(one.function) ? one.function : {}, id));
    }
    return parts;
  }

  /** Some servers leave the index out: a new id is a new call, no id goes on with the last. */
  private keyOf(choice: string, index: Json | undefined, id: string | undefined): string {
    if (typeof index === "number") return `${choice}:${index}`;
    if (id !== undefined) return `${choice}:${id}`;
    return [...this.calls.keys()].filter((key) => key.startsWith(`${choice}:`)).at(-1) ?? `${choice}:0`;
  }

  private finishBefore(choice: string): DecodedPart[] {
    return [...this.calls]
      .filter(([key, call]) => key.startsWith(`${choice}:`) && !call.done && call.isComplete)
      .map(([, call]) => call.finish(false));
  }

  private piece(key: string, body: JsonObject, id: string | undefined): DecodedPart[] {
    let call = this.calls.get(key);
    if (call === undefined) {
      call = new NativeCall(this.tools);
      this.calls.set(key, call);
    }
    const text = typeof body.arguments === "string" ? body.arguments : isObject(body.arguments) ? JSON.stringify(body.arguments) : "";
    if (call.done) {
      if (text.trim() === "") return [];
      const unreadable = "arguments came after this call was finished";
      return [{ type: "call", call: decodedCall({ name: call.name, input: {}, raw: text, unreadable, id: call.id }) }];
    }
    // Servers that repeat the name in every chunk must not double it.
    if (typeof body.name === "string" && body.name !== "" && call.name !== body.name) call.name += body.name;
    call.id ??= id;
    call.append(text);
    return [];
  }

  private message(message: JsonObject, limited: boolean): DecodedPart[] {
    const parts: DecodedPart[] = textOf(message.content);
    const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as readonly Json[]) : [];
    calls.forEach((call, index) => {
      if (isObject(call)) parts.push(...this.whole(call, limited && index === calls.length - 1));
    });
    if (isObject(message.function_call)) parts.push(...this.whole({ function: message.function_call }, limited));
    return parts;
  }

  private whole(call: JsonObject, cut: boolean): DecodedPart[] {
    const body = isObject(call.function) ? call.function : call;
    const id = [call.call_id, call.id].find((one): one is string => typeof one === "string");
    const name = typeof body.name === "string" ? body.name : "";
    return [nativePart({ name, id, arguments: body.arguments ?? "", cut }, this.tools)];
  }

  private output(items: readonly Json[], incomplete: boolean): DecodedPart[] {
    return items.flatMap((item, index) => (isObject(item) ? this.item(item, incomplete && index === items.length - 1) : []));
  }

  private item(item: JsonObject, cut: boolean): DecodedPart[] {
    if (item.type === "function_call") {
      const key = [item.id, item.call_id].find((one): one is string => typeof one === "string");
      if (key !== undefined && this.items.has(key)) return [];
      if (key !== undefined) this.items.add(key);
      return this.whole(item, cut || item.status === "incomplete");
    }
    return item.type === "message" && !this.streamedText ? textOf(item.content) : [];
  }

  private responseEvent(event: JsonObject, type: string): DecodedPart[] {
    const key = `response:${typeof event.item_id === "string" ? event.item_id : String(event.output_index ?? 0)}`;
    switch (type) {
      case "response.output_text.delta":
        this.streamedText = true;
        return textOf(event.delta);
      case "response.output_item.added":
        return isObject(event.item) && event.item.type === "function_call" ? this.openItem(event.item, event) : [];
      case "response.function_call_arguments.delta":
        return this.piece(key, { arguments: event.delta }, undefined);
      case "response.output_item.done":
        return isObject(event.item) ? this.closeItem(event.item, event) : [];
      case "response.completed":
      case "response.incomplete": {
        const { response } = event;
        const output = isObject(response) && Array.isArray(response.output) ? (response.output as readonly Json[]) : [];
        return this.output(output, type === "response.incomplete");
      }
      default:
        return [];
    }
  }

  private openItem(item: JsonObject, event: JsonObject): DecodedPart[] {
    return this.piece(itemKey(item, event), { ...item, arguments: "" }, typeof item.call_id === "string" ? item.call_id : undefined);
  }

  private closeItem(item: JsonObject, event: JsonObject): DecodedPart[] {
    if (item.type !== "function_call") return [];
    const open = this.calls.get(itemKey(item, event));
    if (open !== undefined) open.done = true;
    return this.item(item, false);
  }
}

function itemKey(item: JsonObject, event: JsonObject): string {
  return `response:${typeof item.id === "string" ? item.id : String(event.output_index ?? 0)}`;
}

function textOf(content: Json | undefined): DecodedPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return (content as readonly Json[]).flatMap((one): DecodedPart[] => {
    if (!isObject(one) || (one.type !== "text" && one.type !== "output_text")) return [];
    return typeof one.text === "string" && one.text !== "" ? [{ type: "text", text: one.text }] : [];
  });
}
