/** `karyi mcp`: one engine, one session, one client on two streams. Owns the order of starting and stopping. */

import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ToolFailure } from "../../contract/index.ts";
import { defaultHome, homeKey, resolvePlaces } from "../../host/index.ts";
import { EngineSurface, serveOnStreams } from "../../mcp/server/index.ts";
import { createEngine } from "../create-engine.ts";
import type { EngineOptions } from "../engine-options.ts";
import { skillPrompts } from "../skill-prompts.ts";

export interface ServeMcpOptions extends Pick<EngineOptions, "workspace" | "home" | "mode" | "config" | "env" | "tools"> {
  /** The same id opens the same session again. Default: the workspace's. */
  readonly session?: string;
  /** Offer only these tools. */
  readonly only?: readonly string[];
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  log(message: string): void;
}

export interface McpServing {
  /** Resolves when the client closed its end. */
  readonly ended: Promise<void>;
  /** Ends what is under way, background work too. */
  close(): Promise<void>;
}

export async function serveMcp(options: ServeMcpOptions): Promise<McpServing> {
  const { workspace, home, mode, config, env, tools, only, version, input, output, log } = options;
  const engine = await createEngine({
    ...(workspace === undefined ? {} : { workspace }),
    ...(home === undefined ? {} : { home }),
    ...(mode === undefined ? {} : { mode }),
    ...(config === undefined ? {} : { config }),
    ...(env === undefined ? {} : { env }),
    ...(tools === undefined ? {} : { tools }),
    approvals: "record",
    unknownTools: "warn",
    log: (message, cause) => log(cause instanceof Error ? `${message}: ${cause.message}` : message),
  });
  try {
    const unknown = only?.find((name) => engine.describeTool(name.replace("__", ":")) === undefined && !isOwn(name) && !isImported(name));
    if (unknown !== undefined) {
      throw new ToolFailure("invalid_tool_input", `There is no tool '${unknown}'.`, {
        hint: "`karyi tools` lists them.",
        details: { reason: "unknown_tool" },
      });
    }
    const session = await engine.openSession(options.session === undefined ? {} : { id: options.session });
    const usual = await resolvePlaces(engine.workspace, defaultHome(env ?? process.env));
    const surface = new EngineSurface({
      engine,
      session,
      version,
      prompts: skillPrompts(engine),
      stateKey: () => homeKey(join(engine.home, "mcp.key")),
      ...(only === undefined ? {} : { tools: only }),
      elicitationTimeoutMs: engine.config.effective.mcp.elicitationTimeoutMs,
      modelOutputTokens: engine.config.effective.modelOutputTokens,
      ...(usual.home === engine.home ? {} : { commandFlags: ` --home ${quoted(engine.home)}` }),
    });
    const serving = serveOnStreams(surface, input, output, (error) => log(error.message));
    return {
      ended: serving.ended,
      async close() {
        await serving.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function isOwn(name: string): boolean {
  return name === "Undo" || name === "DryRun";
}

/** Tools of a server are known when it was started once. */
function isImported(name: string): boolean {
  return name.startsWith("mcp__");
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
