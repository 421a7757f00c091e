/** `karyi policy explain`: what would happen to a call, by which rule, because of which effects. */
import { ToolFailure } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type CallFlags, openSession, print, printJson, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { parseInputText } from "./call.ts";

export function explainCall([tool, text]: readonly string[], flags: CallFlags): Promise<number> {
  if (tool === undefined) throw new UsageError("karyi policy explain TOOL JSON");
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
        print([plan.summary, engine.explainDecision(decision)].join("\n"));
      }
      return exitCodes.done;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      if (flags.json) printJson({ tool, decision: "deny", rule: `error:${error.code}`, reason: error.message, effects: [] });
      else warn(`${say("decision", "deny")}\n${error.message}`);
      return exitCodes.failed;
    }
  });
}
