/**
 * Refuses rules that would do nothing and be believed in: of the config of a workspace, and of the opening of a session.
 * Owns what is an error here and what is only said; `check-config.ts` finds the problems.
 */
import { type Rules, ToolFailure } from "../contract/index.ts";
import { ruleProblems } from "./check-config.ts";
import { builtinNames, checkRules, type LoadedConfig } from "./config-layers.ts";
import type { EngineOptions } from "./engine-options.ts";

export interface RuleRefusal {
  /** Names and aliases of the tools that the engine has now. */
  readonly tools: readonly string[];
  readonly options: Pick<EngineOptions, "unknownTools" | "builtins">;
  log(message: string): void;
}

/** Rules of an untrusted project are only warned about: it must not stop the engine. */
export function refuseConfigRules(config: LoadedConfig, refusal: RuleRefusal): void {
  const { errors, unknownTools, warnings } = checkRules(config, knownNames(refusal));
  for (const warning of warnings) refusal.log(warning);
  refuseFirst(errors, unknownTools, refusal, "Mend the rule in the config; `karyi doctor` lists them.");
}

/** Rules that whoever opens a session adds to those of the config. */
export function refuseSessionRules(rules: Partial<Rules>, refusal: RuleRefusal): void {
  const problems = ruleProblems(rules, knownNames(refusal));
  const messages = (certain: boolean) => problems.filter((problem) => problem.certain === certain).map(({ message }) => message);
  refuseFirst(messages(true), messages(false), refusal, "Mend the rule in the options of openSession.");
}

function knownNames({ tools, options }: RuleRefusal): readonly string[] {
  return options.builtins === false ? [...tools, ...builtinNames()] : tools;
}

function refuseFirst(errors: readonly string[], unknownTools: readonly string[], { options, log }: RuleRefusal, hint: string): void {
  const warns = options.unknownTools === "warn";
  if (warns) for (const message of unknownTools) log(message);
  const [problem] = [...errors, ...(warns ? [] : unknownTools)];
  if (problem !== undefined) throw new ToolFailure("invalid_tool_input", problem, { hint, details: { reason: "bad_rule" } });
}
