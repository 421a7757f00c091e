/** `karyi audit`: proves what was done, prints it whole or its end, by filters, and goes on with what comes. */
import type { AuditRow, KaryiEngine } from "../../contract/index.ts";
import { exitCodes } from "../exit-code.ts";
import { type GlobalFlags, print, printJson, UsageError, warn, withEngine } from "../front.ts";
import { say } from "../messages.ts";
import { oneLine } from "../visible.ts";

export interface AuditFlags extends GlobalFlags {
  readonly kind?: string;
  readonly tool?: string;
  readonly call?: string;
  readonly since?: string;
  readonly lines?: string;
  readonly follow?: boolean;
}

type Fits = (row: AuditRow) => boolean;

const pageRows = 1000;

export function verifyAudit(_: readonly string[], flags: GlobalFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const { rows, brokenAt } = await engine.verifyAudit();
    if (flags.json) printJson({ rows, ok: brokenAt === undefined, ...(brokenAt === undefined ? {} : { brokenAt }) });
    else if (brokenAt === undefined) print(say("auditOk", rows));
    else warn(say("auditBroken", brokenAt, rows));
    return brokenAt === undefined ? exitCodes.done : exitCodes.failed;
  });
}

export function exportAudit(_: readonly string[], flags: AuditFlags): Promise<number> {
  return withEngine(flags, async (engine) => {
    const fits = await filterOf(engine, flags);
    for await (const row of rowsAfter(engine, 0)) if (fits(row)) printJson(row);
    return exitCodes.done;
  });
}

/** The last rows; with `--follow` also those that come, until it is interrupted. */
export function tailAudit(_: readonly string[], flags: AuditFlags): Promise<number> {
  const lines = Number(flags.lines ?? "20");
  if (!Number.isInteger(lines) || lines < 0) throw new UsageError(say("notACount", flags.lines ?? ""));
  return withEngine(flags, async (engine) => {
    const fits = await filterOf(engine, flags);
    const last: AuditRow[] = [];
    let seen = 0;
    for await (const row of rowsAfter(engine, 0)) {
      seen = row.seq;
      if (!fits(row)) continue;
      last.push(row);
      if (last.length > lines) last.shift();
    }
    for (const row of last) show(row, flags);
    if (flags.follow !== true) return exitCodes.done;
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
    while (!stop.signal.aborted) {
      const changed = engine.changed(stop.signal);
      for await (const row of rowsAfter(engine, seen)) {
        seen = row.seq;
        if (fits(row)) show(row, flags);
      }
      await changed;
    }
    return exitCodes.done;
  });
}

async function* rowsAfter(engine: KaryiEngine, after: number): AsyncGenerator<AuditRow> {
  for (let from = after; ; ) {
    const rows = await engine.readAudit(from, pageRows);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    from = last.seq;
  }
}

async function filterOf(engine: KaryiEngine, { kind, tool, call, since, session }: AuditFlags): Promise<Fits> {
  const from = since === undefined ? undefined : Date.parse(since);
  if (from !== undefined && Number.isNaN(from)) throw new UsageError(say("notATime", since ?? ""));
  const named =
    session === undefined ? undefined : (await engine.listSessions()).filter(({ id, key }) => id === session || key.externalId === session);
  const ids = named && new Set(named.map(({ id }) => id));
  return ({ kind: own, time, sessionId, body }) => {
    const fields = bodyOf(body);
    return (
      (kind === undefined || own === kind) &&
      (tool === undefined || fields.tool === tool) &&
      (call === undefined || fields.call_id === call) &&
      (from === undefined || time >= from) &&
      (ids === undefined || ids.has(sessionId))
    );
  };
}

function show(row: AuditRow, flags: GlobalFlags): void {
  if (flags.json) return printJson(row);
  const { tool, summary, result_status: status, answer, answered_by: answeredBy, by, rule } = bodyOf(row.body);
  const words = [tool, summary, status ?? answer, answeredBy ?? by, rule]
    .filter((word) => word !== undefined)
    .map((word) => oneLine(String(word)));
  print(`${row.seq}  ${new Date(row.time).toISOString()}  ${row.kind}  ${words.join("  ")}`);
}

function bodyOf(body: AuditRow["body"]): Readonly<Record<string, unknown>> {
  return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
}
