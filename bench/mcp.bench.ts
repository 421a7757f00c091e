/** MCP over the bare SDK in the same run: a call over stdio, thousands of imported tools, and servers that are only configured. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll } from "vitest";
import { question } from "./measure.ts";
import { benchPlace, numberedLines, smoke, succeeded, temporaryDirectory } from "./place.ts";

const child = join(import.meta.dirname, "mcp.child.mjs");
const count = smoke ? 100 : 3000;

async function clientOf(...args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [child, ...args], stderr: "inherit" }));
  afterAll(() => client.close());
  return client;
}

async function echo(client: Client): Promise<void> {
  const { content, isError } = await client.callTool({ name: "echo", arguments: { text: "hello" } });
  if (isError === true || !JSON.stringify(content).includes("hello")) throw new Error(JSON.stringify(content));
}

const [bare, ours] = [await clientOf("bare"), await clientOf("karyi")];
question({
  name: "mcp: `tools/call` over stdio over the echo of a bare SDK server",
  limit: () => echo(bare),
  ours: () => echo(ours),
  bound: 1.3,
  pairs: 31,
  repeat: 50,
});

const home = temporaryDirectory();
const many = { command: process.execPath, args: [child, "many", String(count)] };
writeFileSync(join(home, "config.json"), JSON.stringify({ mcpServers: { many } }));
const { engine, session } = await benchPlace({ home });
const { servers } = engine as unknown as { readonly servers: { learn(name: string): Promise<readonly string[]> } };
const lister = await clientOf("many", String(count));
question({
  name: `mcp: ${count.toLocaleString("en")} imported tools listed and searched over listing them bare`,
  limit: async () => {
    const { tools } = await lister.listTools();
    if (tools.length !== count) throw new Error(`${tools.length} tools`);
  },
  ours: async () => {
    const names = await servers.learn("many");
    if (names.length !== count) throw new Error(`${names.length} tools`);
    succeeded(await session.call("ToolSearch", { query: "rename a calendar of a customer" }));
  },
  bound: 3,
  pairs: 21,
});

const workspace = temporaryDirectory();
writeFileSync(join(workspace, "a.txt"), numberedLines(20));
const [plainHome, fullHome] = [temporaryDirectory(), temporaryDirectory()];
const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`server-${index}`, many]));
writeFileSync(join(plainHome, "config.json"), "{}");
writeFileSync(join(fullHome, "config.json"), JSON.stringify({ mcpServers: fifty }));

function callRead(at: string): void {
  const args = [
    join(import.meta.dirname, "../bin/karyi.js"),
    "call",
    "Read",
    '{"file_path":"a.txt"}',
    "--workspace",
    workspace,
    "--home",
    at,
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: workspace, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
}

question({
  name: "mcp: a call beside 50 configured servers over the same without any",
  limit: () => callRead(plainHome),
  ours: () => callRead(fullHome),
  bound: 1.05,
  pairs: 31,
});
