/** The gateway over bare hono servers in the same process: a read with its commit, and an event to 500 readers. */
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { DatabaseSync } from "@photostructure/sqlite";
import { Hono } from "hono";
import { afterAll } from "vitest";
// The server as it is shipped, like the library in place.ts.
import * as shipped from "../dist/serve.js";
import type { serve as Serve } from "../src/serve.ts";
import { question } from "./measure.ts";
import { smoke, temporaryDirectory } from "./place.ts";

const serve = shipped.serve as unknown as typeof Serve;
const token = ["bench", "token"].join("-");
const authorization = `Bearer ${token}`;
const workspace = temporaryDirectory();
const path = join(workspace, "file.txt");
writeFileSync(path, "x".repeat(1024));

const serving = await serve({
  workspace,
  home: temporaryDirectory(),
  host: "127.0.0.1",
  port: 0,
  token,
  enableShell: false,
  consoleFolder: workspace,
  version: "0.0.0",
  env: {},
  config: { gateway: { requestsPerMinute: 100_000_000 } },
});
afterAll(() => serving.close());

const database = new DatabaseSync(join(temporaryDirectory(), "bare.db"));
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE calls (id INTEGER PRIMARY KEY, body TEXT)");
const insert = database.prepare("INSERT INTO calls (body) VALUES (?)");

const app = new Hono();
app.post("/agent/process", async (c) => {
  const { biz_params: params } = (await c.req.json()) as { biz_params: { tool: { input: { path: string } } } };
  const content = await readFile(join(workspace, params.tool.input.path), "utf8");
  insert.run(JSON.stringify({ path: params.tool.input.path, size: content.length }));
  return c.json({ reply: content, tool_result: { ok: true, content, text: content }, events: [] });
});
const readers = new Set<ServerResponse>();
const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
const bare = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
  if (incoming.url !== "/events") return void listener(incoming, outgoing);
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  outgoing.flushHeaders();
  readers.add(outgoing);
});
await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve));
const bareAddress = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
afterAll(() => {
  bare.closeAllConnections();
  bare.close();
  database.close();
});

const body = JSON.stringify({
  input: [],
  session_id: "bench",
  user_id: "u",
  channel: "c",
  biz_params: { tool: { name: "read_file", input: { path: "file.txt" } } },
});

async function post(address: string): Promise<void> {
  const answer = await fetch(`${address}/agent/process`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body,
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

question({
  name: "gateway: read_file of 1 KB over a bare hono handler that reads and commits",
  limit: () => post(bareAddress),
  ours: () => post(serving.address),
  bound: 2,
  pairs: 31,
  repeat: 10,
});

const crowd = smoke ? 20 : 500;
let heard = 0;
let onHeard: () => void = () => {};

function join500(address: string, mark: string): Promise<void> {
  const one = () =>
    new Promise<void>((resolve) => {
      get(address, { headers: { authorization }, agent: false }, (answer) => {
        answer.on("data", (chunk: Buffer) => {
          const text = chunk.toString("latin1");
          for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) heard += 1;
          onHeard();
        });
        resolve();
      });
    });
  return Promise.all(Array.from({ length: crowd }, one)).then(() => {});
}

const allHeard = (count: number) =>
  new Promise<void>((resolve) => {
    onHeard = () => {
      if (heard >= count) resolve();
    };
    onHeard();
  });

await fetch(`${serving.address}/api/v1/sessions`, {
  method: "POST",
  headers: { authorization, "content-type": "application/json" },
  body: '{"id": "crowd"}',
});
await join500(`${serving.address}/api/v1/sessions/crowd/events`, "event: tool_result");
await join500(`${bareAddress}/events`, "event: tool_result");

const call = JSON.stringify({ tool: "Read", input: { file_path: "file.txt" } });
const callOf = { method: "POST", headers: { authorization, "content-type": "application/json" }, body: call };
const written = ["tool_call", "tool_result"].map((type, index) =>
  Buffer.from(`id: ${index}\nevent: ${type}\ndata: ${JSON.stringify({ type, text: "x".repeat(700) })}\n\n`),
);

question({
  name: `gateway: a call's events to ${crowd} readers over a bare server that reads, commits and writes the same bytes`,
  limit: async () => {
    heard = 0;
    await post(bareAddress);
    for (const event of written) for (const reader of readers) reader.write(event);
    await allHeard(crowd);
  },
  ours: async () => {
    heard = 0;
    await (await fetch(`${serving.address}/api/v1/sessions/crowd/calls`, callOf)).arrayBuffer();
    await allHeard(crowd);
  },
  bound: 1.5,
  pairs: 15,
});
