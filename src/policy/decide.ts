/**
 * Owns the decision about a call (C9): every effect is judged by the built-in rules, the mode and the person's
 * rules, and the strictest verdict is the call's. Precedence: deny, ask, allow, then the table of modes.
 * Refuses to be talked up: an allow rule lifts a question, never a denial, and only for the effects it covers.
 */
import {
  type Because,
  because,
  type Decision,
  type Effect,
  type EffectVerdict,
  type Mode,
  type PolicyQuestion,
  type PolicyWorld,
  secretReason,
} from "../contract/index.ts";
import { allow, ask, deny, type Finding, isStricter, saying } from "./finding.ts";
import { type EffectContext, judgeEffect, judgeSilence } from "./judge-effect.ts";
import { row } from "./mode-table.ts";
import { groundOf } from "./paths/ground.ts";
import { sensitiveReason } from "./paths/protected.ts";
import type { PathPattern } from "./rules/path-pattern.ts";
import { type Hit, type RuleBook, ruleBookOf } from "./rules/rule-book.ts";

/** What one effect came to; a rule of the person's speaks in its own words. */
interface Word extends Omit<Finding, "rule"> {
  readonly rule: string;
  readonly overruled?: string;
}

export function decide(question: PolicyQuestion, world: PolicyWorld): Decision {
  const { mode, traits } = question;
  let command = false;
  let sends = false;
  for (const { kind } of question.effects) {
    if (kind === "run") command = true;
    else if (kind === "connect") sends = true;
  }
  const context: EffectContext = {
    world,
    ground: groundOf(world),
    cells: row(mode, world, question.rehearsable === true),
    mode,
    traits,
    command,
  };
  const book = ruleBookOf(question.rules, world);
  const usual = row("default", world, false);
  let decisive: Word | undefined;
  const effects = question.effects.map((effect): EffectVerdict => {
    let finding = judgeEffect(effect, context);
    if (mode === "plan" && finding.verdict === "deny") finding = withModeNamed(finding, effect, context, usual);
    if (sends && effect.kind === "read" && finding.rule === "builtin:secret")
      finding = deny("builtin:secret", because("secret_sent", { why: finding.because }));
    if (command && mode === "auto") finding = withheld(effect, finding, world);
    const settled = settle(withRules(effect, finding, question, book), mode);
    if (decisive === undefined || isStricter(settled.verdict, decisive.verdict)) decisive = settled;
    return verdictOf(effect, settled);
  });
  for (const word of wholeCall(question, context, book)) {
    const settled = settle(word, mode);
    if (decisive === undefined || isStricter(settled.verdict, decisive.verdict)) decisive = settled;
  }
  const { verdict, rule, reason, because: why, code, byMode } = decisive ?? deny("builtin:unknown", because("nothing_judged"));
  if (code === undefined || verdict !== "deny") return { verdict, rule, reason, because: why, effects };
  return { verdict, rule, reason, because: why, code, ...(byMode && { byMode }), effects };
}

/** In `auto` what a command would be asked about does not exist where it runs, so there is nothing to ask; git's objects do exist. */
function withheld(effect: Effect, finding: Finding, { withholds }: PolicyWorld): Finding {
  if (withholds === undefined || finding.verdict === "allow" || finding.verdict === "rehearse") return finding;
  const isClosed =
    (effect.kind === "read" && effect.recorded !== true && (finding.rule === "builtin:outside" || finding.rule === "builtin:secret")) ||
    (effect.kind === "write" && finding.rule === "builtin:secret" && finding.verdict === "ask") ||
    (effect.kind === "connect" && withholds === "network");
  return isClosed ? allow("builtin:withheld", because("withheld", { why: finding.because })) : finding;
}

/** A denial that only the mode makes says so: whoever reads it would look for a rule otherwise. */
function withModeNamed(finding: Finding, effect: Effect, context: EffectContext, usual: EffectContext["cells"]): Finding {
  if (judgeEffect(effect, { ...context, mode: "default", cells: usual }).verdict === "deny") return finding;
  return byPlanMode(finding);
}

function byPlanMode(finding: Finding): Finding {
  return { ...saying(finding, because("plan_mode", { why: finding.because })), byMode: true };
}

