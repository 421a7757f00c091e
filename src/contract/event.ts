/** The one ordered, replayable stream of a session (C10), and its form on the wire. */
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
] as const;

export type EventType = (typeof eventTypes)[number];

export interface EventDraft {
  readonly type: EventType;
  readonly agent?: string;
  readonly callId?: string;
  readonly subagentId?: string;
  readonly parentSeq?: number;
  /** What is particular to this type; snake_case names, already masked. */
  readonly body: JsonObject;
}

export interface KaryiEvent extends EventDraft {
  /** Gapless within a session, from 1. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly sessionId: string;
  readonly schemaVersion: number;
}

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
  return { ...wire, ...event.body };
}
