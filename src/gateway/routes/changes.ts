/** What a session changed, as a net difference by file, and taking it back with a preview as data. */
import { z } from "@hono/zod-openapi";
import type { UndoTarget } from "../../contract/index.ts";
import { invalid } from "../problem.ts";
import { wireResult } from "../wire/convert.ts";
import { resultSchema, sessionIdParam } from "../wire/shapes.ts";
import type { Routes } from "./context.ts";

const fileSchema = z
  .object({
    /** Relative to the workspace where it is below it. */
    path: z.string(),
    change: z.enum(["created", "modified", "deleted", "mode", "link", "time", "none"]),
    before_size: z.number().optional(),
    after_size: z.number().optional(),
    /** Text before and after, where the file is a short text that holds no secret. */
    before: z.string().optional(),
    after: z.string().optional(),
    diff: z.string().optional(),
    /** Somebody else changed it after the session did. */
    changed_by_others: z.boolean(),
    call_ids: z.array(z.string()),
  })
  .openapi("ChangedFile");

const changesSchema = z.object({ files: z.array(fileSchema), total: z.number().int() }).openapi("Changes");

const undoBody = z
  .strictObject({
    call_ids: z.array(z.string().min(1).max(200)).min(1).max(1000).optional(),
    last: z.number().int().min(1).max(1000).optional(),
    message: z.string().min(1).max(200).optional(),
    dry_run: z.boolean().optional(),
    force: z.boolean().optional(),
  })
  .refine(
    ({ call_ids, last, message }) => [call_ids, last, message].filter((one) => one !== undefined).length === 1,
    "one of `call_ids`, `last` and `message`",
  )
  .openapi("UndoMany");

export function addChangeRoutes(routes: Routes): void {
  const { router, sessions, desk } = routes;

  router.add(
    {
      method: "get",
      path: "/sessions/{id}/changes",
      operationId: "listChanges",
      summary: "The net difference that the session made, by file.",
      scope: "read",
      params: sessionIdParam,
      answers: { 200: { description: "The files.", schema: changesSchema } },
    },
    async ({ caller, params }) => {
      const session = await sessions.open(caller, params.id);
      const files = await desk.changesOf(session.record);
      return { status: 200, body: { files, total: files.length } };
    },
  );

  router.add(
    {
      method: "post",
      path: "/sessions/{id}/undo",
      operationId: "undoMany",
      summary: "Takes calls back, newest first; with dry_run the preview: every file before, after, and whether others changed it.",
      scope: "call",
      params: sessionIdParam,
      body: undoBody,
      answers: {
        200: {
          description: "The Result, with `files` in a preview.",
          schema: resultSchema.extend({ files: z.array(fileSchema).optional() }),
        },
      },
    },
    async ({ caller, params, body }) => {
      const session = await sessions.open(caller, params.id);
      const target = targetOf(body);
      const result = await session.undo(target, { dryRun: body.dry_run ?? false, force: body.force ?? false });
      if (body.dry_run !== true) return { status: 200, body: wireResult(result) };
      const { undone } = (result.data ?? {}) as { readonly undone?: readonly string[] };
      const ids = undone ?? body.call_ids ?? [];
      return { status: 200, body: { ...wireResult(result), files: await desk.undoPreview(session.record, ids) } };
    },
  );
}

function targetOf({ call_ids, last, message }: z.infer<typeof undoBody>): UndoTarget {
  if (call_ids !== undefined) return { callIds: call_ids };
  if (last !== undefined) return { last };
  if (message !== undefined) return { messageId: message };
  throw invalid("One of `call_ids`, `last` and `message` is needed.");
}
