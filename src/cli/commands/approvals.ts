/** `karyi approvals`: what waits for a person, and the person's answer. */
import type { ApprovalRecord } from "../../contract/index.ts";
import { alwaysLines, effectLines } from "../card-lines.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warnOfBackground, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { rehearsalLines, rehearsalSum } from "../rehearsal-card.ts";
import { meantId, shortId } from "../short-id.ts";
import { printResult } from "../show-result.ts";
import { colourDiff } from "../terminal-style.ts";
import { visible } from "../visible.ts";
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
              `${shortId(id)}  ${stateWords(status)}  ${card.tool}: ${summaryWords(card)} (${card.rehearsal === undefined ? reasonWords(card) : rehearsalSum(card.rehearsal)})`,
          )
          .join("\n"),
      );
    return exitCodes.done;
  });
}

/** One approval whole: of a rehearsed command also what it printed and every diff. */
export function showApproval([id = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const approvals = await engine.approvals();
    const meant = meantId(
      id,
      approvals.map((each) => each.id),
    );
    const approval = approvals.find((each) => each.id === meant);
    if (!approval) throw new Error(say("noSuchApproval", id));
    if (flags.json) printJson(approval);
    else print(cardLines(approval, engine.places.workspace).join("\n"));
    return exitCodes.done;
  });
}

/** What made a question void. */
const voidTexts = {
  plan_changed: "voidPlan",
  policy_changed: "voidPolicy",
  call_ended: "voidEnded",
  asked_again: "voidAgain",
  not_needed: "voidNotNeeded",
} as const;

function cardLines({ id, status, card, voidCause }: ApprovalRecord, workspace: string): string[] {
  const command = card.preview?.type === "command" ? card.preview.command : undefined;
  const preview =
    card.preview !== undefined && card.preview.type !== "command" ? [colourDiff(visible(card.preview.text), process.stdout)] : [];
  return [
    `${id}  ${stateWords(status)}${voidCause === undefined ? "" : ` · ${say(voidTexts[voidCause])}`}`,
    visible(summaryWords(card)),
    ...(command === undefined || card.summary.includes(command) ? [] : [say("askCommand"), visible(command)]),
    say("askWhy", visible(reasonWords(card))),
    ...effectLines(card, workspace),
    ...preview,
    ...rehearsalLines(card, workspace, { isTTY: process.stdout.isTTY }),
    ...(status === "pending" ? [...alwaysLines(card), say("answerWith", shortId(id))] : []),
  ];
}

/** Records the answer; where no other process waits for it, the call goes on here. */
export function answerApproval(
  [id = "", answer = ""]: readonly string[],
  flags: GlobalFlags & { readonly words?: string },
): Promise<number> {
  if (answer !== "once" && answer !== "always" && answer !== "deny") throw new UsageError(say("unknownAnswer", answer));
  return withEngine(flags, async (engine) => {
    const meant = meantId(
      id,
      (await engine.approvals("pending")).map((each) => each.id),
    );
    const record = await engine.answer(meant, { answer, ...(flags.words === undefined ? {} : { words: flags.words }) }, "command");
    if (!record) {
      // A value that a run waits for is refused in the same way.
      if (answer === "deny" && (await engine.refuseValue(id, flags.words))) {
        if (flags.json) printJson({ id, answer });
        return exitCodes.done;
      }
      throw new Error(say("noSuchApproval", id));
    }
    const result = await engine.finishAnswered(record);
    if (flags.json) printJson(result);
    else printResult(result, { workspace: engine.places.workspace });
    warnOfBackground([result]);
    return answer === "deny" ? exitCodes.done : exitCodeOf([result]);
  });
}
