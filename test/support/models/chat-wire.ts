/** An answer in the chunks of a Chat Completions stream. Calls are interleaved, as some servers send them. */
import { chunks, inputText, type Reply } from "./reply.ts";

let count = 0;

const stops = { end: "stop", calls: "tool_calls", length: "length", refusal: "content_filter" } as const;

export function* chatChunks(reply: Reply, model: string): Generator<string> {
  count += 1;
  const id = `chatcmpl-${count}`;
  const send = (delta: object, finish_reason: string | null = null) =>
    JSON.stringify({ id, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason }] });
  const { usage = {}, calls = [] } = reply;
  yield send({ role: "assistant", content: "" });
  for (const content of chunks(reply.text ?? "")) yield send({ content });
  if (reply.fault === "error") {
    yield JSON.stringify({ error: { message: "The server had an error", type: "server_error", code: null } });
    return;
  }
  if (reply.fault === "garbage") yield '{"id":"chatcmpl';
  if (reply.fault !== undefined) return;
  for (const [index, call] of calls.entries()) {
    yield send({ tool_calls: [{ index, id: call.id ?? `call_${index}`, type: "function", function: { name: call.name, arguments: "" } }] });
  }
  const rests = calls.map(({ input }) => chunks(inputText(input)));
  for (let round = 0; rests.some((rest) => rest.length > round); round++) {
    for (const [index, rest] of rests.entries()) {
      if (rest[round] !== undefined) yield send({ tool_calls: [{ index, function: { arguments: rest[round] } }] });
    }
  }
  yield send({}, stops[reply.stop ?? (calls.length > 0 ? "calls" : "end")]);
  const input = usage.input ?? 10;
  const cached = usage.cacheRead ?? 0;
  yield JSON.stringify({
    id,
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [],
    usage: {
      prompt_tokens: input + cached,
      completion_tokens: usage.output ?? 5,
      total_tokens: input + cached + (usage.output ?? 5),
      prompt_tokens_details: { cached_tokens: cached },
    },
  });
  yield "[DONE]";
}
