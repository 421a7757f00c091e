/**
 * The parts of a permission card that are the same on a terminal and in `karyi approvals show`: every effect with its own
 * verdict, and what "always" would store, rule by rule, or why there is no such rule.
 */
import type { ApprovalCard, EffectVerdict } from "../contract/index.ts";
import { effectWords } from "./effect-words.ts";
import { say } from "./messages.ts";
import { shortId } from "./short-id.ts";
import { padded } from "./text-width.ts";
import { oneLine } from "./visible.ts";
import { reasonWords, verdictWords } from "./words.ts";

/** What decides first: a person who reads only the beginning has read what matters. */
const order = { deny: 0, ask: 1, rehearse: 2, allow: 3 } as const;

export function effectLines(card: ApprovalCard, workspace: string, most = Number.POSITIVE_INFINITY): string[] {
  const verdicts = (card.verdicts ?? []).filter(({ effect }) => effect.kind !== "state");
  const told = new Map<string, EffectVerdict>();
  for (const each of verdicts) {
    const words = effectWords(each.effect, workspace);
    const known = told.get(words);
    if (known === undefined || order[each.verdict] < order[known.verdict]) told.set(words, each);
  }
  if (told.size < 2) return [];
  const lines = [...told]
    .sort(([, a], [, b]) => order[a.verdict] - order[b.verdict])
    .map(([words, judged]) => `  ${padded(verdictWords(judged.verdict), 9)}${words}: ${oneLine(inside(reasonWords(judged), workspace))}`);
  const rest = lines.length - most;
  return [say("effectsAre"), ...lines.slice(0, most), ...(rest > 0 ? [say("moreEffects", rest, shortId(card.approvalId))] : [])];
}

/** Paths as one writes them there. */
function inside(text: string, workspace: string): string {
  return workspace === "" ? text : text.replaceAll(`${workspace}/`, "");
}

/** What each rule would let through; without a rule, why there is none. */
export function alwaysLines(card: ApprovalCard): string[] {
  const { proposal } = card;
  if (proposal === undefined) return [say("noAlways", whyNone(card))];
  const examples = proposal.examples ?? [
    { rule: proposal.rules.join(", "), alsoAllows: proposal.alsoAllows, stillAsks: proposal.stillAsks },
  ];
  return [
    say("alwaysWould"),
    ...examples.flatMap(({ rule, alsoAllows, stillAsks }) => [
      `  ${oneLine(rule)}`,
      ...(alsoAllows.length === 0 ? [] : [`    ${say("alsoAllows", oneLine(alsoAllows.join(" · ")))}`]),
      ...(stillAsks.length === 0 ? [] : [`    ${say("stillAsks", oneLine(stillAsks.join(" · ")))}`]),
    ]),
  ];
}

function whyNone({ verdicts = [] }: ApprovalCard): string {
  const open = verdicts.filter(({ verdict }) => verdict === "ask" || verdict === "rehearse");
  if (open.some(({ effect }) => effect.kind === "write" && effect.tree)) return say("noAlwaysTree");
  if (open.some(({ effect }) => effect.kind === "unknown")) return say("noAlwaysUnknown");
  if (open.some(({ effect }) => effect.kind === "run" && (effect.text.length > 240 || effect.text.includes("\n"))))
    return say("noAlwaysLong");
  return say("noAlwaysNever");
}
