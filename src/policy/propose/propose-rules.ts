/**
 * Owns what "always" would store: the narrowest rules that answer every question of a decision, with examples of
 * what else they would let through and what they would not. Rules and examples are tried on the real decision
 * before they are shown.
 * Refuses where no narrow rule exists (unknown effects, whole trees to write, data sent out): then nothing is proposed.
 */
import type { Decision, Effect, PathFacts, PolicyQuestion, PolicyWorld, RuleProposal } from "../../contract/index.ts";
import { decide } from "../decide.ts";
import { parseUrl } from "../net/judge-url.ts";
import { groundOf } from "../paths/ground.ts";
import { literalGlob } from "../rules/path-pattern.ts";
import { remoteName } from "../rules/rule-book.ts";
import { commandRule } from "./command-rule.ts";
import { commandExamples, domainExamples, type Example, pathExamples, toolExamples } from "./examples.ts";

interface Offer {
  readonly rule: string;
  readonly examples: readonly Example[];
}

const nothing: RuleProposal = { rules: [], alsoAllows: [], stillAsks: [] };
const shown = 3;

export function proposeRules(question: PolicyQuestion, decision: Decision, world: PolicyWorld): RuleProposal {
  if (!isOpen(decision.verdict)) return nothing;
  const effects = decision.effects.map(({ effect }) => effect);
  const asked = decision.effects.filter(({ verdict }) => isOpen(verdict)).map(({ effect }) => effect);
  const offers = effects.length === 0 ? [toolOffer(question)] : asked.map((effect) => offerFor(effect, question, world));
  if (offers.includes(undefined)) return nothing;
  const found = offers.filter((offer) => offer !== undefined);
  const rules = [...new Set(found.map(({ rule }) => rule))].filter((rule) => rule !== "");
  if (rules.length === 0) return nothing;
  const { deny, ask, allow } = question.rules;
  const widened: PolicyQuestion = { ...question, rules: { deny, ask, allow: [...allow, ...rules] } };
  if (decide({ ...widened, effects }, world).verdict !== "allow") return nothing;
  const sort = (examples: readonly Example[]) => {
    const tried = examples.map((example) => ({ text: example.text, verdict: tryOut(example, widened, world) }));
    const pick = (allowed: boolean): string[] =>
      [...new Set(tried.filter(({ verdict }) => (verdict === "allow") === allowed).map(({ text }) => text))].slice(0, shown);
    return { alsoAllows: pick(true), stillAsks: pick(false) };
  };
  const examplesOf = (rule: string) => found.filter((offer) => offer.rule === rule).flatMap(({ examples }) => examples);
  return {
    rules,
    ...sort(found.flatMap(({ examples }) => examples)),
    examples: rules.map((rule) => ({ rule, ...sort(examplesOf(rule)) })),
  };
}

/** A person is asked about it, at once or when it has been rehearsed. */
function isOpen(verdict: Decision["verdict"]): boolean {
  return verdict === "ask" || verdict === "rehearse";
}

function tryOut(example: Example, widened: PolicyQuestion, world: PolicyWorld): Decision["verdict"] {
  return decide({ ...widened, tool: example.tool ?? widened.tool, effects: example.effects }, world).verdict;
}

/** `undefined` where no narrow rule would do; an empty rule where another effect's rule answers this one too. */
function offerFor(effect: Effect, question: PolicyQuestion, world: PolicyWorld): Offer | undefined {
  switch (effect.kind) {
    case "run": {
      const found = commandRule(effect.program, effect.text);
      return found && { rule: found.rule, examples: commandExamples(found, effect.program) };
    }
    case "code":
      return { rule: "", examples: [] };
    case "write":
      return effect.tree ? undefined : pathOffer("Edit", effect.path, world);
    case "read":
      return pathOffer("Read", effect.path, world, effect.tree);
    case "connect":
      return connectOffer(effect.url);
    case "remote":
      return { rule: remoteRule(effect, question), examples: toolExamples(question.tool, effect.server) };
    default:
      return undefined;
  }
}

function pathOffer(tool: "Read" | "Edit", facts: PathFacts, world: PolicyWorld, tree = false): Offer {
  const glob = literalGlob(facts.real, groundOf(world));
  return { rule: `${tool}(${glob}${tree ? "/**" : ""})`, examples: pathExamples(tool === "Read" ? "read" : "write", facts.real, world) };
}

function connectOffer(url: string): Offer | undefined {
  const parsed = parseUrl(url);
  if (!(parsed instanceof URL)) return undefined;
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  return { rule: `WebFetch(domain:${parsed.hostname}${port})`, examples: domainExamples(parsed) };
}

function toolOffer(question: PolicyQuestion): Offer {
  return { rule: question.tool, examples: toolExamples(question.tool) };
}

function remoteRule(effect: Extract<Effect, { kind: "remote" }>, question: PolicyQuestion): string {
  const name = remoteName(effect.server, effect.tool);
  return question.tool === name ? name : question.tool;
}
