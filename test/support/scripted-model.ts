/** A model on loopback that says what a test wrote down for it, in the words of the Messages API and of the Responses API. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ScriptedUse {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

export interface ScriptedModel {
  readonly url: string;
  /** What the agent told the model of each use, by its id. */
  readonly results: ReadonlyMap<string, string>;
}

/** One entry a turn; then it says that it is done. */
export async function scriptedModel(turns: readonly (readonly ScriptedUse[])[]): Promise<ScriptedModel> {
  const results = new Map<string, string>();
  let turn = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const body = text === "" ? {} : JSON.parse(text);
    if (request.method !== "POST")
      return void response.writeHead(200, { "content-type": "application/json" }).end('{"models":[],"data":[]}');
    if (request.url?.includes("count_tokens")) return void response.end('{"input_tokens":1}');
    const isResponses = request.url?.includes("/responses") ?? false;
    for (const [id, told] of isResponses ? outputsOf(body) : toolResultsOf(body)) results.set(id, told);
    // Small questions of the agent itself (a title, a summary) come without tools.
    const uses = (body.tools ?? []).length > 0 ? (turns[turn++] ?? []) : [];
    if (isResponses) sayResponse(response, uses);
    else sayMessage(response, body, uses);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, results };
}

type Blocks = readonly { readonly type: string; readonly tool_use_id?: string; readonly content?: unknown }[];

function toolResultsOf({ messages = [] }: { messages?: readonly { readonly content: unknown }[] }): [string, string][] {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Blocks) : []));
  return blocks.flatMap(({ type, tool_use_id: id, content }) =>
    type === "tool_result" && id !== undefined ? [[id, typeof content === "string" ? content : JSON.stringify(content)]] : [],
  );
}

function outputsOf({ input = [] }: { input?: readonly Record<string, unknown>[] }): [string, string][] {
  return input.flatMap(({ type, call_id: id, output }) =>
    /_call_output$/.test(String(type)) ? [[String(id), typeof output === "string" ? output : JSON.stringify(output)]] : [],
  );
}

function sayMessage(response: ServerResponse, { model, stream }: { model?: string; stream?: boolean }, uses: readonly ScriptedUse[]): void {
  const stop = uses.length > 0 ? "tool_use" : "end_turn";
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null, usage };
  if (stream !== true) {
    const content = [{ type: "text", text: "done" }, ...uses.map((use) => ({ type: "tool_use", ...use }))];
    return void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ ...message, content, stop_reason: stop }));
  }
  const say = events(response);
  say("message_start", { message });
  say("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  say("content_block_delta", { index: 0, delta: { type: "text_delta", text: "done" } });
  say("content_block_stop", { index: 0 });
  for (const [at, { id, name, input }] of uses.entries()) {
    say("content_block_start", { index: at + 1, content_block: { type: "tool_use", id, name, input: {} } });
    say("content_block_delta", { index: at + 1, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } });
    say("content_block_stop", { index: at + 1 });
  }
  say("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage });
  say("message_stop", {});
  response.end();
}

/** `input.patch` is a custom tool's text; everything else are arguments of a function. */
function sayResponse(response: ServerResponse, uses: readonly ScriptedUse[]): void {
  const say = events(response);
  const answer = { id: "resp_1", object: "response", status: "in_progress", output: [] };
  say("response.created", { response: answer });
  const items = uses.map(({ id, name, input }) =>
    typeof input.patch === "string"
      ? { type: "custom_tool_call", id: `ctc_${id}`, call_id: id, name, input: input.patch, status: "completed" }
      : { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input), status: "completed" },
  );
  const said = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [{ type: "output_text", text: "done" }] };
  const output = items.length > 0 ? items : [said];
  for (const [at, item] of output.entries()) {
    say("response.output_item.added", { output_index: at, item });
    say("response.output_item.done", { output_index: at, item });
  }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  say("response.completed", { response: { ...answer, status: "completed", output, usage } });
  response.end();
}

function events(response: ServerResponse): (type: string, data: object) => void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (type, data) => void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}
