/** `karyi policy explain` and `karyi policy test`: what would happen to a call, by which rule, because of which effects. */

import type { PolicyCase } from "../../compose/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type CallFlags, type GlobalFlags, openSession, print, printJson, readGiven, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { relativeDecision, relativeText } from "../relative-decision.ts";
import { decisionWords, errorWords, verdictWords } from "../words.ts";
import { parseInputText } from "./call.ts";

/** `explain TOOL JSON`, or `explain -- COMMAND` for a shell command. */
export function explainCall(args: readonly string[], flags: CallFlags): Promise<number> {
  const isCommand = process.argv.includes("--");
  const [tool, text] = isCommand ? ["Bash", JSON.stringify({ command: args.join(" ") })] : args;
  if (tool === undefined) throw new UsageError(say("explainUsage"));
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    try {
      const { tool: name, decision, plan } = await session.explain(tool, parseInputText(text ?? "{}"));
      if (flags.json) {
        printJson({
          tool: name,
          decision: decision.verdict,
          rule: decision.rule,
          reason: decision.reason,
          summary: plan.summary,
          effects: decision.effects,
        });
      } else {
        const { workspace } = engine.places;
        const shown = relativeDecision(decision, workspace);
        // The summary of a command is the command: it stays as it was written.
        const summary = plan.effects.some(({ kind }) => kind === "run") ? plan.summary : relativeText(plan.summary, workspace);
        print(decisionWords(shown, [summary, engine.explainDecision(shown)].join("\n")));
      }
      return exitCodes.done;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      if (flags.json) printJson({ tool, decision: "deny", rule: `error:${error.code}`, reason: error.message, effects: [] });
      else warn([say("decision", verdictWords("deny")), ...errorWords(error.toError())].join("\n"));
      return exitCodes.failed;
    }
  });
}

/** A JSON line a case on stdout, the summary on stderr. */
export async function testPolicy([file]: readonly string[], flags: GlobalFlags): Promise<number> {
  const { placesOf, runPolicyCase } = await import("../../compose/index.ts");
  const places = await placesOf(flags.workspace, flags.home, process.env);
  const home = flags.home === undefined ? places.userHome : places.home;
  const cases = parseCases(await readGiven(file));
  const results = cases.map((one) => runPolicyCase(one, { workspace: places.workspace, home }));
  for (const { id, expect, decision, rule, pass } of results) printJson({ id, expect, decision, rule, pass });
  const supported = results.filter(({ decision }) => decision !== "unsupported");
  const failed = supported.filter(({ pass }) => !pass);
  const prompts = failed.filter(({ expect }) => expect === "allow").length;
  warn(
    say(
      "policyTested",
      supported.length,
      supported.length - failed.length,
      failed.length - prompts,
      prompts,
      results.length - supported.length,
    ),
  );
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** One case a line, or one JSON array. */
function parseCases(text: string): PolicyCase[] {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  const cases = trimmed.startsWith("[") ? parseArray(trimmed) : trimmed.split("\n").filter((line) => line.trim() !== "");
  return cases.map((one, index) => {
    try {
      return asCase(typeof one === "string" ? JSON.parse(one) : one);
    } catch (error) {
      throw new UsageError(say("badCase", index + 1, (error as Error).message));
    }
  });
}

function parseArray(text: string): unknown[] {
  try {
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw new UsageError(say("badCases", (error as Error).message));
  }
}

function asCase(value: unknown): PolicyCase {
  const { kind, input, expect } = (value ?? {}) as Partial<PolicyCase>;
  if (typeof kind !== "string" || typeof input !== "string" || typeof expect !== "string") throw new Error(say("caseForm"));
  return value as PolicyCase;
}
