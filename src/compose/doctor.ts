/** What holds on this machine: each check says what it looked at, how it went and what to do. */
import { join } from "node:path";
import type { SandboxTier } from "../contract/index.ts";
import { createBlobs, createImages, createSandbox, isAtLeast, measureHost, type Places, resolvePlaces } from "../host/index.ts";
import { builtinNames, checkRules, type LoadedConfig, loadConfig } from "./config-layers.ts";

export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly advice?: string;
  /** What the detail is made of, for who tells it in other words. */
  readonly values?: readonly (string | number)[];
  /** Of a tier of confinement: only one is needed, and that another is absent is no fault. */
  readonly tier?: { readonly name: SandboxTier; readonly standing: "in_use" | "available" | "absent" };
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
  const inUse = reports.findIndex(({ tier }) => tier === best);
  const checks = reports.map(({ tier, holds, detail, install }, index): Check => {
    const standing = tier === best ? "in_use" : holds ? "available" : "absent";
    return {
      name: `tier ${tier}`,
      state: best === "E5" && index < inUse ? "warning" : "ok",
      detail,
      // More than what is in use is worth an installation, less is not.
      ...(holds || install === undefined || index > inUse ? {} : { advice: install }),
      tier: { name: tier, standing },
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
  const values = [mode, rules.allow.length, rules.ask.length, rules.deny.length];
  const detail = `mode ${mode}; ${rules.allow.length} allow, ${rules.ask.length} ask, ${rules.deny.length} deny rules`;
  const { errors, unknownTools, warnings } = checkRules(loaded, builtinNames());
  if (errors[0] !== undefined) return [{ name: "config", state: "failed", detail: errors.join(" ") }];
  const [warning] = [...loaded.warnings, ...warnings, ...unknownTools];
  const found = { name: "config", detail, values };
  const config: Check = warning === undefined ? { ...found, state: "ok" } : { ...found, state: "warning", advice: warning };
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
