/** Children whose process is gone: they go on where their caller is resumed, under the same names and calls. */
import type { RunRecord, SessionHandle } from "../../contract/index.ts";
import { childOf, inputOf } from "../recorded.ts";
import type { Child } from "./child.ts";
import { childAtWork, followTask } from "./child-life.ts";
import { eventsTold } from "./forward-events.ts";
import type { SubagentPorts } from "./subagent-ports.ts";

/** Goes on with a child, or takes its end from the record. `undefined` if another process has it. */
export async function revive(
  run: RunRecord,
  parent: SessionHandle,
  callSignal: AbortSignal | undefined,
  ports: SubagentPorts,
): Promise<Child | undefined> {
  const { engine, durable, recoverElsewhere, log } = ports;
  const input = childOf(run);
  const session = await engine.sessionById(run.sessionId);
  const top = (await engine.sessionById(run.rootSessionId)) ?? parent;
  if (input === undefined || session === undefined || (run.phase !== "ended" && !run.orphaned)) return undefined;
  const { subagentId, description, mode, callId, worktree } = input;
  // Calls that were cut off in another directory than the parent's are settled first: a resumed run asks what became of them.
  if (worktree !== undefined && run.phase !== "ended") await recoverElsewhere().catch((error) => log("Nothing was recovered", error));
  const told = await eventsTold(top, subagentId);
  const cancelled = new AbortController();
  const signal = callSignal === undefined ? cancelled.signal : AbortSignal.any([cancelled.signal, callSignal]);
  const done =
    run.phase === "ended"
      ? Promise.resolve(run.outcome ?? null)
      : durable
          .resume(run.id, signal)
          .then((handle) => handle?.done ?? Promise.reject(new Error(`The run of ${subagentId} is elsewhere.`)));
  const facts = { subagentId, runId: run.id, callId, parentRunId: run.parentId, description, mode };
  const child = childAtWork(
    { ...facts, agent: inputOf(run).agent },
    { session, top, done, worktree, told },
    () => cancelled.abort(),
    ports,
  );
  if (mode === "background") followTask(child, parent, ports).catch((error) => log(`The task ${subagentId} was not kept`, error));
  return child;
}
