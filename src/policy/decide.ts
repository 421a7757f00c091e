/**
 * Owns the decision about a call (C9): every effect is judged by the built-in rules, the mode and the person's
 * rules, and the strictest verdict is the call's. Precedence: deny, ask, allow, then the table of modes.
 * Refuses to be talked up: an allow rule lifts a question, never a denial, and only for the effects it covers.
 */
import type { Decision, Effect, EffectVerdict, PolicyQuestion, PolicyWorld } from "../contract/index.ts";
import { allow, ask, deny, type Finding, isStricter } from "./finding.ts";
import { type EffectContext, judgeEffect, judgeSilence } from "./judge-effect.ts";
import { sensitiveReason } from "./paths/protected.ts";
import { secretReason } from "./paths/secrets.ts";
import type { PathPattern } from "./rules/path-pattern.ts";
import { type Hit, isCommand, type RuleBook, ruleBookOf } from "./rules/rule-book.ts";

/** What one effect came to; a rule of the person's speaks in its own words. */
interface Word extends Omit<Finding, "rule"> {
  readonly rule: string;
}

export function decide(question: PolicyQuestion, world: PolicyWorld): Decision {
  const { mode, traits } = question;
  const context: EffectContext = { world, mode, traits, command: isCommand(question) };
  const book = ruleBookOf(question.rules, world);
  const findings = question.effects.map((effect) => judgeEffect(effect, context));
  const sends = question.effects.some((effect) => effect.kind === "connect");
  const effects = question.effects.map((effect, index): EffectVerdict => {
    let finding = findings[index] ?? ask("builtin:unknown", "not judged", "never");
    if (sends && effect.kind === "read" && finding.rule === "builtin:secret")
      finding = deny("builtin:secret", `${finding.reason}; the same call would send data out`);
    return verdictOf(effect, settle(withRules(effect, finding, question, book), question));
  });
  const silence = question.effects.length === 0 ? [settle(withRules(undefined, judgeSilence(context), question, book), question)] : [];
  const floors = floorsOf(question, book).map((floor) => settle(floor, question));
  let decisive: Pick<EffectVerdict, "verdict" | "rule" | "reason" | "code"> | undefined;
  for (const word of [...effects, ...silence, ...floors]) if (!decisive || isStricter(word.verdict, decisive.verdict)) decisive = word;
  const { verdict, rule, reason, code } = decisive ?? deny("builtin:unknown", "nothing was judged");
  return { verdict, rule, reason, ...(code === undefined || verdict !== "deny" ? {} : { code }), effects };
}

/** What the person's rules make of a finding. */
function withRules(effect: Effect | undefined, finding: Finding, question: PolicyQuestion, book: RuleBook): Word {
  if (finding.verdict === "deny") return finding;
  const forbidden = book.forbids(effect, question);
  if (forbidden && forbidden.tree !== "perhaps") return { ...deny("builtin:rule", because("forbids", forbidden)), rule: forbidden.rule };
  const questioned = forbidden ?? book.questions(effect, question);
  if (questioned)
    return { ...ask("builtin:rule", because(forbidden ? "forbids" : "asks about", questioned), "never"), rule: questioned.rule };
  if (finding.verdict === "allow" || finding.lift === "never") return finding;
  const permitted = book.permits(effect, question, finding.lift === "named" ? (pattern) => spellsOut(pattern, finding) : undefined);
  return permitted ? { ...allow("builtin:rule", `a rule allows it (${finding.reason})`), rule: permitted.rule } : finding;
}

function because(verb: string, hit: Hit): string {
  return hit.tree === undefined ? `a rule ${verb} it` : `a rule ${verb} files below this directory`;
}

/** `Read(.env)` and `Read(certs/*.pem)` speak of secrets, `Read(**)` does not. */
function spellsOut(pattern: PathPattern, finding: Finding): boolean {
  if (pattern.literal) return true;
  if (finding.rule === "builtin:secret") return secretReason(pattern.sample) !== undefined;
  return finding.rule === "builtin:sensitive" && sensitiveReason(pattern.sample) !== undefined;
}

/** Nobody is asked in `auto`: what is left as a question is a denial. */
function settle(word: Word, question: PolicyQuestion): Word {
  if (word.verdict !== "ask" || question.mode !== "auto") return word;
  return { ...word, verdict: "deny", code: "permission_denied", reason: `${word.reason}; nobody is asked in auto mode` };
}

function verdictOf(effect: Effect, { verdict, rule, reason, code }: Word): EffectVerdict {
  return { effect, verdict, rule, reason, ...(code === undefined ? {} : { code }) };
}

/** Questions about the call as a whole, which no rule lifts. */
function floorsOf(question: PolicyQuestion, book: RuleBook): Word[] {
  const floors: Word[] = [];
  if (question.traits.permission === "confirm") floors.push(ask("builtin:confirm", "this tool is confirmed every time", "never"));
  if (question.doubtful && question.effects.some(isActing)) {
    floors.push(ask("builtin:doubtful", "the call was cut off or had to be repaired, so a person looks at what it would do", "never"));
  }
  const [unreadable] = book.unreadable;
  if (unreadable !== undefined)
    floors.push({ ...ask("builtin:unreadable-rule", `the rule ${JSON.stringify(unreadable)} cannot be read`, "never") });
  return floors;
}

function isActing(effect: Effect): boolean {
  return effect.kind !== "read" && effect.kind !== "state" && effect.kind !== "agent";
}
