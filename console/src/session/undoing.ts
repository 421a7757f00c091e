/** Taking calls back: previewed as data, done on demand, and itself undoable. */
import { signal } from "@preact/signals";
import { ApiError, api, pathOf } from "../api/client.ts";
import type { Change, Result } from "../api/types.ts";
import { showToast } from "../parts/toast.tsx";
import { t } from "../words/words.ts";

/** Calls chosen in Changes, by session. */
export const chosen = signal<ReadonlySet<string>>(new Set());

/** What the files would look like: the result of a dry run, with each file before and after. */
export interface UndoPreviewed extends Result {
  readonly files?: readonly Change[];
}

export function previewUndo(sessionId: string, callIds: readonly string[], force = false): Promise<UndoPreviewed> {
  return api("POST", pathOf("sessions", sessionId, "undo"), { call_ids: callIds, dry_run: true, ...(force ? { force } : {}) });
}

/** Answers the undo's own result; says what came of it. */
export async function undoCalls(sessionId: string, callIds: readonly string[], force = false): Promise<Result | undefined> {
  try {
    const result = await undo(sessionId, callIds, force ? { force } : {});
    if (result.status === "ok") {
      showToast(t("undoDone", { n: callIds.length }), { label: t("undoUndo"), run: () => void undoCalls(sessionId, [result.call_id]) });
    } else showToast(`${t("undoFailed")}: ${result.error?.message ?? result.output}`);
    return result;
  } catch (error) {
    showToast(`${t("undoFailed")}: ${error instanceof ApiError ? error.message : String(error)}`);
    return undefined;
  }
}

function undo(sessionId: string, callIds: readonly string[], options: object): Promise<Result> {
  const [only] = callIds;
  if (callIds.length === 1 && only !== undefined) return api("POST", pathOf("sessions", sessionId, "calls", only, "undo"), options);
  return api("POST", pathOf("sessions", sessionId, "undo"), { call_ids: callIds, ...options });
}
