/** The life of one call: asked for, waiting, running, ended, taken back. */
import type { Draft } from "./session-draft.ts";
import type { CallState, CallStatus } from "./session-state.ts";
import type { WireEvent } from "./wire-event.ts";

type CallEvent = Extract<
  WireEvent,
  { readonly type: "tool_call" | "tool_progress" | "tool_result" | "permission_request" | "permission_result" }
>;

/** Characters of live output that a row can show. */
const progressLength = 4000;

export function reduceCall(draft: Draft, event: CallEvent, agentId: string | undefined): void {
  const callId = event.call_id ?? "";
  switch (event.type) {
    case "tool_call": {
      draft.closeThinking(agentId, event.time);
      begin(draft, event, callId, agentId, {
        tool: event.tool,
        input: event.input,
        summary: event.summary ?? event.tool,
        ...(event.class === undefined ? {} : { class: event.class }),
        repaired: event.repaired ?? [],
      });
      const agent = agentId === undefined ? undefined : draft.agents.get(agentId);
      if (agent) draft.agents.set(agent.id, { ...agent, calls: agent.calls + 1, doing: event.summary ?? event.tool });
      return;
    }
    case "tool_progress": {
      const call = draft.calls.get(callId);
      if (call !== undefined) draft.calls.set(callId, { ...call, progress: `${call.progress}${event.text}`.slice(-progressLength) });
      return;
    }
    case "permission_request": {
      const call = draft.calls.get(callId);
      if (call !== undefined) draft.calls.set(callId, { ...call, status: "waiting", approvalId: event.approval_id });
      draft.questions.set(event.approval_id, {
        approvalId: event.approval_id,
        callId,
        tool: event.tool,
        summary: event.summary ?? call?.summary ?? event.tool,
        reason: event.reason ?? "",
        rule: event.rule ?? "",
        askedAt: event.time,
        ...(agentId === undefined ? {} : { agentId }),
        ...(event.rehearsal === undefined ? {} : { rehearsal: event.rehearsal }),
      });
      return;
    }
    case "permission_result": {
      const question = draft.questions.get(event.approval_id);
      if (question !== undefined) {
        draft.questions.set(event.approval_id, {
          ...question,
          answer: event.answer ?? "none",
          answeredAt: event.time,
          ...(event.answered_by === null || event.answered_by === undefined ? {} : { answeredBy: event.answered_by }),
          ...(event.words === undefined ? {} : { words: event.words }),
        });
      }
      const call = draft.calls.get(question?.callId ?? callId);
      if (call?.status === "waiting") draft.calls.set(call.callId, { ...call, status: "running", resumedAt: event.time });
      return;
    }
    case "tool_result":
      settle(draft, event, callId, agentId);
      return;
  }
}

function begin(
  draft: Draft,
  event: CallEvent,
  callId: string,
  agentId: string | undefined,
  known: Pick<CallState, "tool" | "input" | "summary" | "repaired"> & Partial<Pick<CallState, "class">>,
): CallState {
  const before = draft.calls.get(callId);
  const call: CallState = {
    callId,
    seq: before?.seq ?? event.seq,
    ...known,
    startedAt: before?.startedAt ?? event.time,
    status: before?.status === "waiting" ? "waiting" : "running",
    output: "",
    outputLength: 0,
    undoable: false,
    changes: [],
    changesTotal: 0,
    progress: "",
    undoOf: [],
    ...(before?.approvalId === undefined ? {} : { approvalId: before.approvalId }),
    ...(agentId === undefined ? {} : { agentId }),
    ...messageOf(draft),
  };
  draft.calls.set(callId, call);
  if (before === undefined) draft.push(agentId, { kind: "call", key: `c${callId}`, seq: event.seq, time: event.time, callId });
  return call;
}

function settle(
  draft: Draft,
  event: Extract<CallEvent, { readonly type: "tool_result" }>,
  callId: string,
  agentId: string | undefined,
): void {
  const call =
    draft.calls.get(callId) ?? begin(draft, event, callId, agentId, { tool: event.tool, input: {}, summary: event.tool, repaired: [] });
  const undoOf = event.undo_of ?? [];
  draft.calls.set(callId, {
    ...call,
    status: statusOf(event.status),
    endedAt: event.time,
    durationMs: Math.min(event.duration_ms ?? Number.POSITIVE_INFINITY, event.time - (call.resumedAt ?? call.startedAt)),
    output: event.output ?? "",
    outputLength: event.output_length ?? event.output?.length ?? 0,
    undoable: event.undoable === true,
    progress: "",
    ...(event.class === undefined ? {} : { class: event.class }),
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.truncated === undefined
      ? {}
      : { truncatedRef: event.truncated.ref, truncatedLeft: event.truncated.total - event.truncated.shown }),
    changes: event.changes ?? [],
    changesTotal: event.changes_total ?? event.changes?.length ?? 0,
    undoOf,
  });
  if (draft.inputAsked?.callId === callId) draft.inputAsked = undefined;
  if (event.status === "ok") for (const taken of undoOf) markUndone(draft, taken, callId);
}

/** An undo of an undo brings back what that one took. */
function markUndone(draft: Draft, callId: string, by: string): void {
  const call = draft.calls.get(callId);
  if (call === undefined) return;
  draft.calls.set(callId, { ...call, undoneBy: by });
  for (const brought of call.undoOf) {
    const again = draft.calls.get(brought);
    if (again?.undoneBy !== callId) continue;
    const { undoneBy: _, ...rest } = again;
    draft.calls.set(brought, rest);
  }
}

function statusOf(status: Extract<CallEvent, { readonly type: "tool_result" }>["status"]): CallStatus {
  return status === "suspended" ? "waiting" : status;
}

function messageOf(draft: Draft): { readonly messageKey?: string } {
  const said = draft.lastSaid;
  return said === undefined ? {} : { messageKey: said };
}
