/** The MCP servers of a workspace: from the home's config, the project's, its `.mcp.json`, and plugins. Reads settings; starts nothing. */
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { isSecretPath, type Json, type JsonObject, type Tool, type ToolRegistration } from "../contract/index.ts";
import { listenForRedirect, readJsonFile, type Sandbox, startServerProcess, writeJsonFile } from "../host/index.ts";
import { McpClients, type NamedServer, namedServer, promptTools, resourceTools, type ServerMemory } from "../mcp/client/index.ts";
import type { PluginShelf } from "../plugin/index.ts";
import type { ToolRegistry } from "../registry/index.ts";
import type { Vault } from "../vault/index.ts";
import type { LoadedConfig } from "./config-layers.ts";
import { readProjectServers } from "./project-servers.ts";

const memoryPath = (home: string) => join(home, "mcp-tools.json");

/** Everything a server gets of the person's environment. */
const handedOver = ["PATH", "HOME", "LANG", "TERM"];

export async function configuredServers(
  workspace: string,
  config: LoadedConfig,
  plugins: Awaited<ReturnType<PluginShelf["servers"]>>,
): Promise<readonly NamedServer[]> {
  const { home, project } = config.layers;
  const fromHome = entriesOf(home.mcpServers, { source: "home", trusted: true });
  const fromConfig = entriesOf(project.mcpServers, { source: "project", trusted: config.projectTrusted });
  const fromFile = await fromProjectFile(workspace, config.trustedServers);
  const fromPlugins = plugins.map(({ name, folder, config: settings, demandUnchanged }) => ({
    ...namedServer(name, { cwd: folder, ...inFolder(settings, folder) }, { source: "plugin", trusted: true }),
    beforeStart: demandUnchanged,
  }));
  const found = new Map<string, NamedServer>();
  // The person's own come first: no project takes the place of one.
  for (const server of [...fromHome, ...fromConfig, ...fromFile, ...fromPlugins])
    if (!found.has(server.name)) found.set(server.name, server);
  return [...found.values()];
}

function entriesOf(servers: unknown, from: Pick<NamedServer, "source" | "trusted">): readonly NamedServer[] {
  if (typeof servers !== "object" || servers === null || Array.isArray(servers)) return [];
  return Object.entries(servers as JsonObject).map(([name, entry]) => namedServer(name, entry ?? null, from));
}

async function fromProjectFile(workspace: string, trusted: string | undefined): Promise<readonly NamedServer[]> {
  const file = await readProjectServers(workspace);
  return file === undefined ? [] : entriesOf(file.servers, { source: "project", trusted: file.hash === trusted });
}

/** `./x` is in the plugin's folder. */
function inFolder(settings: JsonObject, folder: string): JsonObject {
  const { command, args, cwd } = settings;
  const place = (text: Json) => (typeof text === "string" && text.startsWith("./") ? join(folder, text) : text);
  return {
    ...settings,
    ...(command === undefined ? {} : { command: place(command) }),
    ...(cwd === undefined ? {} : { cwd: place(cwd) }),
    ...(Array.isArray(args) ? { args: (args as Json[]).map(place) } : {}),
  };
}

/** Nobody is asked about what a server reads. */
const hidesSecrets = Object.assign((path: string) => isSecretPath(path), { key: "servers" });

export interface ServersWiring {
  readonly home: string;
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly vault: Vault;
  readonly registry: ToolRegistry;
  readonly sandbox: Sandbox;
  log(message: string): void;
}

/** Registers what is known of the servers, and keeps it up to date while they are asked. */
export async function wireServers(
  servers: readonly NamedServer[],
  { home, workspace, env, vault, registry, sandbox, log }: ServersWiring,
): Promise<McpClients> {
  const registered = new Map<string, ToolRegistration[]>();
  const register = (server: string, tools: readonly Tool[]) => {
    for (const remove of registered.get(server) ?? []) remove();
    const removals = tools.flatMap((tool) => {
      try {
        return [registry.register(tool)];
      } catch (error) {
        log((error as Error).message);
        return [];
      }
    });
    registered.set(server, removals);
  };
  const values = vault.values({ workspace, sessionId: "" });
  const clients = new McpClients({
    servers,
    env,
    workspace,
    version: packageJson.version,
    baseEnv: Object.fromEntries(handedOver.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    start: ({ confined, ...server }) =>
      startServerProcess({
        ...server,
        ...(confined === undefined ? {} : { confinement: { sandbox, roots: [workspace], network: confined, hides: hidesSecrets } }),
      }),
    reveal: (server, name, hosts) => values.reveal(name, { tool: `mcp__${server}`, hosts }),
    held: { read: (owner) => vault.held(owner), change: (owner, change) => vault.hold(owner, change) },
    listen: listenForRedirect,
    memory: servers.length === 0 ? {} : await readMemory(home),
    remember: (memory) => writeJsonFile(memoryPath(home), memory as unknown as Json),
    onTools: register,
    log,
  });
  const known = new Map<string, Tool[]>();
  for (const tool of clients.knownTools()) known.set(tool.importedFrom ?? "", [...(known.get(tool.importedFrom ?? "") ?? []), tool]);
  for (const [server, tools] of known) register(server, tools);
  for (const tool of [...resourceTools(clients), ...promptTools(clients)]) registry.register(tool);
  return clients;
}

async function readMemory(home: string): Promise<ServerMemory> {
  const file = await readJsonFile(memoryPath(home));
  const isMemory = file.kind === "json" && typeof file.value === "object" && file.value !== null && !Array.isArray(file.value);
  return isMemory ? (file.value as unknown as ServerMemory) : {};
}
