/** `karyi history` and `karyi undo`. */
import type { RecoveryReport } from "../../compose/index.ts";
import type { ApprovalRecord, CallRecord, Result, SessionHandle } from "../../contract/index.ts";
import { diffs, list, type ToldChange } from "../changes-words.ts";
import { effectWords } from "../effect-words.ts";
import { exitCodeOf, exitCodes } from "../exit-code.ts";
import { type GlobalFlags, openSession, print, printJson, UsageError, withEngine } from "../front.ts";
import { localTime } from "../local-time.ts";
import { say } from "../messages.ts";
import { recoveryWords } from "../recovery-words.ts";
import { meantId, shortId } from "../short-id.ts";
import { printResult } from "../show-result.ts";
import { padded } from "../text-width.ts";
import { visible } from "../visible.ts";
import { fieldsOf, stateWords, summaryWords } from "../words.ts";

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
      ...foundAfterCrash(call.result),
    }));
    if (flags.json) printJson({ calls });
    else if (calls.length === 0) print(say("nothingDone"));
    else
      print(
        calls
          .flatMap(({ callId, time, status, undoable, summary, recovery }) => [
            `${localTime(Date.parse(time))}  ${padded(stateWords(status), 12)}${undoable ? "↶" : " "} ${shortId(callId)}  ${summary}`,
            ...(recovery === undefined ? [] : [...recoveryWords({ ...recovery, callId, summary, tool: "" }, engine.places.workspace)]),
          ])
          .join("\n"),
      );
    return exitCodes.done;
  });
}

/** One call whole. */
export function showCall([typed = ""]: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const session = await openSession(engine, flags);
    const id = await callIdOf(session, typed);
    const call = await engine.call(id);
    if (call === undefined || call.sessionId !== session.id) throw new Error(say("noSuchCall", typed));
    if (flags.json) printJson(call);
    else print(callLines(call, engine.places.workspace, waitedMs(await engine.approvals(), id)).join("\n"));
    return exitCodes.done;
  });
}

/** How long a person was waited for. */
function waitedMs(approvals: readonly ApprovalRecord[], id: string): number {
  return approvals
    .filter(({ callId }) => callId === id)
    .reduce((sum, { createdAt, answeredAt }) => sum + Math.max(0, (answeredAt ?? createdAt) - createdAt), 0);
}

function callLines(call: CallRecord, workspace: string, waited: number): string[] {
  const changes = fieldsOf(call.result?.data).changes;
  // JSON that our own tools made.
  const told = Array.isArray(changes) ? (changes as unknown as readonly ToldChange[]) : [];
  const output = visible(call.result?.output.trimEnd() ?? "");
  // A call that went on in another process did not count the wait.
  const duration = call.result?.durationMs ?? 0;
  return [
    `${call.id}  ${stateWords(call.status ?? call.phase)}`,
    visible(summaryWords(call)),
    say("callWhen", localTime(call.startedAt), durationWords(duration >= waited ? duration - waited : duration)),
    ...(waited === 0 ? [] : [say("callWaited", durationWords(waited))]),
    say("callTool", call.tool),
    say("callInput"),
    visible(JSON.stringify(call.input, shortened, 2)),
    ...(call.effects.length === 0 ? [] : [say("effects"), ...call.effects.map((effect) => `  ${effectWords(effect, workspace)}`)]),
    ...(told.length === 0 ? [] : [say("callFiles"), ...list(told, workspace, process.stdout), ...diffs(told, workspace)]),
    ...(output === "" ? [] : [say("outputIs"), output]),
    ...(call.result?.undoable === true && call.status !== "rolled_back" ? [say("undoIs", shortId(call.id))] : []),
  ];
}

const minuteMs = 60_000;

function durationWords(ms: number): string {
  if (ms < minuteMs) return say("milliseconds", Math.round(ms));
  return say("minutesSeconds", Math.floor(ms / minuteMs), Math.floor((ms % minuteMs) / 1000));
}

const shownCharacters = 400;

/** A file's whole text would push all else off the screen; `--json` has it. */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== "string" || value.length <= shownCharacters) return value;
  return `${value.slice(0, shownCharacters)}… ${say("charactersMore", value.length - shownCharacters)}`;
}

/** How far back a beginning of an id is looked for. */
const lookedThrough = 10_000;

async function callIdOf(session: SessionHandle, typed: string): Promise<string> {
  const calls = await session.history(lookedThrough);
  return meantId(
    typed,
    calls.map(({ id }) => id),
  );
}

type Recovery = Pick<RecoveryReport["calls"][number], "outcome" | "kept" | "failed">;

/** Of a call that a crash had cut off. */
function foundAfterCrash(result: Result | undefined): { readonly recovery?: Recovery } {
  const details = result?.error?.details as ({ readonly outcome?: Recovery["outcome"] } & Partial<Recovery>) | undefined;
  if (details?.outcome === undefined) return {};
  return { recovery: { outcome: details.outcome, kept: details.kept ?? [], failed: details.failed ?? [] } };
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
        ? { callId: await callIdOf(session, callId) }
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
