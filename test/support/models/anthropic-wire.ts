/** An answer in the events of the Anthropic Messages stream. */
import { chunks, inputText, type Reply } from "./reply.ts";

let count = 0;

const stops = { end: "end_turn", calls: "tool_use", length: "max_tokens", refusal: "refusal" } as const;

/** Events up to a fault, if there is one. */
export function* anthropicEvents(reply: Reply, model: string): Generator<{ readonly event: string; readonly data: string }> {
  const send = (data: { type: string; [key: string]: unknown }) => ({ event: data.type, data: JSON.stringify(data) });
  const { usage = {}, calls = [] } = reply;
  count += 1;
  yield send({
    type: "message_start",
    message: {
      id: `msg_${count}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input ?? 10,
        output_tokens: 1,
        cache_read_input_tokens: usage.cacheRead ?? 0,
        cache_creation_input_tokens: usage.cacheWrite ?? 0,
      },
    },
  });
  yield send({ type: "ping" });
  if (reply.news) yield send({ type: "weather", sky: "clear" });
  let index = 0;
  if (reply.thinking !== undefined) {
    yield send({ type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } });
    for (const thinking of chunks(reply.thinking))
      yield send({ type: "content_block_delta", index, delta: { type: "thinking_delta", thinking } });
    yield send({ type: "content_block_delta", index, delta: { type: "signature_delta", signature: `sig-${model}` } });
    yield send({ type: "content_block_stop", index });
    index += 1;
  }
  if (reply.text !== undefined) {
    yield send({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
    for (const text of chunks(reply.text)) yield send({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
    if (reply.fault === "error") {
      yield send({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
      return;
    }
    if (reply.fault === "garbage") yield { event: "content_block_delta", data: '{"type":"content_block_de' };
    if (reply.fault !== undefined) return;
    yield send({ type: "content_block_stop", index });
    index += 1;
  }
  for (const { id, name, input } of calls) {
    count += 1;
    yield send({ type: "content_block_start", index, content_block: { type: "tool_use", id: id ?? `toolu_${count}`, name, input: {} } });
    for (const partial_json of chunks(inputText(input))) {
      yield send({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
    }
    yield send({ type: "content_block_stop", index });
    index += 1;
  }
  const stop = stops[reply.stop ?? (calls.length > 0 ? "calls" : "end")];
  yield send({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: usage.output ?? 5 } });
  yield send({ type: "message_stop" });
}
