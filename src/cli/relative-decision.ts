/** A decision as one reads it in the workspace: paths inside it without what leads there. Refuses to touch the text of a command. */
import type { Because, Decision, Effect } from "../contract/index.ts";

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
    ...(decision.because && { because: relativeBecause(decision.because, workspace) }),
    effects: decision.effects.map((judged) => ({
      ...judged,
      effect: relativeEffect(judged.effect, workspace),
      reason: relativeText(judged.reason, workspace),
      ...(judged.because && { because: relativeBecause(judged.because, workspace) }),
    })),
  };
}

function relativeBecause({ code, params }: Because, workspace: string): Because {
  if (params === undefined) return { code };
  const told = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? relativeText(value, workspace) : relativeBecause(value, workspace),
  ]);
  return { code, params: Object.fromEntries(told) };
}

function relativeEffect(effect: Effect, workspace: string): Effect {
  if (effect.kind !== "read" && effect.kind !== "write") return effect;
  return { ...effect, path: { ...effect.path, asked: relativeText(effect.path.asked, workspace) } };
}
