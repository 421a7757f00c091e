/** `karyi rules`: every permission rule in force with where it comes from, and taking back those that were chosen with "always". */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError } from "../front.ts";
import { type MessageKey, say } from "../messages.ts";
import { padded } from "../text-width.ts";
import { loadAll, placesFor } from "./config.ts";

interface Listed {
  readonly rule: string;
  readonly list: "allow" | "ask" | "deny";
  readonly source: "always" | "home" | "project";
  /** What it allows gets no network. */
  readonly offline?: true;
}

const sources: Readonly<Record<Listed["source"], MessageKey>> = { always: "ruleAlways", home: "ruleHome", project: "ruleProject" };

export async function listRules(_: readonly string[], flags: GlobalFlags): Promise<number> {
  const rules = await rulesOf(flags);
  if (flags.json) printJson({ rules });
  else if (rules.length === 0) print(say("noRules"));
  else {
    print(rules.map(({ rule, list, source }) => `${padded(list, 6)} ${padded(rule, 40)} ${say(sources[source])}`).join("\n"));
    if (rules.some(({ source }) => source === "always")) print(say("rulesRemoveWith"));
  }
  return exitCodes.done;
}

export async function removeRules(rules: readonly string[], flags: GlobalFlags): Promise<number> {
  const { forgetRules } = await import("../../compose/index.ts");
  const { home, workspace } = await placesFor(flags);
  const removed = await forgetRules(home, workspace, rules, Date.now);
  const missing = rules.filter((rule) => !removed.includes(rule));
  if (missing.length > 0) throw new UsageError(say("noSuchRule", missing.join(", ")));
  if (flags.json) printJson({ removed });
  else print(removed.map((rule) => say("ruleRemoved", rule)).join("\n"));
  return exitCodes.done;
}

async function rulesOf(flags: GlobalFlags): Promise<readonly Listed[]> {
  const { layers, projectTrusted, rememberedRules, offlineRules } = await loadAll(flags);
  const of = (source: "home" | "project"): Listed[] =>
    (["deny", "ask", "allow"] as const)
      // An untrusted project can only tighten.
      .filter((list) => source === "home" || projectTrusted || list !== "allow")
      .flatMap((list) => (layers[source].permissions?.[list] ?? []).map((rule) => ({ rule, list, source })));
  const always = rememberedRules.map(
    (rule): Listed => ({
      rule,
      list: "allow",
      source: "always",
      ...(offlineRules.includes(rule) ? { offline: true } : {}),
    }),
  );
  return [...of("home"), ...of("project"), ...always];
}
