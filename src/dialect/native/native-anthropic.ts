/**
 * Anthropic messages and streaming events to parts. Only the assistant's side counts: `tool_result` blocks and
 * user messages are never calls. Anything it does not know is ignored.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { isObject } from "../frame/shape.ts";
import type { DecodedPart, SchemaLookup } from "../types.ts";
import { NativeCall, nativePart } from "./native-call.ts";

export class AnthropicDecoder {
  private readonly open = new Map<number, NativeCall>();

  constructor(private readonly tools: SchemaLookup) {}

  push(event: Json): DecodedPart[] {
    if (Array.isArray(event)) return (event as readonly Json[]).flatMap((one) => this.push(one));
    if (!isObject(event)) return [];
    switch (event.type) {
      case "content_block_start":
        return this.start(indexOf(event), event.content_block);
      case "content_block_delta":
        return this.delta(indexOf(event), event.delta);
      case "content_block_stop":
        return this.stop(indexOf(event), false);
      case "message_stop":
        return this.end();
      case "text":
      case "tool_use":
        return this.block(event, false);
      default:
        return event.role === "assistant" ? this.message(event) : [];
    }
  }

  end(): DecodedPart[] {
    return [...this.open.keys()].flatMap((index) => this.stop(index, true));
  }

  private start(index: number, block: Json | undefined): DecodedPart[] {
    if (!isObject(block)) return [];
    if (block.type !== "tool_use") return block.type === "text" ? this.block(block, false) : [];
    const unfinished = this.stop(index, true);
    const call = new NativeCall(this.tools);
    call.name = typeof block.name === "string" ? block.name : "";
    call.id = typeof block.id === "string" ? block.id : undefined;
    if (isObject(block.input) && Object.keys(block.input).length > 0) call.append(JSON.stringify(block.input));
    this.open.set(index, call);
    return unfinished;
  }

  private delta(index: number, delta: Json | undefined): DecodedPart[] {
    if (!isObject(delta)) return [];
    if (delta.type === "text_delta" && typeof delta.text === "string" && delta.text !== "") return [{ type: "text", text: delta.text }];
    if (delta.type === "input_json_delta" && typeof delta.partial_json === "string") this.open.get(index)?.append(delta.partial_json);
    return [];
  }

  private stop(index: number, cut: boolean): DecodedPart[] {
    const call = this.open.get(index);
    if (call === undefined) return [];
    this.open.delete(index);
    return [call.finish(cut)];
  }

  private message(message: JsonObject): DecodedPart[] {
    const { content } = message;
    if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
    if (!Array.isArray(content)) return [];
    const blocks = content as readonly Json[];
    // A message that hit its limit ends in the middle of its last block.
    const limited = message.stop_reason === "max_tokens";
    return blocks.flatMap((block, index) => (isObject(block) ? this.block(block, limited && index === blocks.length - 1) : []));
  }

  private block(block: JsonObject, cut: boolean): DecodedPart[] {
    if (block.type === "text") return typeof block.text === "string" && block.text !== "" ? [{ type: "text", text: block.text }] : [];
    if (block.type !== "tool_use") return [];
    const id = typeof block.id === "string" ? block.id : undefined;
    return [nativePart({ name: typeof block.name === "string" ? block.name : "", id, arguments: block.input ?? {}, cut }, this.tools)];
  }
}

function indexOf(event: JsonObject): number {
  return typeof event.index === "number" ? event.index : 0;
}
