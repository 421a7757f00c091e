/** `/audit` and `/doctor`: what was decided, by whom and why, and what holds on this machine. */
import { z } from "@hono/zod-openapi";
import type { AuditRow, SessionRecord } from "../../contract/index.ts";
import { decodeCursor, encodeCursor } from "../page.ts";
import { invalid } from "../problem.ts";
import { wireSessionId } from "../wire/convert.ts";
import type { Routes } from "./context.ts";

const entrySchema = z
  .object({
    seq: z.number().int(),
    time: z.number(),
    session_id: z.string(),
    kind: z.string(),
    body: z.unknown(),
    previous_hash: z.string(),
    hash: z.string(),
  })
  .openapi("AuditEntry");

const auditQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(100).optional(),
  /** `desc`: the newest first. */
  order: z.enum(["asc", "desc"]).default("asc"),
  session_id: z.string().min(1).max(200).optional(),
  kind: z.string().min(1).max(100).optional(),
  tool: z.string().min(1).max(200).optional(),
  call_id: z.string().min(1).max(200).optional(),
  answer: z.enum(["once", "always", "deny"]).optional(),
  since: z.coerce.number().optional(),
  until: z.coerce.number().optional(),
});

const checkSchema = z
  .object({ name: z.string(), state: z.enum(["ok", "warning", "failed"]), detail: z.string(), advice: z.string().optional() })
  .loose()
  .openapi("Check");

const pageSize = 500;

export function addAuditRoutes(routes: Routes): void {
  const { router, sessions, engine, desk } = routes;

  router.add(
    {
      method: "get",
      path: "/audit",
      operationId: "listAudit",
      summary: "The audit chain of the caller's sessions and of the server, with filters.",
      scope: "admin",
      query: auditQuery,
      answers: {
        200: {
          description: "A page of entries.",
          schema: z
            .object({ entries: z.array(entrySchema), next_cursor: z.string().nullable(), total: z.number().int() })
            .openapi("AuditPage"),
        },
      },
    },
    async ({ caller, query }) => {
      const mine = new Map((await sessions.list(caller)).map((record) => [record.id, record]));
      const only = query.session_id === undefined ? undefined : (await sessions.get(caller, query.session_id)).id;
      const total = await desk.auditRows();
      const others = new Set((await engine.listSessions()).flatMap(({ id, key }) => (key.owner === caller.user ? [] : [id])));
      // Whose a session was that is gone, nobody knows: its rows are for the one who runs the server.
      const isShown = ({ sessionId: id }: AuditRow): boolean => id === "" || mine.has(id) || (!others.has(id) && caller.user === "local");
      const fits = (row: AuditRow): boolean => isShown(row) && (only === undefined || row.sessionId === only) && matches(row, query);
      const { entries, next } = query.order === "asc" ? await forwards(fits) : await backwards(fits);
      return { status: 200, body: { entries: entries.map((row) => wireEntry(row, mine)), next_cursor: next, total } };

      async function forwards(wanted: (row: AuditRow) => boolean) {
        const found: AuditRow[] = [];
        for (let after = positionOf(query.cursor) ?? 0; ; ) {
          const page = await engine.readAudit(after, pageSize);
          for (const row of page) {
            after = row.seq;
            if (!wanted(row)) continue;
            found.push(row);
            if (found.length === query.limit) return { entries: found, next: row.seq < total ? encodeCursor(String(row.seq)) : null };
          }
          if (page.length < pageSize) return { entries: found, next: null };
        }
      }

      async function backwards(wanted: (row: AuditRow) => boolean) {
        const found: AuditRow[] = [];
        for (let before = positionOf(query.cursor) ?? total + 1; before > 1; ) {
          const from = Math.max(0, before - 1 - pageSize);
          const page = (await engine.readAudit(from, before - 1 - from)).toReversed();
          for (const row of page) {
            if (!wanted(row)) continue;
            found.push(row);
            if (found.length === query.limit) return { entries: found, next: row.seq > 1 ? encodeCursor(String(row.seq)) : null };
          }
          before = from + 1;
        }
        return { entries: found, next: null };
      }
    },
  );

  router.add(
    {
      method: "get",
      path: "/audit/verify",
      operationId: "verifyAudit",
      summary: "Whether the chain is unbroken.",
      scope: "admin",
      answers: {
        200: {
          description: "How many rows there are, and the first that does not hold.",
          schema: z.object({ rows: z.number().int(), broken_at: z.number().int().nullable() }).openapi("AuditState"),
        },
      },
    },
    async () => {
      const { rows, brokenAt } = await engine.verifyAudit();
      return { status: 200, body: { rows, broken_at: brokenAt ?? null } };
    },
  );

  router.add(
    {
      method: "get",
      path: "/doctor",
      operationId: "getDoctor",
      summary: "What holds on this machine.",
      scope: "read",
      answers: { 200: { description: "The report.", schema: z.object({ checks: z.array(checkSchema) }).openapi("Doctor") } },
    },
    async () => ({ status: 200, body: { checks: await desk.doctor() } }),
  );
}

function matches({ kind, time, body }: AuditRow, query: z.infer<typeof auditQuery>): boolean {
  const fields = (typeof body === "object" && body !== null ? body : {}) as { tool?: unknown; call_id?: unknown; answer?: unknown };
  return (
    (query.kind === undefined || kind === query.kind) &&
    (query.tool === undefined || fields.tool === query.tool) &&
    (query.call_id === undefined || fields.call_id === query.call_id) &&
    (query.answer === undefined || fields.answer === query.answer) &&
    (query.since === undefined || time >= query.since) &&
    (query.until === undefined || time <= query.until)
  );
}

function wireEntry({ seq, time, sessionId, kind, body, previousHash, hash }: AuditRow, mine: ReadonlyMap<string, SessionRecord>) {
  const session = mine.get(sessionId);
  return {
    seq,
    time,
    session_id: session === undefined ? sessionId : wireSessionId(session),
    kind,
    body,
    previous_hash: previousHash,
    hash,
  };
}

function positionOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const text = decodeCursor(cursor);
  if (!/^\d{1,15}$/.test(text)) throw invalid("The cursor is not of this list.", { parameter: "cursor" });
  return Number(text);
}
