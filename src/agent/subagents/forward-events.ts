/**
 * Carries the events of a child into the stream of the run at the top (A5). Questions of a child are events of that stream
 * itself, so that whoever watches it can answer; everything else goes in wrapped. Ends with the child's own `run_end`.
 */
import { type EventDraft, eventToWire, type KaryiEvent, type SessionHandle } from "../../contract/index.ts";

export interface Forwarding {
  readonly child: SessionHandle;
  readonly top: SessionHandle;
  readonly runId: string;
  readonly subagentId: string;
  readonly signal: AbortSignal;
  onEvent(event: KaryiEvent): void;
}

export async function forwardEvents({ child, top, runId, subagentId, signal, onEvent }: Forwarding): Promise<void> {
  for await (const event of child.events(0, signal)) {
    onEvent(event);
    await top.append([draftOf(event, subagentId)]);
    if (event.type === "run_end" && event.body.run_id === runId) return;
  }
}

function draftOf(event: KaryiEvent, subagentId: string): EventDraft {
  if (event.type !== "permission_request" && event.type !== "permission_result" && event.type !== "value_request")
    return { type: "subagent_event", subagentId, body: { event: eventToWire(event) } };
  const { seq: _seq, time: _time, sessionId: _session, schemaVersion: _version, ...draft } = event;
  return { ...draft, subagentId };
}
