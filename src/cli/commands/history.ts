/** `karyi history` and `karyi undo`. */
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { type GlobalFlags, openSession, print, printJson, UsageError, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { printResult } from "../show-result.ts";
import { padded } from "../text-width.ts";
import { stateWords, summaryWords } from "../words.ts";

export function history(_: readonly string[], flags: GlobalFlags & { readonly limit?: string }): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const calls = (await session.history(positive(flags.limit ?? "50"))).map((call) => ({
      callId: call.id,
      tool: call.tool,
      status: call.status ?? call.phase,
      time: new Date(call.startedAt).toISOString(),
      summary: flags.json ? call.summary : summaryWords(call),
      undoable: call.result?.undoable === true && call.status !== "rolled_back",
    }));
    if (flags.json) printJson({ calls });
    else if (calls.length === 0) print(say("nothingDone"));
    else
      print(
        calls
          .map(
            ({ callId, time, status, undoable, summary }) =>
              `${time}  ${padded(stateWords(status), 12)}${undoable ? "↶" : " "} ${callId}  ${summary}`,
          )
          .join("\n"),
      );
    return exitCodes.done;
  });
}

interface UndoFlags extends GlobalFlags {
  readonly last?: string;
  readonly message?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
}

export function undo([callId]: readonly string[], flags: UndoFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const target =
      callId !== undefined
        ? { callId }
        : flags.message !== undefined
          ? { messageId: flags.message }
          : { last: positive(flags.last ?? "1") };
    const result = await session.undo(target, { force: flags.force ?? false, dryRun: flags.dryRun ?? false });
    if (flags.json) printJson(result);
    else printResult(result, { workspace: engine.places.workspace });
    return exitCodeOf([result]);
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new UsageError(say("notACount", text));
  return value;
}
