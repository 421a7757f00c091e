import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished, test } from "vitest";
import { proxyFor } from "../src/host/http/proxy-choice.ts";
import { withoutBlobPage } from "../src/tools/web/github-raw.ts";
import { temporaryDirectory } from "./support/engine.ts";
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

it("asks the proxy for an http page without a tunnel, and names itself to the proxy as the environment says", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url, request.headers["proxy-authorization"]);
    response.writeHead(200, { "content-type": "text/plain" }).end("forwarded");
  });
  proxy.on("connect", (_request: IncomingMessage, socket: Socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  const { engine } = await webEngine([], { env: { HTTP_PROXY: `http://me:word@127.0.0.1:${port}` } });
  const result = await (await engine.openSession()).call("WebFetch", { url: "http://public.example/a?b=c" });
  expect(result).toMatchObject({ status: "ok", data: { results: [{ content: "forwarded" }] } });
  expect(result.output).not.toContain("word");
  expect(asked).toEqual(["http://public.example/a?b=c", `Basic ${Buffer.from("me:word").toString("base64")}`]);
});

const openssl = (arguments_: readonly string[]) => spawnSync("openssl", arguments_, { encoding: "utf8" });
const hasOpenssl = openssl(["version"]).status === 0;

it.skipIf(!hasOpenssl)("trusts the certificates that a company names, and only then (skipped where openssl is not installed)", async () => {
  const directory = await temporaryDirectory();
  const file = (name: string) => join(directory, name);
  const made = openssl([
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=wiki.lan"],
    ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file("key.pem"), "-out", file("certificate.pem")],
  ]);
  expect(made.status, made.stderr).toBe(0);
  const server = createSecureServer(
    { key: await readFile(file("key.pem")), cert: await readFile(file("certificate.pem")) },
    (_, response) => response.end("secure"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetched = async (env: Record<string, string>) => {
    const { engine } = await webEngine([host], { env });
    return (await engine.openSession()).call("WebFetch", { url: `https://${host}/` });
  };
  expect(await fetched({})).toMatchObject({ status: "error", error: { code: "tool_error" } });
  for (const name of ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])
    expect(await fetched({ [name]: file("certificate.pem") }), name).toMatchObject({
      status: "ok",
      data: { results: [{ content: "secure" }] },
    });
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
