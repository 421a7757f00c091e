/** The last step of a call: result, events, what the session remembers and after-images, in one commit. */
import type { Call, CallSettlement, KaryiEvent, Result } from "../contract/index.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { keptPatch } from "./kept-env.ts";
import { toolResult } from "./records.ts";
import type { Session } from "./session.ts";
import type { CallMemory } from "./session-state.ts";

export interface Settling extends Pick<CallSettlement, "after" | "durable" | "soon"> {
  readonly session: Session;
  readonly call: Call;
  readonly result: Result;
  /** The rule that decided. */
  readonly rule?: string;
  /** Absent: the session remembers nothing of it. */
  readonly memory?: CallMemory;
}

/** Waits for the commit, but for one that may come `soon`: that promise is handed over inside. */
export async function settle(
  { session, call, result, memory, ...when }: Settling,
  { store, masker }: Pick<EngineDependencies, "store" | "masker">,
): Promise<{ readonly committed: Promise<readonly KaryiEvent[]> }> {
  const patch = memory?.patch();
  const kept = patch && (await keptPatch(patch, masker, session.values));
  const committed = store.settleCall({
    callId: call.id,
    sessionId: session.record.id,
    status: result.status === "ok" || result.status === "planned" ? "success" : "failed",
    result,
    events: [toolResult(call, result)],
    ...(kept === undefined ? {} : { patch: kept }),
    ...(call.by === undefined ? {} : { by: call.by }),
    ...when,
  });
  if (when.soon !== true) await committed;
  if (patch) session.open.apply(patch, kept);
  return { committed };
}
