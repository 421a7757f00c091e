/** `karyi gc`: keeping the home small. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, withEngine } from "../front.ts";
import { say } from "../messages.ts";

export function collectGarbage(
  _: readonly string[],
  flags: GlobalFlags & { readonly days?: string; readonly dryRun?: boolean },
): Promise<number> {
  const days = flags.days === undefined ? undefined : Number(flags.days);
  if (days !== undefined && !(days >= 0)) throw new UsageError(say("notDays", flags.days ?? ""));
  return withEngine(flags, async (engine) => {
    const report = await engine.collectGarbage({ dryRun: flags.dryRun ?? false, ...(days === undefined ? {} : { olderThanDays: days }) });
    if (flags.json) printJson(report);
    else
      print(say(flags.dryRun ? "gcWould" : "gcDone", report.sessions, report.calls, report.outputs, report.changeSets, report.bytesFreed));
    return exitCodes.done;
  });
}