/** What the person's rules make of a finding. */
function withRules(effect: Effect | undefined, finding: Finding, question: PolicyQuestion, book: RuleBook): Word {
  if (book.isEmpty) return finding;
  if (finding.verdict === "deny" && finding.opens !== true) return withOverruled(finding, effect, question, book);
  const forbidden = book.forbids(effect, question);
  if (forbidden && forbidden.tree !== "perhaps") return { ...deny("builtin:rule", told("forbids", forbidden)), rule: forbidden.rule };
  const questioned = forbidden ?? book.questions(effect, question);
  if (questioned) return { ...ask("builtin:rule", told(forbidden ? "forbids" : "asks", questioned), "never"), rule: questioned.rule };
  if (finding.verdict === "allow") return finding;
  if (finding.opens) {
    // `Read(/etc/nginx/**)` names the place, `Read(/**)` does not.
    const opened = book.permits(effect, question, (pattern) => pattern.base.length > 0);
    return opened
      ? { ...allow("builtin:rule", because("opened_by_rule")), rule: opened.rule }
      : withOverruled(finding, effect, question, book);
  }
  if (finding.lift === "never") return withOverruled(finding, effect, question, book);
  const permitted = book.permits(effect, question, finding.lift === "named" ? (pattern) => spellsOut(pattern, finding) : undefined);
  if (permitted) return { ...allow("builtin:rule", because("rule_allows", { why: finding.because })), rule: permitted.rule };
  return finding.lift === "named" ? withOverruled(finding, effect, question, book) : finding;
}

/** Names the allow rule that somebody wrote for this and that does not reach so far. */
function withOverruled(finding: Finding, effect: Effect | undefined, question: PolicyQuestion, book: RuleBook): Word {
  const overruled = book.permits(effect, question)?.rule;
  return overruled === undefined ? finding : { ...finding, overruled };
}

function told(verb: "forbids" | "asks", hit: Hit): Because {
  return hit.tree === undefined ? because(`rule_${verb}`) : because(`rule_${verb}_below`);
}

/** `Read(.env)` and `Read(certs/*.pem)` speak of secrets, `Read(**)` does not. */
function spellsOut(pattern: PathPattern, finding: Finding): boolean {
  if (pattern.literal) return true;
  if (finding.rule === "builtin:secret") return secretReason(pattern.sample) !== undefined;
  return finding.rule === "builtin:sensitive" && sensitiveReason(pattern.sample) !== undefined;
}

/** Nobody is asked in `auto`: what is left as a question is a denial. */
function settle(word: Word, mode: Mode): Word {
  if (word.verdict !== "ask" || mode !== "auto") return word;
  return { ...saying(word, because("unasked_in_auto", { why: word.because })), verdict: "deny", code: "permission_denied" };
}

function verdictOf(effect: Effect, { verdict, rule, reason, because: why, code, byMode, overruled }: Word): EffectVerdict {
  if (code === undefined && overruled === undefined) return { effect, verdict, rule, reason, because: why };
  return {
    effect,
    verdict,
    rule,
    reason,
    because: why,
    ...(code === undefined ? {} : { code }),
    ...(byMode && { byMode }),
    ...(overruled === undefined ? {} : { overruled }),
  };
}

const nothing: readonly Word[] = [];

/** What is said about the call as a whole: that it named no effect, and questions no rule lifts. */
function wholeCall(question: PolicyQuestion, context: EffectContext, book: RuleBook): readonly Word[] {
  const confirm = question.traits.permission === "confirm";
  const silent = question.effects.length === 0;
  const unreadable = book.unreadable[0];
  if (!confirm && !silent && !question.doubtful && unreadable === undefined) return nothing;
  const words: Word[] = [];
  if (silent) {
    const found = judgeSilence(context);
    const isByMode = question.mode === "plan" && found.verdict === "deny";
    words.push(withRules(undefined, isByMode ? byPlanMode(found) : found, question, book));
  }
  if (confirm) words.push(ask("builtin:confirm", because("confirmed"), "never"));
  if (question.doubtful && question.effects.some(isActing)) {
    words.push(ask("builtin:doubtful", because("doubtful"), "never"));
  }
  if (unreadable !== undefined)
    words.push(ask("builtin:unreadable-rule", because("unreadable_rule", { rule: JSON.stringify(unreadable) }), "never"));
  return words;
}

function isActing(effect: Effect): boolean {
  return effect.kind !== "read" && effect.kind !== "state" && effect.kind !== "agent";
}
