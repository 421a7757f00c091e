/** The public API of the MCP side: `import { serveMcp } from "karyi/mcp"`. */
export {
  type Exchange,
  type McpServing,
  type PromptSurface,
  type ResourceSurface,
  type ServeMcpOptions,
  type Surface,
  serveMcp,
  serveSurface,
} from "./compose/mcp/index.ts";
