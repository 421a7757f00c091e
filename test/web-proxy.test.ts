import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished, test } from "vitest";
import { proxyFor } from "../src/host/http/proxy-choice.ts";
import { withoutBlobPage } from "../src/tools/web/github-raw.ts";
import { webEngine } from "./support/web.ts";

it("goes through the proxy of the environment and says that the address could not be checked", async () => {
  const tunnels: string[] = [];
  const proxy = createServer((request, response) => {
    tunnels.push(request.headers.host ?? "");
    response.writeHead(200, { "content-type": "text/plain" }).end("through");
  });
  proxy.on("connect", (request: IncomingMessage, socket: Socket) => {
    tunnels.push(request.url ?? "");
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.once("data", () =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 7\r\nconnection: close\r\n\r\nthrough"),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { engine } = await webEngine([], { env: { HTTP_PROXY: `http://${host}` }, approve: async () => "once" });
  const result = await (await engine.openSession()).call("WebFetch", { url: "http://public.example/a" });
  expect(result).toMatchObject({ status: "ok", data: { results: [{ content: "through" }] } });
  expect(result.output).toContain(`[Through the proxy ${host}, which chose the address; it could not be checked here.]`);
  expect(tunnels[0]).toMatch(/^public\.example/);
});

test.each([
  ["https://a.example/", { HTTPS_PROXY: "http://p:1" }, "http://p:1"],
  ["http://a.example/", { HTTPS_PROXY: "http://p:1" }, undefined],
  ["https://a.example/", { https_proxy: "p:1" }, "http://p:1"],
  ["https://b.a.example/", { HTTPS_PROXY: "http://p:1", NO_PROXY: "x, .a.example" }, undefined],
  ["https://ba.example/", { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example" }, "http://p:1"],
  ["https://a.example/", { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.example:8443" }, "http://p:1"],
  ["https://a.example/", { ALL_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
])("the proxy for %s with %j is %s", (url, env, expected) => {
  expect(proxyFor(new URL(url), env)).toBe(expected);
});

test.each([
  ["https://github.com/o/r/blob/main/src/a.ts", "https://raw.githubusercontent.com/o/r/main/src/a.ts"],
  ["https://github.com/o/r/blob/main", "https://github.com/o/r/blob/main"],
  ["https://github.com/o/r/tree/main/src", "https://github.com/o/r/tree/main/src"],
  ["https://github.com.evil.example/o/r/blob/main/a", "https://github.com.evil.example/o/r/blob/main/a"],
])("a GitHub page of a file is fetched as the file: %s", (url, expected) => {
  expect(withoutBlobPage(url)).toBe(expected);
});
