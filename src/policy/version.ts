/**
 * Owns the name of a policy: equal policies have equal names, and any difference that could change a decision gives
 * another one, so that an approval given under one policy is void under the next.
 * Refuses to depend on order: rules and directories are sets.
 */
import { createHash } from "node:crypto";
import type { Mode, PolicyWorld, Rules } from "../contract/index.ts";

/** Changes whenever the built-in rules do. */
const builtinVersion = 2;

export function policyVersion(rules: Rules, mode: Mode, world: PolicyWorld): string {
  const set = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
  const input = JSON.stringify([
    builtinVersion,
    mode,
    [set(rules.allow), set(rules.ask), set(rules.deny)],
    [world.workspace, world.userHome, world.karyiHome],
    [set(world.roots), set(world.temporary), set(world.gitDirectories ?? []), set(world.allowedDomains)],
    [
      world.platform,
      world.caseInsensitive,
      world.sandboxed,
      world.withholds ?? "nothing",
      world.rehearses === true,
      world.systemPaths ?? "open",
    ],
    [set(world.allowedPrivate ?? []), world.searchOrigin ?? null],
  ]);
  return `p${builtinVersion}-${createHash("sha256").update(input).digest("hex").slice(0, 32)}`;
}
