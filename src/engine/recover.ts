/**
 * After a crash: a call with an intent and no result was under way when its process died. It is not
 * run again; its outcome is said to be unknown, and its before-images still allow to undo it. An undo
 * is finished, for it is known what it had to do.
 */
import type { CallRecord, Result } from "../contract/index.ts";
import { captureAfter, changedSince } from "./before-images.ts";
import { callOf } from "./call-life.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { toolResult } from "./records.ts";
import type { Undo } from "./undo.ts";

/** Answers how many calls were found. */
export async function recover({ store, images, now, log }: EngineDependencies, undo: Pick<Undo, "finish">): Promise<number> {
  const orphans = await store.adoptOrphans();
  for (const call of orphans) {
    if (call.undoOf !== undefined && (await finished(call, undo, log))) continue;
    const journal = await store.journal(call.id);
    const after = await captureAfter(journal, images);
    const undoable = changedSince(journal, after);
    const result: Result = {
      callId: call.id,
      tool: call.tool,
      status: "error",
      output: `The process ended while ${call.tool} was running. Whether it finished is not known: check before doing it again.`,
      content: [],
      error: {
        code: "tool_error",
        message: "The process ended while this call was running; its outcome is unknown.",
        hint: undoable ? `What it changed can be taken back with undo ${call.id}.` : "Check the state of things before doing it again.",
        details: { reason: "outcome_unknown" },
      },
      undoable,
      durationMs: Math.max(0, now() - call.startedAt),
    };
    await store.settleCall({
      callId: call.id,
      sessionId: call.sessionId,
      status: "failed",
      result,
      events: [toolResult(callOf(call), result)],
      after,
      durable: true,
    });
  }
  return orphans.length;
}

async function finished(call: CallRecord, undo: Pick<Undo, "finish">, log: EngineDependencies["log"]): Promise<boolean> {
  try {
    return await undo.finish(call);
  } catch (error) {
    log(`The undo ${call.id} could not be finished`, error);
    return false;
  }
}
