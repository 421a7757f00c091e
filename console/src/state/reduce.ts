/**
 * `reduce(state, event)`: the only way in which a page learns about a session. Pure. `seq` decides: a double is
 * dropped, a gap is refused (`GapError`), so that a second browser, a restart and a replay give the same state.
 */
import { reduceCall } from "./reduce-call.ts";
import { Draft } from "./session-draft.ts";
import type { Entry, SessionState } from "./session-state.ts";
import type { WireEvent } from "./wire-event.ts";

export class GapError extends Error {
  readonly after: number;
  constructor(after: number) {
    super(`events after ${after} are missing`);
    this.after = after;
  }
}

export function reduce(state: SessionState, event: WireEvent): SessionState {
  return reduceAll(state, [event]);
}

/** The same as one by one; copies each part of the state at most once. */
export function reduceAll(state: SessionState, events: readonly WireEvent[]): SessionState {
  const draft = new Draft(state);
  let seq = state.seq;
  let lastTime = state.lastTime;
  for (const event of events) {
    if (event.seq <= seq) continue;
    // The oldest events of a long session may have been collected: its first page begins where they end.
    if (event.seq !== seq + 1 && seq !== 0) throw new GapError(seq);
    seq = event.seq;
    lastTime = event.time;
    take(draft, event, undefined);
  }
  return seq === state.seq ? state : draft.finish(seq, lastTime);
}

function take(draft: Draft, event: WireEvent, inside: string | undefined): void {
  const agentId = inside ?? event.subagent_id;
  switch (event.type) {
    case "run_start":
      draft.setRun(
        { runId: event.run_id, agent: event.agent ?? "", model: event.model, startedAt: event.time, status: "running" },
        agentId,
      );
      if (event.prompt !== undefined && event.prompt !== "" && agentId === undefined) say(draft, event, event.prompt, agentId);
      noteModel(draft, event, event.model, agentId);
      return;
    case "turn_start":
      draft.closeText(agentId, event.time);
      if (event.model !== undefined) noteModel(draft, event, event.model, agentId);
      return;
    case "text_delta":
      draft.growText(agentId, event, "text", event.text);
      return;
    case "thinking_delta":
      draft.growText(agentId, event, "thinking", event.text);
      return;
    case "text":
      if (event.role === "user") say(draft, event, event.text, agentId);
      else draft.wholeText(agentId, event, event.text);
      return;
    case "tool_call":
    case "tool_progress":
    case "tool_result":
    case "permission_request":
    case "permission_result":
      reduceCall(draft, event, agentId);
      return;
    case "value_request": {
      const known = draft.values.get(event.request_id);
      if (known === undefined) draft.push(agentId, { kind: "value", ...place(event), requestId: event.request_id });
      draft.values.set(event.request_id, {
        requestId: event.request_id,
        key: event.key,
        reason: event.reason,
        ...(event.note === undefined ? {} : { note: event.note }),
        status: event.status ?? "asked",
        askedAt: known?.askedAt ?? event.time,
        ...(agentId === undefined ? {} : { agentId }),
      });
      return;
    }
    case "input_required":
      draft.inputAsked = { kind: event.kind, program: event.program, question: event.question ?? "", callId: event.call_id ?? "" };
      return;
    case "artifact_updated":
      draft.artifacts.set(event.artifact_id, { version: event.version, time: event.time });
      return;
    case "subagent_start":
    case "subagent_event":
    case "subagent_end":
      takeAgent(draft, event, inside);
      return;
    case "turn_end":
      draft.closeText(agentId, event.time);
      if (event.usage !== undefined) draft.addUsage(event.usage, agentId);
      return;
    case "run_end":
      draft.closeText(agentId, event.time);
      if (agentId === undefined) endRun(draft, event);
      return;
    case "error":
      draft.push(agentId, {
        kind: "error",
        ...place(event),
        message: event.message,
        ...(event.retry_in_ms === undefined ? {} : { retryInMs: event.retry_in_ms }),
      });
      return;
  }
}

function endRun(draft: Draft, event: Extract<WireEvent, { readonly type: "run_end" }>): void {
  const startedAt = draft.run?.startedAt ?? event.time;
  draft.endRun(event.run_id, event.status, event.time);
  draft.usage = event.usage ?? draft.usage;
  draft.push(undefined, {
    kind: "end",
    ...place(event),
    status: event.status,
    tookMs: event.time - startedAt,
    ...(event.error === undefined ? {} : { message: event.error.message }),
  });
}

function takeAgent(
  draft: Draft,
  event: Extract<WireEvent, { readonly type: "subagent_start" | "subagent_event" | "subagent_end" }>,
  inside: string | undefined,
): void {
  const id = event.subagent_id ?? "";
  if (event.type === "subagent_event") {
    const known = draft.agents.get(id);
    if (known !== undefined) draft.agents.set(id, { ...known, lastAt: event.time });
    // The child's event has a position of its own; in this stream the one around it counts.
    take(draft, { ...(event.event as unknown as WireEvent), seq: event.seq, time: event.time }, id);
    return;
  }
  if (event.type === "subagent_start") {
    const parentId = event.parent_id ?? inside;
    draft.agents.set(id, {
      id,
      ...(parentId === undefined ? {} : { parentId }),
      ...(event.call_id === undefined ? {} : { callId: event.call_id }),
      name: event.agent ?? "",
      description: event.description,
      ...(event.mode === undefined ? {} : { mode: event.mode }),
      status: "running",
      startedAt: event.time,
      lastAt: event.time,
      calls: 0,
      tokens: 0,
      doing: "",
    });
    draft.push(parentId, { kind: "agent", ...place(event), agentId: id });
    return;
  }
  const known = draft.agents.get(id);
  if (known === undefined) return;
  draft.closeText(id, event.time);
  draft.agents.set(id, {
    ...known,
    status: event.status,
    calls: Math.max(known.calls, event.calls),
    tokens: event.usage === undefined ? known.tokens : event.usage.input_tokens + event.usage.output_tokens,
    lastAt: event.time,
    endedAt: event.time,
    doing: "",
    ...(event.text === undefined ? {} : { text: event.text }),
  });
}

function say(draft: Draft, event: WireEvent, text: string, agentId: string | undefined): void {
  const last = draft.thread(agentId).entries.at(-1);
  // A run's prompt and the message that began it are the same words.
  if (last?.kind === "said" && last.text === text) return;
  draft.push(agentId, { kind: "said", ...place(event), text });
}

function noteModel(draft: Draft, event: WireEvent, model: string, agentId: string | undefined): void {
  const before = draft.thread(agentId).model;
  if (before === model) return;
  draft.setModel(agentId, model);
  if (before !== undefined) draft.push(agentId, { kind: "model", ...place(event), model });
}

function place(event: WireEvent): Pick<Entry, "key" | "seq" | "time"> {
  return { key: `e${event.seq}`, seq: event.seq, time: event.time };
}
