/** `karyi config get|set|list|trust`. */
import type { Json } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warn } from "../front.ts";
import { say } from "../messages.ts";

export async function placesFor(flags: GlobalFlags) {
  const { placesOf } = await import("../../compose/index.ts");
  return placesOf(flags.workspace, flags.home, process.env);
}

export async function loadAll(flags: GlobalFlags) {
  const { loadConfig } = await import("../../compose/index.ts");
  return loadConfig({ ...(await placesFor(flags)), env: process.env, flags: {} }, Date.now);
}

export async function getKey([key = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  const { configSchema } = await import("../../compose/index.ts");
  const { effective, layers } = await loadAll(flags);
  const [top = ""] = key.split(".");
  if (!Object.hasOwn(configSchema.shape, top)) throw new UsageError(say("unknownKey", key, Object.keys(configSchema.shape).join(", ")));
  const merged = { ...layers.home, ...layers.project, ...layers.env, ...layers.flags, permissions: effective.rules, mode: effective.mode };
  const value = key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], merged);
  printJson(flags.json ? { key, value: value ?? null } : (value ?? null));
  return exitCodes.done;
}

export async function setKey([key = "", text]: readonly string[], flags: GlobalFlags & { readonly project?: boolean }): Promise<number> {
  const { homeConfigPath, projectConfigPath, setConfigKey } = await import("../../compose/index.ts");
  const places = await placesFor(flags);
  const path = flags.project ? projectConfigPath(places.workspace) : homeConfigPath(places.home);
  const config = await setConfigKey(path, key, text === undefined ? undefined : jsonOrText(text));
  if (flags.json) printJson({ path, config });
  else print(`${path}\n${JSON.stringify(config, null, 2)}`);
  return exitCodes.done;
}

export async function list(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const { effective, layers, projectTrusted, warnings } = await loadAll(flags);
  for (const warning of warnings) warn(warning);
  const all = { effective, layers, projectTrusted };
  if (flags.json) printJson(all);
  else print(JSON.stringify(all, null, 2));
  return exitCodes.done;
}

export async function trust(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const { trustProject } = await import("../../compose/index.ts");
  const places = await placesFor(flags);
  const { path, present } = await trustProject(places.home, places.workspace, Date.now);
  if (flags.json) printJson({ path, trusted: present });
  else print(say(present ? "trusted" : "nothingToTrust", path));
  return exitCodes.done;
}

/** JSON where it is JSON, else the text itself: `config set mode auto`. */
function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
