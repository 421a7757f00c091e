/** A decision as one reads it in the workspace: paths inside it without what leads there. Refuses to touch the text of a command. */
import type { Decision, Effect } from "../contract/index.ts";

/** Paths in a sentence, if they stand by themselves: `/a/ws/x` is inside `/a/ws`, `/b/a/ws/x` and `/a/ws-2` are not. */
export function relativeText(text: string, workspace: string): string {
  const root = workspace.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const start = `(?<=^|[\\s"'\`(])${root}`;
  return text.replace(new RegExp(`${start}/?(?=$|[\\s"'\`),:;])`, "g"), ".").replace(new RegExp(`${start}/(?=[^\\s/])`, "g"), "");
}

export function relativeDecision(decision: Decision, workspace: string): Decision {
  return {
    ...decision,
    reason: relativeText(decision.reason, workspace),
    effects: decision.effects.map((judged) => ({
      ...judged,
      effect: relativeEffect(judged.effect, workspace),
      reason: relativeText(judged.reason, workspace),
    })),
  };
}

function relativeEffect(effect: Effect, workspace: string): Effect {
  if (effect.kind !== "read" && effect.kind !== "write") return effect;
  return { ...effect, path: { ...effect.path, asked: relativeText(effect.path.asked, workspace) } };
}
