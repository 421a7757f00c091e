/** The steps of a session that changed something, and taking back the last of them. */
import { filesOnly } from "../state/rows.ts";
import type { CallState, SessionState } from "../state/session-state.ts";
import { undoCalls } from "./undoing.ts";

/** Newest first; undos are no steps of their own. */
export function changedCalls(state: SessionState): readonly CallState[] {
  return [...state.calls.values()]
    .filter((call) => call.status === "ok" && call.changesTotal > 0 && call.undoOf.length === 0)
    .sort((a, b) => b.seq - a.seq);
}

export function undoableCalls(state: SessionState): readonly CallState[] {
  return changedCalls(state).filter(({ undoable, undoneBy }) => undoable && undoneBy === undefined);
}

export async function undoLast(state: SessionState): Promise<void> {
  const [last] = undoableCalls(state);
  if (last) await undoCalls(state.sessionId, [last.callId]);
}

export interface StepGroup {
  readonly key: string;
  /** The person's words that led to these steps. */
  readonly words: string | undefined;
  readonly calls: readonly CallState[];
}

/** Steps under the message that caused them, the latest message first. */
export function stepGroups(state: SessionState): readonly StepGroup[] {
  const said = new Map(state.root.entries.flatMap((entry) => (entry.kind === "said" ? [[entry.key, entry.text] as const] : [])));
  const groups = new Map<string, CallState[]>();
  for (const call of changedCalls(state)) {
    const key = call.messageKey ?? "";
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return [...groups].map(([key, calls]) => ({ key, words: said.get(key), calls }));
}

/** How each file of the session stands: the last change wins, what was taken back does not count. */
export function netFiles(state: SessionState): readonly { readonly path: string; readonly change: string }[] {
  const files = new Map<string, string>();
  for (const call of [...changedCalls(state)].reverse()) {
    if (call.undoneBy !== undefined) continue;
    for (const { path, change } of call.changes) {
      const before = files.get(path);
      if (before === "created" && change === "deleted") files.delete(path);
      else files.set(path, before === "created" ? "created" : change);
    }
  }
  return filesOnly([...files].map(([path, change]) => ({ path, change })));
}
