/** ListMcpResources and ReadMcpResource: what servers have to read. Listing tells names; reading is the server's deed and judged as such. */
import { z } from "zod";
import { defineTool, type Json, type JsonObject, type Tool, ToolFailure } from "../../contract/index.ts";
import type { Connection } from "./connection.ts";
import { isObject, mark, resourceText } from "./imported-tool.ts";
import type { McpClients } from "./mcp-clients.ts";

const maxListed = 500;

export function resourceTools(clients: McpClients): readonly Tool[] {
  return [listResources(clients), readResource(clients)];
}

function listResources(clients: McpClients): Tool {
  return defineTool({
    name: "ListMcpResources",
    aliases: ["list_mcp_resources"],
    description: "Lists the resources that connected MCP servers offer, of one server or of all.",
    input: z.object({ server: z.string().optional().describe("Name of a server; without it all of them") }),
    example: { server: "docs" },
    traits: { readOnly: true, concurrencySafe: true, searchHint: "mcp server resources list documents" },
    timeoutMs: clients.longestTimeoutMs * 2,
    plan: ({ server }) => ({
      summary: `List the resources of ${server ?? "all MCP servers"}`,
      effects: [{ kind: "state", area: "tools" }],
    }),
    async run({ server }, { signal }) {
      const { items, told } = await listedBy(clients, server, (connection) => connection.resources({ signal }), resourceLine);
      return { output: told === "" ? "No resources." : mark("mcp://resources", told), data: { resources: items as Json } };
    },
  });
}

function resourceLine({ server, uri, name }: JsonObject): string {
  return `${String(server)}: ${String(uri)}${name === undefined ? "" : ` (${String(name)})`}`;
}

/** What one server lists, or all of them; one that fails is told, and fails the whole only if nobody answered. */
export async function listedBy(
  clients: McpClients,
  server: string | undefined,
  list: (connection: Connection) => Promise<readonly unknown[]>,
  lineOf: (item: JsonObject) => string,
): Promise<{ readonly items: readonly JsonObject[]; readonly told: string }> {
  const names = server === undefined ? clients.usable() : [server];
  const asked = await Promise.all(names.map((name) => listOf(clients, name, list)));
  const failures = asked.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (first !== undefined && failures.length === names.length) throw first;
  const items = asked.flatMap(({ items: found }) => found).slice(0, maxListed);
  return { items, told: [...items.map(lineOf), ...failures.map(({ message }) => message)].join("\n") };
}

async function listOf(
  clients: McpClients,
  server: string,
  list: (connection: Connection) => Promise<readonly unknown[]>,
): Promise<{ readonly items: readonly JsonObject[]; readonly failure?: ToolFailure }> {
  try {
    const listed = await clients.with(server, list);
    return { items: listed.filter(isObject).map((item) => ({ ...item, server })) };
  } catch (error) {
    if (error instanceof ToolFailure) return { items: [], failure: error };
    throw error;
  }
}

function readResource(clients: McpClients): Tool {
  return defineTool({
    name: "ReadMcpResource",
    aliases: ["read_mcp_resource"],
    description: "Reads one resource of an MCP server, by the address that ListMcpResources shows.",
    input: z.object({ server: z.string().describe("Name of the server"), uri: z.string().describe("Address of the resource") }),
    example: { server: "docs", uri: "docs://readme" },
    traits: { readOnly: true, concurrencySafe: true, searchHint: "mcp server resource read document" },
    timeoutMs: clients.longestTimeoutMs * 2,
    plan: ({ server, uri }) => ({
      summary: `Read ${uri} from the MCP server ${server}`,
      effects: [{ kind: "remote", server, tool: "resources/read" }],
    }),
    async run({ server, uri }, { signal }) {
      const answer = await clients.with(server, (connection) => connection.read(uri, { signal }));
      const contents = Array.isArray(answer.contents) ? (answer.contents as Json[]).filter(isObject) : undefined;
      if (contents === undefined) {
        throw new ToolFailure("tool_error", `The MCP server '${server}' answered nonsense for ${uri}.`, {
          details: { reason: "nonsense", server },
        });
      }
      return { output: mark(uri, contents.map(resourceText).join("\n")), data: { contents } };
    },
  });
}
