/** Messages that wait until the agent is done, of this tab alone: so that no other tab sends them again. */
import { signal } from "@preact/signals";

export const queued = signal<ReadonlyMap<string, readonly string[]>>(new Map());

export function queuedOf(sessionId: string): readonly string[] {
  return queued.value.get(sessionId) ?? [];
}

export function enqueue(sessionId: string, words: string): void {
  queued.value = new Map(queued.value).set(sessionId, [...queuedOf(sessionId), words]);
}

export function removeQueued(sessionId: string, index: number): void {
  queued.value = new Map(queued.value).set(
    sessionId,
    queuedOf(sessionId).filter((_, at) => at !== index),
  );
}

/** Hands all of them out, once. */
export function takeQueued(sessionId: string): readonly string[] {
  const words = queued.peek().get(sessionId) ?? [];
  if (words.length > 0) queued.value = new Map([...queued.peek()].filter(([id]) => id !== sessionId));
  return words;
}
