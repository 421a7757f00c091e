/** Servers as `karyi mcp add|remove|list` sees them: the home's config is changed, everything else is only looked at. */
import { type Json, ToolFailure } from "../contract/index.ts";
import { type NamedServer, namedServer } from "../mcp/client/index.ts";
import { homeConfigPath, loadConfig, setConfigKey } from "./config-layers.ts";
import { configuredServers } from "./mcp-servers.ts";
import { openPluginShelf } from "./plugin-shelf.ts";

interface Where {
  readonly home: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts nothing. */
export async function listServers({ home, workspace, env }: Where): Promise<readonly NamedServer[]> {
  const config = await loadConfig({ home, workspace, env, flags: {} }, Date.now);
  return configuredServers(workspace, config, await openPluginShelf(home, env).servers());
}

export async function addServer(where: Where, name: string, entry: Json): Promise<NamedServer> {
  const server = namedServer(name, entry, { source: "home", trusted: true });
  if (server.error !== undefined) throw new ToolFailure("invalid_tool_input", server.error, { details: { reason: "bad_server" } });
  const taken = (await listServers(where)).find((other) => other.name === name && other.source === "home");
  if (taken !== undefined) {
    throw new ToolFailure("tool_conflict", `There is a server '${name}' already.`, {
      hint: `Remove it first: karyi mcp remove ${name}`,
      details: { reason: "server_exists" },
    });
  }
  await setConfigKey(homeConfigPath(where.home), `mcpServers.${name}`, entry);
  return server;
}

/** False if the home names no such server; those of projects and plugins are not removed here. */
export async function removeServer(where: Where, name: string): Promise<boolean> {
  const found = (await listServers(where)).some((server) => server.name === name && server.source === "home");
  if (found) await setConfigKey(homeConfigPath(where.home), `mcpServers.${name}`, undefined);
  return found;
}
