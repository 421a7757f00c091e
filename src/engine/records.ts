/** The rows and events that a call leaves behind, built in one place so that every way of ending it looks the same. */
import type {
  Call,
  CallRecord,
  CallStart,
  CommandClass,
  EventBodies,
  EventDraft,
  JournalEntry,
  Json,
  JsonObject,
  Result,
} from "../contract/index.ts";
import { asJson, hashOf } from "./canonical.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { Planned } from "./prepare.ts";
import type { Session } from "./session.ts";

/** How much of an output the event stream repeats; the whole is in the call's record. */
const eventOutputLimit = 4096;

export function callStart(
  session: Pick<Session, "record" | "cwd">,
  call: Call,
  prepared: Planned,
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
    events: [toolCall(call, prepared, input, summary)],
    journal,
  };
}

/** Enough of the call to plan it again after a restart. What only looks like a secret stays: it must be the same call. */
export function requestOf(call: Call, { valueMasker }: Pick<EngineDependencies, "valueMasker">): Json {
  return valueMasker.maskJson(requestJson(call));
}

/** How the record of a call looks while the call is rehearsed: a process that dies then has changed nothing. */
export function rehearsingRequest(request: Json): Json {
  return { ...(request as JsonObject), rehearsing: true };
}

export function isRehearsing({ request }: CallRecord): boolean {
  return (request as { readonly rehearsing?: boolean } | null)?.rehearsing === true;
}

function requestJson(call: Call): Json {
  return asJson({
    name: call.name,
    input: call.input,
    providerId: call.providerId,
    repaired: call.repaired,
    cutOff: call.cutOff,
    agent: call.agent,
    messageId: call.messageId,
    direct: call.direct,
    foreign: call.foreign,
  });
}

function toolCall(call: Call, { tool, plan }: Planned, input: Json, summary: string): EventDraft {
  return {
    type: "tool_call",
    callId: call.id,
    ...(call.agent === undefined ? {} : { agent: call.agent }),
    body: {
      tool: tool.name,
      input,
      summary,
      ...(plan.class === undefined ? {} : { class: plan.class }),
      ...(call.repaired === undefined ? {} : { repaired: [...call.repaired] }),
    },
  };
}

/** A body with only what JSON holds; it is the same type without what JSON drops. */
const plain = <T>(value: T): T => asJson(value) as T;

export function toolResult(call: Pick<Call, "id" | "agent">, result: Result): EventDraft {
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
      ...toldData(result.data),
      ...(result.error === undefined ? {} : { error: plain(result.error) }),
      ...(result.truncated === undefined ? {} : { truncated: plain(result.truncated) }),
    },
  };
}

/** How many changed paths an event names. */
const eventChanges = 50;

/** What whoever watches wants of `data`: the class of a command, which files changed, and what an undo took back. */
function toldData(data: Json | undefined): Partial<EventBodies["tool_result"]> {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return {};
  const { class: kind, changes, changes_total: total, undone } = data as JsonObject;
  const paths = (Array.isArray(changes) ? changes : []).slice(0, eventChanges) as readonly {
    readonly path: string;
    readonly change: string;
  }[];
  return {
    ...(typeof kind === "string" ? { class: kind as CommandClass } : {}),
    ...(Array.isArray(changes) && changes.length > 0
      ? { changes: paths.map(({ path, change }) => ({ path, change })), changes_total: typeof total === "number" ? total : changes.length }
      : {}),
    ...(Array.isArray(undone) ? { undo_of: undone as readonly string[] } : {}),
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
