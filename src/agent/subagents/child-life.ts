/** The life of a child in this process, until its last event is at the top and its worktree is put away. */
import { type Json, type RunEndBody, RunSuspended, type SessionHandle, type TaskRecord } from "../../contract/index.ts";
import { noUsage } from "../history/message.ts";
import { endOf } from "../recorded.ts";
import { type Child, type ChildEnd, endStatus } from "./child.ts";
import { forwardEvents } from "./forward-events.ts";
import type { SubagentPorts } from "./subagent-ports.ts";
import type { Worktree } from "./worktree.ts";

/** What a child in this process works with. */
export interface ChildWork {
  readonly session: SessionHandle;
  readonly top: SessionHandle;
  readonly done: Promise<Json>;
  readonly worktree: Worktree | undefined;
  /** What of it a process that is gone told at the top. */
  readonly told: { readonly count: number; readonly isEnded: boolean };
}

export type ChildFacts = Omit<Child, "text" | "calls" | "isTold" | "cancel" | "done">;

export function childAtWork(facts: ChildFacts, work: ChildWork, cancel: () => void, ports: SubagentPorts): Child {
  const child: Child = {
    ...facts,
    text: "",
    calls: 0,
    isTold: false,
    cancel,
    done: Promise.resolve().then(() => liveOf(child, work, ports)),
  };
  return child;
}

/** A child in the background is a task of its parent's. */
export async function followTask(child: Child, parent: SessionHandle, { now, saveTask, log }: SubagentPorts): Promise<void> {
  const { subagentId: id, description, agent } = child;
  const title = description === "" ? agent : description;
  const startedAt = (await parent.tasks.list()).find((known) => known.id === id)?.startedAt ?? now();
  const task: TaskRecord = { id, kind: "agent", title, status: "in_progress", startedAt, outputBytes: 0 };
  await saveTask(parent.id, task);
  const ended = child.done.then(({ status, isSuspended }) => {
    if (isSuspended) return;
    const outputBytes = Buffer.byteLength(child.text);
    return saveTask(parent.id, { ...task, status: status === "max_rounds" ? "done" : status, endedAt: now(), outputBytes });
  });
  ended.catch((error) => log(`The end of ${id} was not kept`, error));
}

/** Until the child's last event is at the top and its worktree is put away. */
async function liveOf(child: Child, { session, top, done, worktree, told }: ChildWork, ports: SubagentPorts): Promise<ChildEnd> {
  const { runId, subagentId } = child;
  const over = new AbortController();
  const forwarding = forwardEvents({
    child: session,
    top,
    runId,
    subagentId,
    signal: over.signal,
    toldUpTo: told.count,
    onEvent: (event) => {
      if (event.type === "tool_result") child.calls += 1;
      if (event.type === "text") child.text += `${event.body.text}\n`;
    },
  }).catch((error) => ports.log(`Events of ${subagentId} could not be told`, error));
  let outcome: Pick<RunEndBody, "status" | "text" | "usage" | "error">;
  try {
    outcome = endOf({ outcome: await done }) ?? { status: "cancelled", text: "", usage: noUsage };
    await forwarding;
  } catch (error) {
    if (error instanceof RunSuspended) return leave(child);
    outcome = { status: "failed", text: "", usage: noUsage, error: { code: "internal", message: (error as Error).message } };
  } finally {
    over.abort();
  }
  const { status, text, usage, error } = outcome;
  let end: ChildEnd = {
    status: endStatus(status),
    text,
    calls: child.calls,
    usage,
    ...(error === undefined ? {} : { error: error.message }),
  };
  if (worktree !== undefined && !told.isEnded) end = { ...end, ...(await putAway(worktree, child, ports)) };
  child.end = end;
  const { status: ended, calls } = end;
  if (told.isEnded) return end;
  await top
    .append([{ type: "subagent_end", subagentId, body: { status: ended, calls, usage, text } }])
    .catch((failure) => ports.log("An end was not told", failure));
  return end;
}

/** Nothing is told or put away: the child goes on in another process. */
function leave(child: Child): ChildEnd {
  child.end = { status: "cancelled", text: child.text, calls: child.calls, usage: noUsage, isSuspended: true };
  return child.end;
}

async function putAway(
  worktree: Worktree,
  { agent, description, subagentId }: Child,
  ports: SubagentPorts,
): Promise<Pick<ChildEnd, "branch" | "changed" | "error">> {
  try {
    const { changed } = await ports.worktrees.finish(worktree, description === "" ? `${agent} (${subagentId})` : description);
    return { branch: worktree.branch, changed };
  } catch (error) {
    ports.log(`The worktree ${worktree.root} could not be put away`, error);
    return { branch: worktree.branch, error: `its worktree stays at ${worktree.root}: ${(error as Error).message}` };
  }
}
