/** What holds on this machine: each check says what it looked at, how it went and what to do. */
import { join } from "node:path";
import type { SandboxTier } from "../contract/index.ts";
import { createBlobs, createImages, createSandbox, isAtLeast, measureHost, type Places, resolvePlaces } from "../host/index.ts";
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
  const { checks, best } = await examineTiers(places);
  return [...host, ...checks, ...(await configChecks(places.workspace, places.home, env, best))];
}

/** What of confinement, dry run and undo of commands holds here, and what to install for more. */
async function examineTiers({ home, userHome }: Places): Promise<{ readonly checks: readonly Check[]; readonly best: SandboxTier }> {
  const sandbox = createSandbox({ home, userHome, images: createImages(createBlobs(join(home, "blobs"))) });
  const reports = await sandbox.tierReport();
  const best = await sandbox.tier();
  const checks = reports.map(({ tier, holds, detail, install }): Check => {
    const missed = !holds && best === "E5";
    return {
      name: `tier ${tier}`,
      state: missed ? "warning" : "ok",
      detail: `${holds ? (tier === best ? "in use" : "holds") : "absent"}: ${detail}`,
      ...(holds || install === undefined ? {} : { advice: install }),
    };
  });
  return { checks, best };
}

async function configChecks(
  workspace: string,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  best: SandboxTier,
): Promise<readonly Check[]> {
  let loaded: LoadedConfig;
  try {
    loaded = await loadConfig({ home, workspace, env, flags: {} }, Date.now);
  } catch (error) {
    return [{ name: "config", state: "failed", detail: (error as Error).message }];
  }
  const { mode, rules, requiredTier } = loaded.effective;
  const detail = `mode ${mode}; ${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny rules`;
  const [warning] = loaded.warnings;
  const config: Check =
    warning === undefined ? { name: "config", state: "ok", detail } : { name: "config", state: "warning", detail, advice: warning };
  if (requiredTier === undefined || isAtLeast(best, requiredTier)) return [config];
  return [
    config,
    {
      name: "sandbox",
      state: "failed",
      detail: `the config demands tier ${requiredTier}, this machine holds ${best}: no command runs`,
      advice: `install what tier ${requiredTier} needs, or lower sandbox.require`,
    },
  ];
}
