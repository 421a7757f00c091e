/** What holds on this machine: each check says what it looked at, how it went and what to do. */
import { measureHost, resolvePlaces } from "../host/index.ts";
import { type LoadedConfig, loadConfig } from "./config-layers.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly advice?: string;
}

export async function examine(
  workspace: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Check[]> {
  const places = await resolvePlaces(workspace, home);
  const host = await measureHost(places);
  return [...host, await configCheck(places.workspace, places.home, env)];
}

async function configCheck(workspace: string, home: string, env: Readonly<Record<string, string | undefined>>): Promise<Check> {
  let loaded: LoadedConfig;
  try {
    loaded = await loadConfig({ home, workspace, env, flags: {} }, Date.now);
  } catch (error) {
    return { name: "config", state: "failed", detail: (error as Error).message };
  }
  const { mode, rules } = loaded.effective;
  const detail = `mode ${mode}; ${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny rules`;
  const [warning] = loaded.warnings;
  return warning === undefined ? { name: "config", state: "ok", detail } : { name: "config", state: "warning", detail, advice: warning };
}
