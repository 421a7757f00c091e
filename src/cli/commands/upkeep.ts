/** `karyi gc` and `karyi audit`: keeping the home small, and proving what was done. */
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";

const auditPage = 1000;

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

export function verifyAudit(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const { rows, brokenAt } = await engine.verifyAudit();
    if (flags.json) printJson({ rows, ok: brokenAt === undefined, ...(brokenAt === undefined ? {} : { brokenAt }) });
    else if (brokenAt === undefined) print(say("auditOk", rows));
    else warn(say("auditBroken", brokenAt, rows));
    return brokenAt === undefined ? exitCodes.done : exitCodes.failed;
  });
}

export function exportAudit(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    for (let after = 0; ; ) {
      const rows = await engine.readAudit(after, auditPage);
      for (const row of rows) printJson(row);
      const last = rows.at(-1);
      if (!last || rows.length < auditPage) return exitCodes.done;
      after = last.seq;
    }
  });
}
