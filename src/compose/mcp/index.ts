/** MCP as the command and programs start it. Apart from the rest of compose: the other commands load nothing of it. */
export type { Exchange, PromptSurface, ResourceSurface, Surface } from "../../mcp/server/index.ts";
export { type McpServing, type ServeMcpOptions, serveMcp } from "./serve-mcp.ts";
export { serveSurface } from "./serve-surface.ts";
