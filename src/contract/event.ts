/** The one ordered, replayable stream of a session (C10), and its form on the wire. */
import type { EventBodies } from "./event-body.ts";
import type { Json, JsonObject } from "./json.ts";

export const eventSchemaVersion = 1;

export const eventTypes = [
  "run_start",
  "turn_start",
  "text_delta",
  "text",
  "thinking_delta",
  "tool_call",
  "tool_progress",
  "tool_result",
  "permission_request",
  "permission_result",
  "value_request",
  "input_required",
  "subagent_start",
  "subagent_event",
  "subagent_end",
  "artifact_updated",
  "turn_end",
  "run_end",
  "error",
] as const satisfies readonly (keyof EventBodies)[];

export type EventType = (typeof eventTypes)[number];

interface Envelope {
  readonly agent?: string;
  readonly callId?: string;
  readonly subagentId?: string;
  readonly parentSeq?: number;
}

/** An event that is not written yet. `body` has the shape of its `type`, in snake_case, already masked. */
export type EventDraft = { readonly [T in EventType]: Envelope & { readonly type: T; readonly body: EventBodies[T] } }[EventType];

interface Position {
  /** Gapless within a session, from 1. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly sessionId: string;
  readonly schemaVersion: number;
}

/**
 * An event of a session's stream, a union told apart by `type`.
 *
 * @example
 * for await (const event of session.events()) {
 *   if (event.type === "tool_result") console.log(event.body.tool, event.body.status);
 * }
 */
export type KaryiEvent = EventDraft & Position;

/** The event of one type: `EventOf<"tool_result">`. */
export type EventOf<T extends EventType> = Extract<KaryiEvent, { readonly type: T }>;

/** The snake_case form for HTTP, logs and files. */
export function eventToWire(event: KaryiEvent): JsonObject {
  const wire: Record<string, Json> = {
    schema_version: event.schemaVersion,
    seq: event.seq,
    time: event.time,
    session_id: event.sessionId,
    type: event.type,
  };
  if (event.agent !== undefined) wire.agent = event.agent;
  if (event.callId !== undefined) wire.call_id = event.callId;
  if (event.subagentId !== undefined) wire.subagent_id = event.subagentId;
  if (event.parentSeq !== undefined) wire.parent_seq = event.parentSeq;
  return { ...wire, ...(event.body as unknown as JsonObject) };
}
