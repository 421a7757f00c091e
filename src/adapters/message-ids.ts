/**
 * Ids of the calls of a model's message. A provider's id names only the answer, because some servers count from `call_0` in every
 * turn; the engine's ids are made here, once a message, so that the same message answered twice runs once.
 */
import type { CallRequest } from "../contract/index.ts";

const made = new WeakMap<object, WeakMap<object, readonly string[]>>();

/** `calls` in the order of the message, with ids of their own beside the provider's. */
export function identified(
  session: object,
  message: object,
  calls: readonly (Omit<CallRequest, "id"> & { readonly providerId: string })[],
): readonly CallRequest[] {
  const known = made.get(session) ?? new WeakMap<object, readonly string[]>();
  made.set(session, known);
  const ids = known.get(message) ?? calls.map(() => crypto.randomUUID());
  known.set(message, ids);
  return calls.map((call, at) => ({ ...call, id: ids[at] ?? crypto.randomUUID() }));
}
