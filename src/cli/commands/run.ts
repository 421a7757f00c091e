/** `karyi run [PROMPT|-]`: an agent on a session's conversation, its text, its events, its exit code. */
import { eventToWire, type RunOutcome, type RunRequest, type SessionHandle } from "../../contract/index.ts";
import { exitCodes, interruptedCode } from "../exit-code.ts";
import { sessionForRun } from "../find-session.ts";
import { type CallFlags, onTerminal, print, printJson, readStdin, UsageError, warn, withEngine } from "../front.ts";
import { takeScreen } from "../live-output.ts";
import { say } from "../messages.ts";
import { RunView } from "../run-view.ts";
import { oneLine } from "../visible.ts";

export interface RunFlags extends CallFlags {
  readonly model?: string;
  readonly agent?: string;
  readonly maxRounds?: string;
  readonly maxCost?: string;
  readonly resume?: boolean;
  readonly continue?: boolean;
  readonly events?: boolean;
  readonly record?: string;
}

export async function run([given]: readonly string[], flags: RunFlags): Promise<number> {
  const request = await requestOf(given, flags);
  return withEngine(
    flags,
    async (engine, person) => {
      const session = await engine.openSession(await sessionForRun(engine, flags));
      person.hold(session);
      const stop = new AbortController();
      let interrupted: NodeJS.Signals | undefined;
      const onInterrupt = (signal: NodeJS.Signals) => {
        // A second one does not wait for anything to end in order; the run can be resumed.
        if (interrupted !== undefined) process.exit(interruptedCode(signal));
        interrupted = signal;
        stop.abort();
      };
      process.on("SIGINT", onInterrupt);
      process.on("SIGTERM", onInterrupt);
      const asksHere = onTerminal() || (flags.approve !== undefined && flags.approve !== "ask");
      const view = new RunView({ text: !flags.json && !flags.events, asksHere });
      const leaveScreen = takeScreen(view);
      try {
        const events = session.run({ ...request, signal: stop.signal });
        for (;;) {
          const { done, value } = await events.next();
          if (done) {
            view.end(value);
            await tellOfBackground(session);
            if (flags.json && !flags.events) printJson(value);
            return exitCodeOf(value, interrupted);
          }
          if (flags.events) print(JSON.stringify(eventToWire(value)));
          view.show(value);
        }
      } finally {
        view.close();
        leaveScreen();
        process.off("SIGINT", onInterrupt);
        process.off("SIGTERM", onInterrupt);
      }
    },
    { waitForValues: flags.approve === "ask" },
  );
}

/** The command's engine ends with it, and commands in the background with the engine. */
async function tellOfBackground({ tasks }: SessionHandle): Promise<void> {
  const open = (await tasks.list()).filter(({ kind, status }) => kind === "command" && status === "in_progress");
  if (open.length > 0) warn(say("runBackgroundEnds", open.map(({ id, title }) => `${id} (${oneLine(title, 60)})`).join(", ")));
}

async function requestOf(given: string | undefined, flags: RunFlags): Promise<RunRequest> {
  const { model, agent, record } = flags;
  if (flags.resume && given !== undefined) throw new UsageError(say("resumeTakesNoPrompt"));
  const prompt = given === "-" ? await readStdin() : given;
  if (!flags.resume && (prompt === undefined || prompt.trim() === "")) throw new UsageError(say("runNeedsPrompt"));
  const maxRounds = flags.maxRounds === undefined ? undefined : numberOf(flags.maxRounds, "--max-rounds", true);
  const maxCostUsd = flags.maxCost === undefined ? undefined : numberOf(flags.maxCost, "--max-cost", false);
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(record === undefined ? {} : { record }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
    ...(flags.resume ? { resume: true } : {}),
  };
}

function numberOf(text: string, flag: string, whole: boolean): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && (whole ? Number.isInteger(number) && number >= 1 : number >= 0)) return number;
  throw new UsageError(say("notANumber", flag, text));
}

/** How the run ended, not how its calls did. */
function exitCodeOf({ status }: RunOutcome, interrupted: NodeJS.Signals | undefined): number {
  if (status === "done") return exitCodes.done;
  return status === "cancelled" && interrupted !== undefined ? interruptedCode(interrupted) : exitCodes.failed;
}
