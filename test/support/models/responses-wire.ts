/** An answer in the events of OpenAI's Responses stream. */
import { chunks, inputText, type Reply } from "./reply.ts";

let count = 0;

export function* responsesEvents(reply: Reply, model: string): Generator<{ readonly event: string; readonly data: string }> {
  let number = 0;
  const send = (data: { type: string; [key: string]: unknown }) => ({
    event: data.type,
    data: JSON.stringify({ ...data, sequence_number: number++ }),
  });
  count += 1;
  const { usage = {}, calls = [] } = reply;
  const base = { id: `resp_${count}`, object: "response", created_at: 1, model, output: [], error: null, incomplete_details: null };
  yield send({ type: "response.created", response: { ...base, status: "in_progress" } });
  const output: object[] = [];
  if (reply.thinking !== undefined) {
    const item = { type: "reasoning", id: `rs_${count}`, summary: [], encrypted_content: `sealed-${model}` };
    const at = { item_id: item.id, output_index: output.length, summary_index: 0 };
    yield send({ type: "response.output_item.added", output_index: output.length, item });
    yield send({ type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } });
    for (const delta of chunks(reply.thinking)) yield send({ type: "response.reasoning_summary_text.delta", ...at, delta });
    yield send({ type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text: reply.thinking } });
    const done = { ...item, summary: [{ type: "summary_text", text: reply.thinking }] };
    yield send({ type: "response.output_item.done", output_index: output.length, item: done });
    output.push(done);
  }
  if (reply.text !== undefined) {
    const item = { type: "message", id: `msg_${count}`, role: "assistant", status: "in_progress", content: [] };
    const at = { item_id: item.id, output_index: output.length, content_index: 0 };
    const part = { type: "output_text", text: "", annotations: [] };
    yield send({ type: "response.output_item.added", output_index: output.length, item });
    yield send({ type: "response.content_part.added", ...at, part });
    for (const delta of chunks(reply.text)) yield send({ type: "response.output_text.delta", ...at, delta, logprobs: [] });
    if (reply.fault === "error") {
      yield send({ type: "error", code: "server_error", message: "The server had an error", param: null });
      return;
    }
    if (reply.fault === "garbage") yield { event: "response.output_text.delta", data: '{"type":"response.output' };
    if (reply.fault !== undefined) return;
    const whole = { ...part, text: reply.text };
    yield send({ type: "response.output_text.done", ...at, text: reply.text, logprobs: [] });
    yield send({ type: "response.content_part.done", ...at, part: whole });
    const done = { ...item, status: "completed", content: [whole] };
    yield send({ type: "response.output_item.done", output_index: output.length, item: done });
    output.push(done);
  }
  for (const { id, name, input } of calls) {
    count += 1;
    const item = { type: "function_call", id: `fc_${count}`, call_id: id ?? `call_${count}`, name, arguments: "", status: "in_progress" };
    const at = { item_id: item.id, output_index: output.length };
    yield send({ type: "response.output_item.added", output_index: output.length, item });
    for (const delta of chunks(inputText(input))) yield send({ type: "response.function_call_arguments.delta", ...at, delta });
    yield send({ type: "response.function_call_arguments.done", ...at, name, arguments: inputText(input) });
    const done = { ...item, arguments: inputText(input), status: "completed" };
    yield send({ type: "response.output_item.done", output_index: output.length, item: done });
    output.push(done);
  }
  const [input, cached] = [usage.input ?? 10, usage.cacheRead ?? 0];
  const counted = {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: usage.output ?? 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + cached + (usage.output ?? 5),
  };
  const reason = { length: "max_output_tokens", refusal: "content_filter" }[reply.stop as string];
  const status = reason === undefined ? "completed" : "incomplete";
  const incomplete_details = reason === undefined ? null : { reason };
  yield send({ type: `response.${status}`, response: { ...base, status, incomplete_details, output, usage: counted } });
}
