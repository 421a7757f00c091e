// Our MCP client as the conformance suite drives it: lists what the server at the last argument has, and calls, reads and gets it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "karyi";

const url = process.argv.at(-1);
/** What a scenario says beside the address: calls that it wants to see. */
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const home = await mkdtemp(join(tmpdir(), "karyi-conformance-"));
/** What the person would have written into the settings: a client of their own where the scenario gives one. */
const { client_id: clientId, client_secret, private_key_pem, signing_algorithm: algorithm, issuer } = context;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const oauth = {
  ...(clientId && { clientId, issuer }),
  ...(client_secret && { clientSecret: "${SUITE_SECRET}" }),
  ...(private_key_pem && { privateKey: "${SUITE_SECRET}", algorithm }),
  ...(scenario.startsWith("auth/client-credentials") && { grant: "client_credentials" }),
  ...(scenario.endsWith("-cimd") && { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }),
};
process.env.SUITE_SECRET = client_secret ?? private_key_pem ?? "";
const mcpServers = { suite: { type: "http", url, timeoutMs: 15_000, oauth } };
await writeFile(join(home, "config.json"), JSON.stringify({ mcpServers }));
/** Somebody who takes what a form proposes, and says yes where it proposes nothing. */
const askValue = async ({ reason }) => ({ kind: "given", value: reason.includes("empty means") ? "" : "yes", scope: "session" });
const engine = await createEngine({ home, workspace: home, approve: "once", askValue });
const session = await engine.openSession();
const say = (name, { status, output }) => process.stdout.write(`${name} ${status} ${output.slice(0, 200)}\n`);

/** The person, who opens the link that `karyi mcp login` shows: the suite's page sends the browser straight back. */
const login = () =>
  engine.servers.login("suite", {
    signal: AbortSignal.timeout(15_000),
    show: async (link) => {
      const { headers } = await fetch(link, { redirect: "manual" });
      await fetch(headers.get("location"));
    },
  });
const wantsLogin = ({ details }) => details?.reason === "login_needed";
const logins = 3;
let used = 0;
const loggingIn = async () => {
  used += 1;
  if (used > logins) throw new Error(`the server wants more than ${logins} logins`);
  return login();
};

const learned = (asking) =>
  asking.catch((error) => {
    if (wantsLogin(error)) return learned(loggingIn());
    throw error;
  });
const names = await learned(engine.servers.learn("suite"));
const schemas = names.map((name) => engine.describeTool(name).inputSchema);
const sample = { number: 2, integer: 2, string: "x", boolean: true, array: [], object: schemas[0] };
const sampleOf = ({ properties = {} }) =>
  Object.fromEntries(Object.entries(properties).map(([key, { type }]) => [key, sample[type] ?? null]));
const wanted = context.toolCalls?.map(({ name, arguments: input }) => [`mcp__suite__${name}`, input]);
for (const [name, input] of wanted ?? names.map((name, index) => [name, sampleOf(schemas[index])])) say(name, await called(name, input));

async function called(name, input) {
  const result = await session.call(name, input);
  if (result.error === undefined || !wantsLogin(result.error)) return result;
  await loggingIn();
  return called(name, input);
}

const resources = await session.call("ListMcpResources", {});
say("resources", resources);
for (const { uri } of resources.data?.resources ?? []) say(uri, await session.call("ReadMcpResource", { server: "suite", uri }));
const prompts = await session.call("ListMcpPrompts", {});
say("prompts", prompts);
for (const { name } of prompts.data?.prompts ?? []) say(name, await session.call("GetMcpPrompt", { server: "suite", name }));

await engine.close();
await rm(home, { recursive: true, force: true });
