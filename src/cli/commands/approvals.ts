/** `karyi approvals`: what waits for a person, and the person's answer. */
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warnOfBackground, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { printResult } from "../show-result.ts";
import { reasonWords, stateWords, summaryWords } from "../words.ts";

export function listApprovals(_: readonly string[], flags: GlobalFlags & { readonly all?: boolean }): Promise<number> {
  return withEngine(flags, async (engine) => {
    const approvals = await engine.approvals(flags.all ? undefined : "pending");
    if (flags.json) printJson({ approvals });
    else if (approvals.length === 0) print(say("noApprovals"));
    else
      print(
        approvals
          .map(
            ({ id, status, card }) =>
              `${id}  ${stateWords(status)}  ${card.tool}: ${summaryWords(card)} (${reasonWords(card.rule, card.reason)})`,
          )
          .join("\n"),
      );
    return exitCodes.done;
  });
}

/** Records the answer; where no other process waits for it, the call goes on here. */
export function answerApproval(
  [id = "", answer = ""]: readonly string[],
  flags: GlobalFlags & { readonly words?: string },
): Promise<number> {
  if (answer !== "once" && answer !== "always" && answer !== "deny") throw new UsageError(say("unknownAnswer", answer));
  return withEngine(flags, async (engine) => {
    const record = await engine.answer(id, { answer, ...(flags.words === undefined ? {} : { words: flags.words }) }, "command");
    if (!record) throw new Error(say("noSuchApproval", id));
    const result = await engine.finishAnswered(record);
    if (flags.json) printJson(result);
    else printResult(result, { workspace: engine.places.workspace });
    warnOfBackground([result]);
    return answer === "deny" ? exitCodes.done : exitCodeOf([result]);
  });
}
