/** ListMcpPrompts and GetMcpPrompt: texts that servers have ready. Listing tells names; getting one is the server's deed and judged as such. */
import { z } from "zod";
import { defineTool, type Json, type JsonObject, type Tool, ToolFailure } from "../../contract/index.ts";
import { isObject, mark, resourceText } from "./imported-tool.ts";
import type { McpClients } from "./mcp-clients.ts";
import { listedBy } from "./resource-tools.ts";

export function promptTools(clients: McpClients): readonly Tool[] {
  return [listPrompts(clients), getPrompt(clients)];
}

function listPrompts(clients: McpClients): Tool {
  return defineTool({
    name: "ListMcpPrompts",
    aliases: ["list_mcp_prompts"],
    description: "Lists the prompts that connected MCP servers offer, of one server or of all.",
    input: z.object({ server: z.string().optional().describe("Name of a server; without it all of them") }),
    example: { server: "docs" },
    traits: { readOnly: true, concurrencySafe: true, searchHint: "mcp server prompts list templates" },
    timeoutMs: clients.longestTimeoutMs * 2,
    plan: ({ server }) => ({
      summary: `List the prompts of ${server ?? "all MCP servers"}`,
      effects: [{ kind: "state", area: "tools" }],
    }),
    async run({ server }, { signal }) {
      const { items, told } = await listedBy(clients, server, (connection) => connection.prompts({ signal }), promptLine);
      return { output: told === "" ? "No prompts." : mark("mcp://prompts", told), data: { prompts: items as Json } };
    },
  });
}

function getPrompt(clients: McpClients): Tool {
  return defineTool({
    name: "GetMcpPrompt",
    aliases: ["get_mcp_prompt"],
    description: "Gets one prompt of an MCP server, with its arguments filled in, by the name that ListMcpPrompts shows.",
    input: z.object({
      server: z.string().describe("Name of the server"),
      name: z.string().describe("Name of the prompt"),
      arguments: z.record(z.string(), z.string()).optional().describe("Its arguments"),
    }),
    example: { server: "docs", name: "summary", arguments: { topic: "install" } },
    traits: { readOnly: true, concurrencySafe: true, searchHint: "mcp server prompt get template" },
    timeoutMs: clients.longestTimeoutMs * 2,
    plan: ({ server, name }) => ({
      summary: `Get the prompt ${name} from the MCP server ${server}`,
      effects: [{ kind: "remote", server, tool: "prompts/get" }],
    }),
    async run({ server, name, arguments: given = {} }, { signal }) {
      const answer = await clients.with(server, (connection) => connection.prompt(name, given, { signal }));
      const messages = Array.isArray(answer.messages) ? (answer.messages as Json[]).filter(isObject) : undefined;
      if (messages === undefined) {
        throw new ToolFailure("tool_error", `The MCP server '${server}' answered nonsense for the prompt ${name}.`, {
          details: { reason: "nonsense", server },
        });
      }
      const text = messages.map(({ role, content }) => `${String(role)}: ${contentText(content ?? null)}`).join("\n\n");
      return { output: mark(`mcp://${server}/prompts/${name}`, text), data: { messages } };
    },
  });
}

function promptLine({ server, name, description, arguments: args }: JsonObject): string {
  const names = (Array.isArray(args) ? (args as Json[]).filter(isObject) : []).map(
    ({ name: argument, required }) => `${String(argument)}${required === true ? "" : "?"}`,
  );
  return `${String(server)}: ${String(name)}(${names.join(", ")})${typeof description === "string" ? ` ${description}` : ""}`;
}

function contentText(content: Json): string {
  if (!isObject(content)) return "";
  if (content.type === "text") return String(content.text ?? "");
  if (content.type === "resource" && isObject(content.resource)) return resourceText(content.resource);
  return `[${String(content.type)}]`;
}
