/** An event as it comes over the wire: the envelope and the body in one object. */
import type { EventBodies } from "../../../src/contract/event-body.ts";

interface WireEnvelope {
  readonly schema_version: number;
  readonly seq: number;
  readonly time: number;
  readonly session_id: string;
  readonly agent?: string;
  readonly call_id?: string;
  readonly subagent_id?: string;
  readonly parent_seq?: number;
}

export type WireEvent = {
  readonly [T in keyof EventBodies]: WireEnvelope & { readonly type: T } & Omit<EventBodies[T], keyof WireEnvelope>;
}[keyof EventBodies];
