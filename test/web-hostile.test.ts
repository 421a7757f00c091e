import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { redirect, routes, serve, webEngine } from "./support/web.ts";

/** A server that speaks bytes, not HTTP. */
async function rawServer(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fetched(host: string, input: Record<string, unknown> = {}) {
  const { engine } = await webEngine([host]);
  return (await engine.openSession()).call("WebFetch", { url: `http://${host}/`, ...input });
}

const head = (lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`;

describe("hostile servers", () => {
  it("an endless body is cut at the limit", async () => {
    const host = await rawServer((socket) => {
      socket.write(head(["content-type: text/plain"]));
      const chunk = "x".repeat(65_536);
      const pour = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", pour);
      pour();
    });
    const result = await fetched(host);
    expect(result).toMatchObject({ status: "ok", data: { results: [{ truncated: true, content_length: 1_048_576 }] } });
  });

  it("a server that drips bytes is a timeout", async () => {
    const host = await rawServer((socket) => {
      socket.write(head(["content-type: text/plain", "content-length: 100000"]));
      const timer = setInterval(() => socket.write("x"), 100);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await fetched(host, { timeout: 1 })).toMatchObject({ status: "error", error: { code: "timeout" } });
  });

  it("a server that never answers is a timeout", async () => {
    const host = await rawServer(() => {});
    expect(await fetched(host, { timeout: 0.5 })).toMatchObject({ error: { code: "timeout" } });
  });

  it.each([
    ["a header bomb", (socket: Socket) => socket.end(head(Array.from({ length: 5000 }, (_, n) => `x-${n}: ${"y".repeat(100)}`)))],
    ["a body shorter than it says", (socket: Socket) => socket.end(`${head(["content-length: 1000"])}short`)],
    ["chunks without an end", (socket: Socket) => socket.end(`${head(["transfer-encoding: chunked"])}5\r\nhello\r\n`)],
    ["a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["nonsense", (socket: Socket) => socket.end("hello, I am no web server\r\n\r\n")],
    [
      "half a gzip",
      (socket: Socket) =>
        socket.end(Buffer.concat([Buffer.from(head(["content-encoding: gzip"])), gzipSync("x".repeat(9999)).subarray(0, 30)])),
    ],
    ["an unknown encoding", (socket: Socket) => socket.end(`${head(["content-encoding: zstd", "content-length: 3"])}abc`)],
  ])("%s is a tool_error", async (_name, answer) => {
    const result = await fetched(await rawServer(answer), { timeout: 10 });
    expect(result).toMatchObject({ status: "error", error: { code: "tool_error" } });
  });

  it.each([
    ["gzip", gzipSync(Buffer.alloc(300 << 20))],
    ["br", brotliCompressSync(Buffer.alloc(300 << 20))],
  ])("a %s bomb costs no more memory than the limit allows", async (encoding, bomb) => {
    const server = await serve(
      (_, response) => void response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding }).end(bomb),
    );
    const before = process.memoryUsage().rss;
    const result = await fetched(server.host);
    expect(result).toMatchObject({ status: "ok", data: { results: [{ truncated: true }] } });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
  });

  it("redirects in circles and without end are told", async () => {
    let count = 0;
    const server = await serve((request, response) => {
      if (request.url === "/") return redirect("/again")(response, request);
      if (request.url === "/again") return redirect("/")(response, request);
      count += 1;
      return redirect(`/far/${count}`)(response, request);
    });
    expect(await fetched(server.host)).toMatchObject({ error: { code: "tool_error", details: { reason: "redirect_loop" } } });
    expect(await fetched(server.host, { url: `${server.origin}/far` })).toMatchObject({ error: { details: { reason: "redirect_loop" } } });
    expect(count).toBeLessThan(20);
  });

  it("very many fetches at once all get their answer, some at a time", async () => {
    let open = 0;
    let most = 0;
    const server = await serve((request, response) => {
      open += 1;
      most = Math.max(most, open);
      response.on("close", () => {
        open -= 1;
      });
      response.writeHead(200, { "content-type": "text/plain", "cache-control": "no-store" }).end(request.url);
    });
    const { engine } = await webEngine([server.host]);
    const session = await engine.openSession();
    const count = process.env.KARYI_FULL ? 10_000 : 130;
    const results = await Promise.all(Array.from({ length: count }, (_, n) => session.call("WebFetch", { url: `${server.origin}/${n}` })));
    expect(results.filter(({ status }) => status !== "ok")).toEqual([]);
    expect(most).toBeLessThanOrEqual(100);
  });

  it("a page of another kind than it says is still only text", async () => {
    const server = await serve(
      routes({ "/": (response) => void response.writeHead(200, { "content-type": "text/html" }).end(Buffer.from([0, 1, 2, 0xff])) }),
    );
    expect((await fetched(server.host)).status).toBe("ok");
  });
});
