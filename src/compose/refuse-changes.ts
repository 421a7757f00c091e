/**
 * What a captured command turned out to change, judged before it is committed: what a rule forbids to edit and Karyi's own
 * settings no command changes, whoever approved it; where nobody was asked, nothing that no tool may write either.
 */
import { join } from "node:path";
import { defaultTraits, type Effect, type FileChange, type PolicyInForce, reasonText } from "../contract/index.ts";
import { decide, factsFromText, protectedReason, sensitiveReason } from "../policy/index.ts";

/** The reason of the first change that may not be made; nothing where all may be. */
export function refusalOf(changes: readonly FileChange[], { mode, rules, world }: PolicyInForce): string | undefined {
  const forbids = rules.deny.some((rule) => /^(?:Edit|Write)/.test(rule));
  const settings = join(world.workspace, ".karyi");
  for (const { path, change } of changes) {
    const gits = (world.gitDirectories ?? []).find((directory) => isWithin(path, directory));
    const isGits = gits !== undefined;
    if (mode !== "auto" && !forbids && !isGits && !isWithin(path, settings)) continue;
    const kind = change === "created" ? "create" : change === "deleted" ? "delete" : "modify";
    const effect: Effect = {
      kind: "write",
      path: factsFromText(path, { cwd: world.workspace, platform: world.platform }),
      change: kind,
    };
    const question = { tool: "Bash", traits: defaultTraits, effects: [effect], mode: "auto" as const };
    const { verdict, rule, reason } = decide({ ...question, rules: { allow: [], ask: [], deny: rules.deny } }, world);
    if (verdict === "deny" && !rule.startsWith("builtin:")) return `${path}: the rule ${rule} forbids it`;
    if (rule === "builtin:protected" && (mode === "auto" || isGits || isWithin(path, settings))) return reason;
    // Whatever a git directory is called: what git runs from it stands below it under git's own names.
    const code = gits === undefined ? undefined : protectedReason([".git", ...path.slice(gits.length + 1).split("/")], false);
    if (code !== undefined) return `writing ${path} is refused: ${reasonText(code)}`;
    const names = path.slice(path.startsWith(`${world.workspace}/`) ? world.workspace.length + 1 : 1).split("/");
    const sensitive = mode === "auto" && !isGits && !names.includes(".git") ? sensitiveReason(names) : undefined;
    if (sensitive !== undefined) return `${path}: ${reasonText(sensitive)}`;
  }
  return undefined;
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
