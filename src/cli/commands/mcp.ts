/** `karyi mcp`: serves the tools to an MCP client on stdin and stdout, and prints the lines a client's config needs. */
import { join } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { type Mode, modes } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, UsageError, warn } from "../front.ts";
import { loadMcp } from "../load-mcp.ts";
import { say } from "../messages.ts";
import { parentGone } from "../parent-gone.ts";

interface McpFlags extends GlobalFlags {
  readonly tools?: string;
  readonly mode?: string;
  readonly replace?: boolean;
}

export async function serveStdio(_: readonly string[], flags: McpFlags): Promise<number> {
  const mode = modeOf(flags.mode);
  const only = namesOf(flags.tools);
  // Some clients die without closing what they gave us. Looked at before anything takes time: a parent that dies while we start must be noticed too.
  const orphaned = parentGone();
  const { serveMcp } = await loadMcp();
  const serving = await serveMcp({
    ...(flags.workspace === undefined ? {} : { workspace: flags.workspace }),
    ...(flags.home === undefined ? {} : { home: flags.home }),
    ...(flags.session === undefined ? {} : { session: flags.session }),
    ...(mode === undefined ? {} : { mode }),
    ...(only === undefined ? {} : { only }),
    version: packageJson.version,
    input: process.stdin,
    output: process.stdout,
    log: warn,
  });
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
  await Promise.race([serving.ended, signalled, orphaned]);
  await serving.close();
  // A pipe of the client may be left open by a program it started; nothing of ours is.
  process.exit(exitCodes.done);
}

const clients = ["claude-desktop", "claude-code", "cursor", "vscode"] as const;

/** The lines of a client's config, with absolute paths: most clients start programs with hardly any PATH. */
export async function printClientConfig([client = ""]: readonly string[], flags: McpFlags): Promise<number> {
  if (flags.replace) return printReplacement(client, flags);
  const known = clients.find((name) => name === client);
  if (known === undefined) throw new UsageError(say("unknownMcpClient", client, clients.join(" | ")));
  const server = await serverOf(flags);
  const config = known === "vscode" ? { servers: { karyi: { type: "stdio", ...server } } } : { mcpServers: { karyi: server } };
  print(JSON.stringify(config, undefined, 2));
  return exitCodes.done;
}

const replaceable = ["claude-code", "codex", "opencode"] as const;

/** The agent's own tools off, Karyi's over MCP: what to give the agent, and where. */
async function printReplacement(agent: string, flags: McpFlags): Promise<number> {
  const known = replaceable.find((name) => name === agent);
  if (known === undefined) throw new UsageError(say("unknownMcpClient", agent, replaceable.join(" | ")));
  const { command, args } = await serverOf(flags);
  if (known === "claude-code") {
    const config = JSON.stringify({ mcpServers: { karyi: { command, args } } });
    print(`claude --tools "" --strict-mcp-config --mcp-config '${config.replaceAll("'", "'\\''")}'`);
  } else if (known === "codex") {
    const lines = ["[features]", "shell_tool = false", "unified_exec = false", "", "[mcp_servers.karyi]"];
    print([...lines, `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`].join("\n"));
  } else {
    const mcp = { karyi: { type: "local", command: [command, ...args], enabled: true } };
    print(JSON.stringify({ permission: { bash: "deny", edit: "deny" }, mcp }, undefined, 2));
  }
  return exitCodes.done;
}

async function serverOf(flags: McpFlags): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  const { placesOf } = await import("../../compose/index.ts");
  const { workspace, home } = await placesOf(flags.workspace, flags.home, process.env);
  const mode = modeOf(flags.mode);
  return {
    command: process.execPath,
    args: [
      join(__dirname, "..", "bin", "karyi.js"),
      "mcp",
      "--workspace",
      workspace,
      "--home",
      home,
      ...(mode === undefined ? [] : ["--mode", mode]),
      ...(flags.tools === undefined ? [] : ["--tools", flags.tools]),
    ],
  };
}

function modeOf(text: string | undefined): Mode | undefined {
  if (text === undefined) return undefined;
  const mode = modes.find((candidate) => candidate === text);
  if (!mode) throw new UsageError(say("unknownMode", text));
  return mode;
}

function namesOf(text: string | undefined): readonly string[] | undefined {
  const names = text
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names?.length === 0 ? undefined : names;
}
