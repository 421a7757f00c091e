/** A model server on loopback that speaks a real wire format, says what it is told to, and refuses bad histories. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { anthropicEvents } from "./anthropic-wire.ts";
import { chatChunks } from "./chat-wire.ts";
import type { Reply } from "./reply.ts";
import { responsesEvents } from "./responses-wire.ts";
import { anthropicProblem, chatProblem, responsesProblem, textProblem } from "./validate.ts";

export type { Reply } from "./reply.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies of requests are looked into freely by tests
export type Body = any;

export type Format = "anthropic" | "chat" | "responses";

const problemOf = { anthropic: anthropicProblem, chat: chatProblem, responses: responsesProblem } as const;

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  /** Bodies of the requests, in order. */
  readonly requests: Body[];
  readonly paths: string[];
  /** Requests that the real API would refuse, and why. */
  readonly refused: string[];
}

/** `replies` by the number of the request; beyond its end the server says "done". */
export async function modelServer(
  format: Format,
  replies: readonly Reply[] | ((body: Body, index: number) => Reply),
): Promise<ModelServer> {
  const requests: Body[] = [];
  const refused: string[] = [];
  const paths: string[] = [];
  const pick = typeof replies === "function" ? replies : (_: Body, index: number) => replies[index] ?? { text: "done" };
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const body = JSON.parse(text) as Body;
    paths.push(request.url ?? "");
    const index = requests.push(body) - 1;
    const problem = textProblem(text) ?? problemOf[format](body);
    if (problem !== undefined) refused.push(problem);
    await answer(response, format, body, problem === undefined ? pick(body, index) : { status: 400, message: problem });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, requests, refused, paths };
}

async function answer(response: ServerResponse, format: Format, body: Body, reply: Reply): Promise<void> {
  if (reply.status !== undefined) {
    const message = reply.message ?? `fault ${reply.status}`;
    const error =
      format === "anthropic" ? { type: "error", error: { type: "api_error", message } } : { error: { message, type: "x", code: null } };
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(error));
    return;
  }
  if (reply.fault === "hang") return;
  response.writeHead(200, { "content-type": "text/event-stream", ...reply.headers });
  response.flushHeaders();
  const lines = linesOf(format, reply, body.model);
  const last = reply.until === undefined ? [] : lines.splice(-1);
  for (const line of lines) response.write(line);
  if (reply.until !== undefined) await reply.until();
  for (const line of last) response.write(line);
  if (reply.fault === "reset") response.destroy();
  else if (reply.fault !== "silent") response.end();
}

function linesOf(format: Format, reply: Reply, model: string): string[] {
  if (format === "chat") return [...chatChunks(reply, model)].map((data) => `data: ${data}\n\n`);
  const events = format === "anthropic" ? anthropicEvents(reply, model) : responsesEvents(reply, model);
  return [...events].map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
