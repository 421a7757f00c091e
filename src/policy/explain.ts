/**
 * Owns the words for people: a decision in a few lines, each effect with its verdict and the rule behind it.
 * Refuses to be long: what does not fit is counted.
 */
import type { Decision, Effect } from "../contract/index.ts";

const maxEffects = 40;
const maxText = 160;

export function explain(decision: Decision): string {
  const lines = [`${decision.verdict}: ${decision.reason} [${decision.rule}]`];
  for (const { effect, verdict, rule, reason } of decision.effects.slice(0, maxEffects)) {
    lines.push(`  ${verdict.padEnd(5)} ${describeEffect(effect)}: ${cut(reason)} [${rule}]`);
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
      return `${effect.method} ${cut(effect.url)}`;
    case "environment":
      return `set ${effect.name}`;
    case "code":
      return `${effect.language} code ${cut(effect.text)}`;
    case "agent":
      return `agent ${effect.agent}`;
    case "remote":
      return `${effect.server}: ${effect.tool}`;
    case "state":
      return `session ${effect.area}`;
    case "forbidden":
    case "unknown":
      return effect.kind;
    default:
      return "an unknown effect";
  }
}

function cut(text: string): string {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
}
