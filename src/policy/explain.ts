/**
 * Owns the words for people: a decision in a few lines, each effect with its verdict and the rule behind it.
 * Refuses to be long: what does not fit is counted.
 */
import type { Decision, Effect } from "../contract/index.ts";

const maxEffects = 40;
const maxText = 160;

export function explain(decision: Decision): string {
  const lines = [`${decision.verdict}: ${cut(decision.reason)} [${cut(decision.rule)}]`];
  for (const { effect, verdict, rule, reason, overruled } of decision.effects.slice(0, maxEffects)) {
    lines.push(`  ${verdict.padEnd(8)} ${describeEffect(effect)}: ${cut(reason)} [${cut(rule)}]`);
    if (overruled !== undefined) lines.push(`           the rule ${cut(overruled)} allows it, but has no say here`);
  }
  const rest = decision.effects.length - maxEffects;
  if (rest > 0) lines.push(`  and ${rest} more`);
  return lines.join("\n");
}

export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "read":
      return `read ${cut(effect.path.asked)}${effect.tree ? " and all below" : ""}`;
    case "write":
      return `${effect.change} ${cut(effect.path.asked)}${effect.tree ? " and all below" : ""}`;
    case "run":
      return `run ${cut(effect.text)}`;
    case "connect":
      return `${cut(effect.method)} ${cut(effect.url)}`;
    case "environment":
      return `set ${cut(effect.name)}`;
    case "code":
      return `${cut(effect.language)} code ${cut(effect.text)}`;
    case "agent":
      return `agent ${cut(effect.agent)}`;
    case "remote":
      return `${cut(effect.server)}: ${cut(effect.tool)}`;
    case "state":
      return `session ${effect.area}`;
    case "forbidden":
    case "unknown":
      return effect.kind;
    default:
      return "an unknown effect";
  }
}

/** One line, nothing in it that a terminal would obey. */
function cut(text: string): string {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
}
