/**
 * What a captured command turned out to change, judged before it is committed: what a rule forbids to edit and Karyi's own
 * settings no command changes, whoever approved it; where nobody was asked, nothing that no tool may write either.
 */
import { join } from "node:path";
import { defaultTraits, type Effect, type FileChange, type PolicyInForce } from "../contract/index.ts";
import { decide, factsFromText } from "../policy/index.ts";

/** The reason of the first change that may not be made; nothing where all may be. */
export function refusalOf(changes: readonly FileChange[], { mode, rules, world }: PolicyInForce): string | undefined {
  const forbids = rules.deny.some((rule) => /^(?:Edit|Write)/.test(rule));
  const settings = join(world.workspace, ".karyi");
  for (const { path, change } of changes) {
    if (mode !== "auto" && !forbids && !isWithin(path, settings)) continue;
    const kind = change === "created" ? "create" : change === "deleted" ? "delete" : "modify";
    const effect: Effect = {
      kind: "write",
      path: factsFromText(path, { cwd: world.workspace, platform: world.platform }),
      change: kind,
    };
    const question = { tool: "Bash", traits: defaultTraits, effects: [effect], mode: "auto" as const };
    const { verdict, rule, reason } = decide({ ...question, rules: { allow: [], ask: [], deny: rules.deny } }, world);
    if (verdict !== "deny") continue;
    if (!rule.startsWith("builtin:")) return `${path}: the rule ${rule} forbids it`;
    if (rule === "builtin:protected" && (mode === "auto" || isWithin(path, settings))) return reason;
  }
  return undefined;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
