/** What a captured command turned out to change, judged before it is committed where nobody was asked about it. */
import { defaultTraits, type Effect, type FileChange, type PolicyWorld } from "../contract/index.ts";
import { decide, factsFromText } from "../policy/index.ts";

const rules = { allow: [], ask: [], deny: [] };

/** The reason of the first change that no tool may make either; nothing where all may be. */
export function refusalOf(changes: readonly FileChange[], world: PolicyWorld): string | undefined {
  for (const { path, change } of changes) {
    const kind = change === "created" ? "create" : change === "deleted" ? "delete" : "modify";
    const effect: Effect = {
      kind: "write",
      path: factsFromText(path, { cwd: world.workspace, platform: world.platform }),
      change: kind,
    };
    const decision = decide({ tool: "Bash", traits: defaultTraits, effects: [effect], mode: "auto", rules }, world);
    if (decision.verdict === "deny" && decision.rule === "builtin:protected") return decision.reason;
  }
  return undefined;
}
