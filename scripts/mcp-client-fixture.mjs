// Our MCP client as the conformance suite drives it: lists what the server at the last argument has, and calls, reads and gets it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "karyi";

const url = process.argv.at(-1);
/** What a scenario says beside the address: calls that it wants to see. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const home = await mkdtemp(join(tmpdir(), "karyi-conformance-"));
const mcpServers = { suite: { type: "http", url, timeoutMs: 15_000 } };
await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers }));
/** Somebody who takes what a form proposes, and says yes where it proposes nothing. */
const askValue = async ({ reason }) => ({ kind: "given", value: reason.includes("empty means") ? "" : "yes", scope: "session" });
const engine = await createEngine({ home, workspace: home, approve: "once", askValue });
const session = await engine.openSession();
const say = (name, { status, output }) => process.stdout.write(`${name} ${status} ${output.slice(0, 200)}\n`);

const names = await engine.servers.learn("suite");
const schemas = names.map((name) => engine.describeTool(name).inputSchema);
const sample = { number: 2, integer: 2, string: "x", boolean: true, array: [], object: schemas[0] };
const sampleOf = ({ properties = {} }) =>
  Object.fromEntries(Object.entries(properties).map(([key, { type }]) => [key, sample[type] ?? null]));
const wanted = context.toolCalls?.map(({ name, arguments: input }) => [`mcp__suite__${name}`, input]);
for (const [name, input] of wanted ?? names.map((name, index) => [name, sampleOf(schemas[index])]))
  say(name, await session.call(name, input));

const resources = await session.call("ListMcpResources", {});
say("resources", resources);
for (const { uri } of resources.data?.resources ?? []) say(uri, await session.call("ReadMcpResource", { server: "suite", uri }));
const prompts = await session.call("ListMcpPrompts", {});
say("prompts", prompts);
for (const { name } of prompts.data?.prompts ?? []) say(name, await session.call("GetMcpPrompt", { server: "suite", name }));

await engine.close();
await rm(home, { recursive: true, force: true });
