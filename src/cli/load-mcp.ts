/** Loads the MCP side, which is built apart from the command: no other command pays for it. */
type Mcp = typeof import("../compose/mcp/index.ts");

export async function loadMcp(): Promise<Mcp> {
  return (await import("karyi/mcp" as string)) as Mcp;
}
