/** Whole results of calls, read when a row needs more than its event tells; the latest are kept. */
import { type Signal, signal } from "@preact/signals";
import { api, pathOf } from "../api/client.ts";
import type { Change, Result } from "../api/types.ts";

const kept = new Map<string, Signal<Result | undefined | null>>();
const keep = 500;

/** `undefined` until it was read; `null` if it cannot be. */
export function resultOf(sessionId: string, callId: string): Signal<Result | undefined | null> {
  const known = kept.get(callId);
  if (known) return known;
  const made = signal<Result | undefined | null>(undefined);
  if (kept.size >= keep) kept.delete(kept.keys().next().value ?? "");
  kept.set(callId, made);
  api<Result>("GET", pathOf("sessions", sessionId, "calls", callId)).then(
    (result) => (made.value = result),
    () => (made.value = null),
  );
  return made;
}

export function changesOf(result: Result | undefined | null): readonly Change[] {
  const changes = (result?.data as { readonly changes?: unknown } | undefined)?.changes;
  return Array.isArray(changes) ? (changes as readonly Change[]) : [];
}
