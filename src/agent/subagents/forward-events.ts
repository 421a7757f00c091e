/**
 * Carries the events of a child into the stream of the run at the top (A5). Questions of a child are events of that stream
 * itself, so that whoever watches it can answer; everything else goes in wrapped. Ends with the child's own `run_end`.
 */
import { type EventDraft, eventToWire, type KaryiEvent, type SessionHandle } from "../../contract/index.ts";

const pageSize = 500;

export interface Forwarding {
  readonly child: SessionHandle;
  readonly top: SessionHandle;
  readonly runId: string;
  readonly subagentId: string;
  readonly signal: AbortSignal;
  /** Events up to here are at the top already: a process that is gone carried them there. */
  readonly toldUpTo: number;
  onEvent(event: KaryiEvent): void;
}

export async function forwardEvents({ child, top, runId, subagentId, signal, toldUpTo, onEvent }: Forwarding): Promise<void> {
  for await (const event of child.events(0, signal)) {
    onEvent(event);
    if (event.seq > toldUpTo) await top.append([draftOf(event, subagentId)]);
    if (event.type === "run_end" && event.body.run_id === runId) return;
  }
}

/** How much of a child's stream is at the top: each of its events stands there once, in order. */
export async function eventsTold(top: SessionHandle, subagentId: string): Promise<{ readonly count: number; readonly isEnded: boolean }> {
  let [count, isEnded] = [0, false];
  for (let after = 0; ; ) {
    const page = await top.readEvents(after, pageSize);
    for (const event of page) {
      if (event.subagentId !== subagentId) continue;
      if (event.type === "subagent_end") isEnded = true;
      else if (event.type !== "subagent_start") count += 1;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return { count, isEnded };
    after = last.seq;
  }
}

function draftOf(event: KaryiEvent, subagentId: string): EventDraft {
  if (event.type !== "permission_request" && event.type !== "permission_result" && event.type !== "value_request")
    return { type: "subagent_event", subagentId, body: { event: eventToWire(event) } };
  const { seq: _seq, time: _time, sessionId: _session, schemaVersion: _version, ...draft } = event;
  return { ...draft, subagentId };
}
