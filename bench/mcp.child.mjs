// An MCP server on stdin and stdout: `bare` on the SDK alone, `karyi` on the engine, both with one tool that says its input back;
// `many COUNT`: on the SDK alone, with that many tools.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [kind, count = "0"] = process.argv.slice(2);
const inputSchema = { type: "object", properties: { text: { type: "string", description: "What to say" } }, required: ["text"] };

if (kind === "karyi") await ours();
else await bare(kind === "many" ? manyTools(Number(count)) : [{ name: "echo", description: "Says its input back.", inputSchema }]);

async function bare(tools) {
  const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => ({ content: [{ type: "text", text: params.arguments.text }] }));
  await server.connect(new StdioServerTransport());
}

async function ours() {
  const { defineTool } = await import("karyi");
  const { serveMcp } = await import("karyi/mcp");
  const [workspace, home] = [0, 1].map(() => mkdtempSync(join(tmpdir(), "karyi-bench-")));
  const tools = [
    defineTool({
      name: "echo",
      description: "Says its input back.",
      input: inputSchema,
      traits: { readOnly: true },
      plan: () => ({ summary: "echo", effects: [] }),
      run: ({ text }) => ({ output: text }),
    }),
  ];
  const serving = await serveMcp({ workspace, home, tools, version: "0", input: process.stdin, output: process.stdout, log: () => {} });
  await serving.ended;
  await serving.close();
  for (const place of [workspace, home]) rmSync(place, { recursive: true, force: true });
}

function manyTools(total) {
  const verbs = ["create", "delete", "list", "update", "search", "export", "archive", "share", "rename", "merge"];
  const things = ["invoice", "customer", "issue", "branch", "calendar", "message", "channel", "document", "sheet", "deployment"];
  return Array.from({ length: total }, (_, index) => {
    const [verb, thing] = [verbs[index % 10], things[Math.floor(index / 10) % 10]];
    return {
      name: `${verb}_${thing}_${index}`,
      description: `${verb}s the ${thing} number ${index}, with its owner and labels.`,
      inputSchema,
    };
  });
}
