/** Makes an engine: reads the config, opens the store, wires the rooms, recovers what a killed process left behind. */
import { ToolFailure } from "../contract/index.ts";
import { Engine } from "../engine/index.ts";
import { defaultHome, isAlive, isDirectory, isStopped, resolvePlaces, thisOwner } from "../host/index.ts";
import { openStore } from "../store/index.ts";
import { checkedConfig, loadConfig } from "./config-layers.ts";
import type { Config } from "./config-schema.ts";
import type { EngineOptions } from "./engine-options.ts";
import { evolvedTools } from "./evolution.ts";
import { openPluginShelf } from "./plugin-shelf.ts";
import { WiredEngine } from "./wired-engine.ts";
import { Wiring } from "./wiring.ts";

/**
 * Opens an engine on a workspace. Close it when done: background commands end with it.
 *
 * @example
 * const engine = await createEngine({ workspace: "." });
 * const session = await engine.openSession();
 * console.log((await session.call("Glob", { pattern: "*.md" })).output);
 * await engine.close();
 */
export async function createEngine(options: EngineOptions = {}): Promise<WiredEngine> {
  const env = options.env ?? process.env;
  const log = options.log ?? (() => {});
  const places = await resolvePlaces(options.workspace ?? process.cwd(), options.home ?? defaultHome(env));
  if (!(await isDirectory(places.workspace))) {
    throw new ToolFailure("invalid_tool_input", `The workspace ${places.workspace} is not a directory.`, {
      hint: "Create it first, or name another one.",
      details: { reason: "workspace_missing" },
    });
  }
  const flags: Config = {
    ...checkedConfig(options.config ?? {}, "the config option of createEngine"),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
  };
  const config = await loadConfig({ home: places.home, workspace: places.workspace, env, flags }, Date.now);
  for (const warning of config.warnings) log(warning);

  const store = await openStore({ directory: places.home, owner: thisOwner(), isAlive, isStopped, now: Date.now, onDamage: log });
  try {
    const plugins = openPluginShelf(places.home, env);
    const wiring = new Wiring({ options, places, config, flags, store, plugins, log });
    if (options.builtins !== false) {
      wiring.registerImported(await plugins.tools(log));
      wiring.registerEvolved(await evolvedTools(places.home));
      await wiring.registerServers();
    }
    wiring.refuseConfigRules(config);
    const engine = new Engine(wiring.dependencies());
    await wiring.start(engine);
    const karyi = new WiredEngine(engine, wiring.store, places, wiring);
    if (!store.readOnly) await karyi.recover();
    return karyi;
  } catch (error) {
    await store.close();
    throw error;
  }
}
