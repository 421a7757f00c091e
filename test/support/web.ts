/** Real servers on loopback, and an engine that may fetch from them. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { type TestEngine, testEngine } from "./engine.ts";

export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly host: string;
  readonly requests: IncomingMessage[];
}

export async function serve(answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin: `http://${host}`, host, requests };
}

export type Route = (response: ServerResponse, request: IncomingMessage) => void;

export function routes(table: Readonly<Record<string, Route>>): RequestListener {
  return (request, response) => {
    const route = table[(request.url ?? "").split("?", 1)[0] ?? ""];
    if (route) return route(response, request);
    response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  };
}

export function send(body: string | Uint8Array, type = "text/html; charset=utf-8", headers: Record<string, string> = {}): Route {
  return (response) => void response.writeHead(200, { "content-type": type, ...headers }).end(body);
}

export function redirect(location: string, status = 302): Route {
  return (response) => void response.writeHead(status, { location }).end();
}

export async function webEngine(hosts: readonly string[], options: EngineOptions = {}): Promise<TestEngine> {
  return testEngine({ env: {}, ...options, config: { web: { allowPrivate: [...hosts] }, ...options.config } });
}
