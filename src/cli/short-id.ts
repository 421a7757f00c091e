/** Ids as people type them: the first part of a UUID is enough as long as only one thing has it. */
import { UsageError } from "./front.ts";
import { say } from "./messages.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const leastCharacters = 4;

/** An id that somebody chose stays whole. */
export function shortId(id: string): string {
  return uuid.test(id) ? id.slice(0, 8) : id;
}

/** The one that is meant; what nothing fits goes on as it was typed, so that whoever looks for it says so. */
export function meantId(typed: string, ids: readonly string[]): string {
  if (ids.includes(typed) || typed.length < leastCharacters) return typed;
  const found = ids.filter((id) => id.startsWith(typed));
  if (found.length > 1) throw new UsageError(say("ambiguousId", typed, found.slice(0, 5).join(", ")));
  return found[0] ?? typed;
}
