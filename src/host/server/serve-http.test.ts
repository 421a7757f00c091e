import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type HttpServer, serveHttp } from "./serve-http.ts";

let server: HttpServer | undefined;
let dropped = 0;

afterEach(async () => {
  await server?.close(100);
  server = undefined;
  dropped = 0;
});

async function connect(options: { readonly autoPong: boolean }): Promise<WebSocket> {
  server = await serveHttp({
    host: "127.0.0.1",
    port: 0,
    maxHeaderBytes: 16_384,
    arrivalMs: 30_000,
    pingMs: 400,
    fetch: async () => new Response("", { status: 404 }),
    upgrade: async () => ({
      kind: "accepted",
      connected: (duplex) =>
        duplex.onClose(() => {
          dropped += 1;
        }),
    }),
    malformed: () => ({ body: "", headers: {} }),
  });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/`, options);
  await once(socket, "open");
  return socket;
}

test("a WebSocket whose other end answers no ping is dropped", async () => {
  const socket = await connect({ autoPong: false });
  await once(socket, "close");
  await expect.poll(() => dropped).toBe(1);
});

test("one that answers stays, however often it is asked", async () => {
  const socket = await connect({ autoPong: true });
  for (let pings = 0; pings < 3; pings += 1) await once(socket, "ping");
  expect([socket.readyState, dropped]).toEqual([WebSocket.OPEN, 0]);
  socket.terminate();
});
