/** What a call may do: effects, rules and a mode become allow, ask or deny, and why. Pure: no disk, no process, no clock. */

export { decide } from "./decide.ts";
export { describeEffect, explain } from "./explain.ts";
export { isPublicAddress } from "./net/address.ts";
export { isListedPrivate } from "./net/host.ts";
export { judgeUrl, type UrlContext, type UrlVerdict } from "./net/judge-url.ts";
export { protectedReason, sensitiveReason } from "./paths/protected.ts";
export { factsFromText, type TextWorld } from "./paths/text-facts.ts";
export { proposeRules } from "./propose/propose-rules.ts";
export { type ParsedRule, parseRule, type RuleReading, type RuleSubject } from "./rules/parse-rule.ts";
export { isCovered } from "./rules/rule-book.ts";
export { type RuleForm, ruleForms, ruleNotes } from "./rules/rule-forms.ts";
export { decideWithin, type PolicyScope, strictest } from "./scopes.ts";
export { policyVersion } from "./version.ts";
