/** The client side of MCP. */
export { McpClients, type ServerMemory } from "./mcp-clients.ts";
export { promptTools } from "./prompt-tools.ts";
export { resourceTools } from "./resource-tools.ts";
export { type NamedServer, namedServer } from "./server-settings.ts";
