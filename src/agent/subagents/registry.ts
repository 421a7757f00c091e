/** The registry of sub-agents (A5), read from the recorded runs: it is the same in every process. */
import type { Durable, KaryiEngine, RunRecord, SubagentState, Subagents } from "../../contract/index.ts";
import { addUsage, noUsage } from "../history/message.ts";
import { childOf, endOf, inputOf } from "../recorded.ts";
import { endStatus } from "./child.ts";

interface RegistryPorts {
  readonly durable: Pick<Durable, "runs" | "cancel">;
  readonly engine: Pick<KaryiEngine, "sessionById" | "approvals">;
}

const pageSize = 500;

export function subagentRegistry(sessionId: string, { durable, engine }: RegistryPorts): Subagents {
  /** Oldest first; of a child's session only what is below it. */
  const below = async (): Promise<readonly RunRecord[]> => {
    const own = await durable.runs({ sessionId });
    const top = own.find(({ rootSessionId }) => rootSessionId !== sessionId)?.rootSessionId ?? sessionId;
    const all = (await durable.runs({ rootSessionId: top })).filter((run) => childOf(run) !== undefined);
    const oldestFirst = [...all].reverse();
    return top === sessionId ? oldestFirst : descendants(oldestFirst, new Set(own.map(({ id }) => id)));
  };
  const find = async (id: string) => (await below()).find((run) => nameOf(run) === id);
  const describe = async (run: RunRecord): Promise<SubagentState> => stateOf(run, await below(), engine);
  return {
    list: async () => Promise.all((await below()).map(describe)),
    find: async (id) => {
      const run = await find(id);
      return run && describe(run);
    },
    cancel: async (id, { subtree = false } = {}) => {
      const run = await find(id);
      if (run === undefined || run.phase === "ended") return false;
      if (subtree) for (const lower of descendants(await below(), new Set([run.id]))) await durable.cancel(lower.id);
      return durable.cancel(run.id);
    },
  };
}

function nameOf(run: RunRecord): string | undefined {
  return childOf(run)?.subagentId;
}

function descendants(oldestFirst: readonly RunRecord[], above: Set<string>): readonly RunRecord[] {
  return oldestFirst.filter(({ id, parentId }) => {
    if (parentId === undefined || !above.has(parentId)) return false;
    above.add(id);
    return true;
  });
}

async function stateOf(run: RunRecord, all: readonly RunRecord[], engine: RegistryPorts["engine"]): Promise<SubagentState> {
  const { agent, child } = inputOf(run);
  const parent = all.find(({ id }) => id === run.parentId);
  const seen = await activityOf(run, engine);
  const outcome = run.phase === "ended" ? endOf(run) : undefined;
  const parentId = child?.parentSubagentId ?? (parent && nameOf(parent));
  return {
    id: child?.subagentId ?? run.id,
    ...(parentId === undefined ? {} : { parentId }),
    sessionId: run.sessionId,
    agent,
    description: child?.description ?? "",
    mode: child?.mode ?? "sync",
    status: outcome === undefined ? ((await isWaiting(run, engine)) ? "waiting" : "running") : endStatus(outcome.status),
    calls: seen.calls,
    usage: outcome?.usage ?? seen.usage,
    startedAt: run.startedAt ?? run.createdAt,
    lastActivityAt: seen.at ?? run.startedAt ?? run.createdAt,
    ...(run.endedAt === undefined ? {} : { endedAt: run.endedAt }),
  };
}

async function isWaiting({ sessionId, orphaned }: RunRecord, engine: RegistryPorts["engine"]): Promise<boolean> {
  return orphaned || (await engine.approvals("pending")).some((one) => one.sessionId === sessionId);
}

async function activityOf({ sessionId }: RunRecord, engine: RegistryPorts["engine"]) {
  const session = await engine.sessionById(sessionId);
  let [calls, usage, at]: [number, typeof noUsage, number | undefined] = [0, noUsage, undefined];
  for (let after = 0; session !== undefined; ) {
    const page = await session.readEvents(after, pageSize);
    for (const event of page) {
      if (event.type === "tool_result") calls += 1;
      if (event.type === "turn_end" && event.body.usage) usage = addUsage(usage, event.body.usage);
      at = event.time;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = last.seq;
  }
  return { calls, usage, at };
}
