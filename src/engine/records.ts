/** The rows and events that a call leaves behind, built in one place so that every way of ending it looks the same. */
import type { Call, CallRecord, CallStart, EventDraft, JournalEntry, Json, Result } from "../contract/index.ts";
import { asJson, hashOf } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { Prepared } from "./prepare.ts";
import type { Session } from "./session.ts";

/** How much of an output the event stream repeats; the whole is in the call's record. */
const eventOutputLimit = 4096;

export function callStart(
  session: Pick<Session, "record" | "cwd">,
  call: Call,
  prepared: Prepared,
  { store, masker, now }: Pick<EngineDependencies, "store" | "masker" | "now">,
  journal: readonly JournalEntry[] = [],
): Omit<CallStart, "durable"> {
  const input = masker.maskJson(asJson(prepared.input));
  const summary = masker.mask(prepared.plan.summary);
  return {
    call: {
      id: call.id,
      sessionId: session.record.id,
      tool: prepared.tool.name,
      input,
      cwd: session.cwd,
      summary,
      effects: masker.maskJson(prepared.plan.effects),
      ownerId: store.owner.id,
      startedAt: now(),
      request: masker.maskJson(requestJson(call)),
      ...(call.messageId === undefined ? {} : { messageId: call.messageId }),
      ...(call.agent === undefined ? {} : { agent: call.agent }),
    },
    events: [toolCall(call, prepared.tool.name, input, summary)],
    journal,
  };
}

/** Enough of the call to plan it again after a restart. What only looks like a secret stays: it must be the same call. */
export function requestOf(call: Call, { valueMasker }: Pick<EngineDependencies, "valueMasker">): Json {
  return valueMasker.maskJson(requestJson(call));
}

function requestJson(call: Call): Json {
  return asJson({
    name: call.name,
    input: call.input,
    repaired: call.repaired,
    cutOff: call.cutOff,
    agent: call.agent,
    messageId: call.messageId,
  });
}

function toolCall(call: Call, tool: string, input: Json, summary: string): EventDraft {
  return {
    type: "tool_call",
    callId: call.id,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    body: { tool, input, summary, ...(call.repaired === undefined ? {} : { repaired: [...call.repaired] }) },
  };
}

export function toolResult(call: Call, result: Result): EventDraft {
  const { output } = result;
  return {
    type: "tool_result",
    callId: call.id,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    body: {
      tool: result.tool,
      status: result.status,
      output: output.length > eventOutputLimit ? output.slice(0, eventOutputLimit) : output,
      output_length: output.length,
      undoable: result.undoable,
      duration_ms: result.durationMs,
      ...(result.error === undefined ? {} : { error: asJson(result.error) }),
      ...(result.truncated === undefined ? {} : { truncated: asJson(result.truncated) }),
    },
  };
}

/** Whether a record under a call's id is of this very call: same session, same name, same input. */
export function isSameCall(
  record: CallRecord,
  session: Session,
  call: Call,
  { masker, valueMasker }: Pick<EngineDependencies, "masker" | "valueMasker">,
): boolean {
  if (record.sessionId !== session.record.id) return false;
  const request = record.request as { readonly name?: unknown; readonly input?: Json } | null | undefined;
  if (request) {
    const kept = hashOf(request.input ?? null);
    const same = [masker, valueMasker].some((mask) => hashOf(mask.maskJson(jsonOf(call.input))) === kept);
    return request.name === call.name && same;
  }
  // A call that was never understood has no request; it is kept as it was written.
  return record.tool === call.name && hashOf(record.input) === hashOf(masker.maskJson(plainInput(call.input)));
}

/** Equal for equal calls, whatever the order of their keys. */
export function digestOf(session: Session, call: Call): string {
  return hashOf([session.record.id, call.name, jsonOf(call.input)]);
}

/** Input that was never parsed may be anything; what JSON cannot hold, or is too large for a record, is described instead. */
export function plainInput(input: unknown): Json {
  const plain = jsonOf(input);
  const { length } = JSON.stringify(plain);
  return length > 64 * 1024 ? { omitted: true, length, sha256: hashOf(plain) } : plain;
}

function jsonOf(input: unknown): Json {
  try {
    return asJson(input);
  } catch {
    return { omitted: true, reason: "not JSON" };
  }
}
