// An MCP server of 2025-06-18 in plain lines, good or bad by its first argument.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { createInterface } from "node:readline";

const [kind = "good", log] = process.argv.slice(2);
if (log !== undefined) appendFileSync(log, `start ${process.pid}\n`);
if (kind === "noisy") process.stdout.write("Listening on stdio, have fun!\n");
if (kind === "deaf") process.on("SIGTERM", () => {});

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const object = { type: "object", properties: { text: { type: "string" } } };
const tools = [
  { name: "echo", description: "Says the text back.", inputSchema: object, annotations: { readOnlyHint: true } },
  { name: "env", description: "Tells its environment.", inputSchema: object },
  { name: "fail", description: "Reports an error.", inputSchema: object },
  { name: "data", description: "Answers data only.", inputSchema: object },
  { name: "die", description: "Ends the server.", inputSchema: object },
  { name: "hang", description: "Never answers.", inputSchema: object },
  { name: "garble", description: "Answers nonsense.", inputSchema: object },
  { name: "reach", description: "Tries to read and write the paths of its input.", inputSchema: { type: "object" } },
  { name: "ask", description: "Asks the person what its input says.", inputSchema: { type: "object" } },
  { name: "blocks", description: "Answers the blocks of its input.", inputSchema: { type: "object" } },
  { name: "flood", description: "Answers a text of so many characters.", inputSchema: { type: "object" } },
  { name: "steps", description: "Tells its progress.", inputSchema: object },
  { name: `long_${"x".repeat(80)}`, description: "Has a long name.", inputSchema: object },
  { name: "weird.name", description: "Has a name with a dot.", inputSchema: object },
];
const bad = [
  { name: "no_schema", description: "Has no schema." },
  { name: "odd", inputSchema: { type: "banana" } },
  { description: "Nameless." },
  7,
];

/** What is done with the client's answer to a question of the server's own. */
const waiting = new Map();

const answers = {
  initialize: ({ protocolVersion, clientInfo }) => {
    if (log !== undefined) appendFileSync(log, `client ${clientInfo.name} ${clientInfo.version}\n`);
    return { protocolVersion, capabilities: { tools: {}, resources: {}, prompts: {} }, serverInfo: { name: "plain", version: "1" } };
  },
  "tools/list": () => ({ tools: kind === "bad-tools" ? [...bad, ...tools] : tools }),
  "resources/list": () => ({ resources: [{ uri: "plain://one", name: "one", mimeType: "text/plain" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: `content of ${uri}` }] }),
  "prompts/list": () => ({ prompts: [{ name: "greet", description: "Greets.", arguments: [{ name: "who", required: true }] }] }),
  "prompts/get": ({ name, arguments: args }) => ({ messages: [{ role: "user", content: { type: "text", text: `${name} ${args.who}` } }] }),
  ping: () => ({}),
};

function reach({ read, write }) {
  const tried = (work) => {
    try {
      return work() ?? "done";
    } catch (error) {
      return error.code;
    }
  };
  const interfaces = Object.keys(networkInterfaces()).filter((each) => each !== "lo");
  return {
    read: read.map((path) => tried(() => readFileSync(path, "utf8"))),
    write: write.map((path) => tried(() => writeFileSync(path, "x"))),
    cwd: process.cwd(),
    network: interfaces.length > 0,
  };
}

function call({ name, arguments: args, _meta }, id) {
  const text = (value, more = {}) => say({ id, result: { content: [{ type: "text", text: value }], ...more } });
  if (name === "echo") text(`echo: ${args.text}`);
  else if (name === "env") text(JSON.stringify({ env: process.env, args: process.argv.slice(2) }));
  else if (name === "fail") text("the disk is on fire", { isError: true });
  else if (name === "data") say({ id, result: { content: [], structuredContent: { answer: 42 } } });
  else if (name === "blocks") {
    // A long image is made here: as input it would go through the engine twice.
    const content = args.content.map((block) =>
      block.characters === undefined ? block : { ...block, data: "A".repeat(block.characters) },
    );
    say({ id, result: { ...args, content } });
  } else if (name === "flood") text("x".repeat(args.characters));
  else if (name === "reach") text(JSON.stringify(reach(args)));
  else if (name === "ask") {
    const asked = `ask-${id}`;
    waiting.set(asked, (answer) => text(JSON.stringify(answer)));
    say({ id: asked, ...args });
  } else if (name === "die") process.exit(3);
  else if (name === "garble") process.stdout.write('{"jsonrpc": broken\n');
  else if (name === "steps") {
    say({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1, total: 2, message: "half way" } });
    text("done");
  } else if (name !== "hang") say({ id, error: { code: -32602, message: `no tool ${name}` } });
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (kind === "nonsense") return void process.stdout.write("<html>this is no server</html>\n");
    if (kind === "silent") return;
    const { id, method, params = {}, result, error } = JSON.parse(line);
    if (id === undefined) return;
    if (method === undefined) return waiting.get(id)?.(result ?? { error });
    if (log !== undefined) appendFileSync(log, `${method}\n`);
    if (method === "tools/call") return call(params, id);
    const answer = answers[method];
    if (answer === undefined) say({ id, error: { code: -32601, message: "no such method" } });
    else say({ id, result: answer(params) });
  })
  .on("close", () => kind === "deaf" || process.exit(0));
if (kind === "deaf") setInterval(() => {}, 1000);
