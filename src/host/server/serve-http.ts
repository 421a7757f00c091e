/**
 * One HTTP server: owns sockets, how long a request may take to arrive, how long its headers may be, and upgrades.
 * Refuses what is not HTTP. Knows no route: requests go to `fetch`, upgrades to `upgrade`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex as Stream } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { type WebSocket, WebSocketServer } from "ws";
import type { ByteSink, Connection, Duplex, UpgradeAnswer, UpgradeRequest } from "../../contract/index.ts";

export interface HttpServing {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly maxHeaderBytes: number;
  /** For a request to arrive whole. */
  readonly arrivalMs: number;
  /** How often the other end of a WebSocket is asked whether it is there; one that did not answer by the next time is dropped. */
  readonly pingMs: number;
  fetch(request: Request, connection: Connection): Promise<Response>;
  upgrade(request: UpgradeRequest): Promise<UpgradeAnswer>;
  /** The answer to what cannot even be read as a request. */
  malformed(status: number): { readonly body: string; readonly headers: Readonly<Record<string, string>> };
}

export interface HttpServer {
  readonly port: number;
  /** No new connections; open ones are given `graceMs`, then ended. */
  close(graceMs: number): Promise<void>;
}

const maxMessageBytes = 1024 * 1024;

export async function serveHttp(serving: HttpServing): Promise<HttpServer> {
  const listener = getRequestListener(
    (request, env) => serving.fetch(request, connectionOf(env.incoming as IncomingMessage, env.outgoing as ServerResponse)),
    {
      overrideGlobalObjects: false,
      errorHandler: () => {
        const { body, headers } = serving.malformed(400);
        return new Response(body, { status: 400, headers });
      },
    },
  );
  const server = createServer(
    {
      maxHeaderSize: serving.maxHeaderBytes,
      headersTimeout: serving.arrivalMs,
      requestTimeout: serving.arrivalMs,
      connectionsCheckingInterval: Math.min(1000, serving.arrivalMs),
      keepAliveTimeout: 65_000,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  const upgraded = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, clientTracking: true });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuseRaw(socket, statusOf(error.code), serving));
  server.on("upgrade", (request: IncomingMessage, socket: Stream, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    void answerUpgrade(serving, upgraded, request, socket, head);
  });
  await listen(server, serving.host, serving.port);
  const stopPinging = pingAll(upgraded, serving.pingMs);
  return {
    port: (server.address() as AddressInfo).port,
    close: (graceMs) => {
      stopPinging();
      return closeServer(server, upgraded, graceMs);
    },
  };
}

/** A cable that was pulled tells nobody: without asking, a dead driver would hold a terminal for hours. */
function pingAll(upgraded: WebSocketServer, everyMs: number): () => void {
  const asked = new WeakSet<WebSocket>();
  upgraded.on("connection", (socket) => socket.on("pong", () => asked.delete(socket)));
  const ask = (): void => {
    for (const socket of upgraded.clients) {
      if (asked.has(socket)) socket.terminate();
      else {
        asked.add(socket);
        socket.ping();
      }
    }
  };
  // What has arrived is read first: a server that was busy must not take its own delay for silence.
  const timer = setInterval(() => setImmediate(ask), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closeServer(server: Server, upgraded: WebSocketServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      for (const socket of upgraded.clients) socket.terminate();
      server.closeAllConnections();
    }, graceMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    for (const socket of upgraded.clients) socket.close(1001, "The server stops.");
    server.closeIdleConnections();
  });
}

function connectionOf(incoming: IncomingMessage, outgoing: ServerResponse): Connection {
  let gone: AbortController | undefined;
  return {
    remoteAddress: incoming.socket.remoteAddress ?? "",
    header: (name, value) => {
      outgoing.setHeader(name, value);
    },
    answer: (status, headers, body) => {
      outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
      outgoing.end(body);
    },
    stream: (status, headers) => sinkOf(outgoing, status, headers),
    get gone() {
      if (gone === undefined) {
        const made = new AbortController();
        gone = made;
        outgoing.once("close", () => {
          if (!outgoing.writableFinished) made.abort();
        });
      }
      return gone.signal;
    },
  };
}

function sinkOf(outgoing: ServerResponse, status: number, headers: Readonly<Record<string, string>>): ByteSink {
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  // Small events must not wait for each other.
  outgoing.socket?.setNoDelay(true);
  return {
    write: (bytes) => outgoing.write(bytes),
    onDrain: (listener) => {
      outgoing.on("drain", listener);
    },
    onClose: (listener) => {
      outgoing.once("close", listener);
    },
    end: () => {
      outgoing.end();
    },
    destroy: () => {
      outgoing.destroy();
    },
  };
}

async function answerUpgrade(
  serving: HttpServing,
  upgraded: WebSocketServer,
  request: IncomingMessage,
  socket: Stream,
  head: Buffer,
): Promise<void> {
  let answer: UpgradeAnswer;
  try {
    answer = await serving.upgrade({
      url: request.url ?? "/",
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
      ),
      remoteAddress: request.socket.remoteAddress ?? "",
    });
  } catch {
    answer = { kind: "refused", status: 500, ...serving.malformed(500) };
  }
  if (answer.kind === "refused") return void socket.end(rawAnswer(answer.status, answer.body, answer.headers));
  const { protocol, connected } = answer;
  // The client's offer is replaced by what was chosen, so that no token is ever sent back.
  if (protocol === undefined) delete request.headers["sec-websocket-protocol"];
  else request.headers["sec-websocket-protocol"] = protocol;
  upgraded.handleUpgrade(request, socket as Socket, head, (opened) => {
    upgraded.emit("connection", opened, request);
    connected(duplexOf(opened));
  });
}

function duplexOf(socket: WebSocket): Duplex {
  socket.on("error", () => socket.terminate());
  return {
    send: (data) => socket.send(data),
    get behindBytes() {
      return socket.bufferedAmount;
    },
    onMessage: (listener) => {
      socket.on("message", (data: Buffer, isBinary) => listener(data, !isBinary));
    },
    onClose: (listener) => {
      socket.once("close", listener);
    },
    close: (code, reason) => socket.close(code, reason),
  };
}

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

function refuseRaw(socket: Stream, status: number, serving: HttpServing): void {
  if (!socket.writable) return void socket.destroy();
  const { body, headers } = serving.malformed(status);
  socket.end(rawAnswer(status, body, headers));
}

function rawAnswer(status: number, body: string, headers: Readonly<Record<string, string>>): string {
  const all = { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}
