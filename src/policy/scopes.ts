/**
 * Owns rights that are handed down: a sub-agent's call is decided under its own policy and under that of every
 * agent above it, and the strictest answer holds. So a child is never wider than its parent, whatever its rules say.
 * Refuses an empty chain: a call that belongs to nobody is denied.
 */
import {
  because,
  type Decision,
  type EffectVerdict,
  type Mode,
  type PolicyQuestion,
  type PolicyWorld,
  type Rules,
  reasonText,
} from "../contract/index.ts";
import { decide } from "./decide.ts";
import { isStricter } from "./finding.ts";

const nobodys = because("no_policy");

/** One agent's policy. The chain goes from the outermost agent to the one that calls. */
export interface PolicyScope {
  readonly mode: Mode;
  readonly rules: Rules;
}

export function decideWithin(
  scopes: readonly PolicyScope[],
  question: Omit<PolicyQuestion, "mode" | "rules">,
  world: PolicyWorld,
): Decision {
  return strictest(scopes.map(({ mode, rules }) => decide({ ...question, mode, rules }, world)));
}

/** The strictest of several decisions about the same effects, effect by effect and as a whole. */
export function strictest(decisions: readonly Decision[]): Decision {
  const [first, ...others] = decisions;
  if (!first)
    return {
      verdict: "deny",
      rule: "builtin:nobody",
      reason: reasonText(nobodys),
      because: nobodys,
      code: "permission_denied",
      effects: [],
    };
  return others.reduce(
    (found, other) => ({
      ...(isStricter(other.verdict, found.verdict) ? other : found),
      effects: found.effects.map((effect, index): EffectVerdict => {
        const rival = other.effects[index];
        return rival && isStricter(rival.verdict, effect.verdict) ? rival : effect;
      }),
    }),
    first,
  );
}
