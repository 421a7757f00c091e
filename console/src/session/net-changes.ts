/** How each file of a session stands against its beginning, read again whenever a step changed something. */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, pathOf } from "../api/client.ts";
import type { Change } from "../api/types.ts";
import type { SessionState } from "../state/session-state.ts";
import { changedCalls } from "./steps.ts";

const known = new Map<string, Signal<readonly Change[]>>();

export function useNetChanges(state: SessionState): readonly Change[] {
  const { sessionId } = state;
  const found = known.get(sessionId) ?? signal<readonly Change[]>([]);
  known.set(sessionId, found);
  const version = changedCalls(state)
    .map(({ callId, undoneBy }) => `${callId}${undoneBy ?? ""}`)
    .join(" ");
  useEffect(() => {
    if (version === "") return;
    api<{ readonly files: readonly Change[] }>("GET", pathOf("sessions", sessionId, "changes")).then(
      ({ files }) => (found.value = files),
      () => {},
    );
  }, [sessionId, version, found]);
  return found.value;
}
