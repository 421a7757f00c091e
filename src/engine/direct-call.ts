/**
 * Calls that a person makes themself (H1): the call is its own consent inside the roots. Refuses paths outside the roots and
 * the system directories, because nobody is asked about them; lifts no denial.
 */
import { because, type Decision, type Effect, type EffectVerdict, type PolicyWorld, reasonText } from "../contract/index.ts";

const rule = "builtin:direct";
const wanted = because("answered_by_caller");
const judgedThere = because("answered_elsewhere");

export function systemPathsDenied(world: PolicyWorld): PolicyWorld {
  return { ...world, systemPaths: "denied" };
}

/** What would be asked is allowed inside the roots and denied outside. */
export function answeredByCaller(decision: Decision, roots: readonly string[]): Decision {
  if (decision.verdict === "deny" || decision.verdict === "allow") return decision;
  const effects = decision.effects.map((one): EffectVerdict => {
    if (one.verdict === "allow") return one;
    return isOutside(one.effect, roots) ? { ...one, verdict: "deny", code: "tool_forbidden_path" } : { ...one, verdict: "allow", rule };
  });
  const outside = effects.find(({ verdict }) => verdict === "deny");
  if (outside === undefined) return { verdict: "allow", rule, reason: reasonText(wanted), because: wanted, effects };
  return {
    verdict: "deny",
    rule: outside.rule,
    reason: outside.reason,
    ...(outside.because && { because: outside.because }),
    code: "tool_forbidden_path",
    effects,
  };
}

/** Another agent has asked about it already; only what would be denied is still denied. */
export function answeredElsewhere(decision: Decision): Decision {
  if (decision.verdict === "deny" || decision.verdict === "allow") return decision;
  return { ...decision, verdict: "allow", rule: "builtin:judged", reason: reasonText(judgedThere), because: judgedThere };
}

function isOutside(effect: Effect, roots: readonly string[]): boolean {
  if (effect.kind !== "read" && effect.kind !== "write") return false;
  const { real } = effect.path;
  return !roots.some((root) => real === root || real.startsWith(root === "/" ? root : `${root}/`));
}
