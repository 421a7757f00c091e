/** Wires sub-agents: their rights, worktrees beside the home, and their place among the tasks of a session. */
import { randomUUID } from "node:crypto";
import { type AgentDefinitions, type SubagentPorts, SubagentRoom } from "../agent/index.ts";
import type { AgentKit, SessionHandle, Store, TaskOutputPage, TaskRecord } from "../contract/index.ts";
import { createWorktrees, worktreeFolder } from "../host/index.ts";
import type { AgentFiles } from "./agent-files.ts";
import { kitOf } from "./agent-kit.ts";
import type { SessionPolicies } from "./session-policies.ts";

export interface SubagentWiring
  extends Pick<SubagentPorts, "durable" | "engine" | "definitions" | "defaultModel" | "openModel" | "maxDepth" | "log"> {
  readonly home: string;
  readonly store: Store;
  recover(options: { readonly everywhere: true }): Promise<unknown>;
}

export function createSubagents({ home, store, recover, ...rest }: SubagentWiring): SubagentRoom {
  return new SubagentRoom({
    ...rest,
    worktrees: createWorktrees(worktreeFolder(home)),
    recoverElsewhere: async () => void (await recover({ everywhere: true })),
    saveTask: (sessionId, task) => store.saveTask(sessionId, task),
    now: Date.now,
    newId: randomUUID,
  });
}

/** Agents by their files; whoever works as one has its tools from then on. */
export function definitionsOf(files: AgentFiles, store: Store, policies: Pick<SessionPolicies, "hold">): AgentDefinitions {
  const give = async (session: SessionHandle, kit: AgentKit | undefined): Promise<void> => {
    const record = await store.session(session.id);
    if (record === undefined) return;
    const { agent, ...rights } = record.state.rights ?? {};
    if (JSON.stringify(agent) === JSON.stringify(kit)) return;
    const changed = kit === undefined ? rights : { ...rights, agent: kit };
    await store.patchSession(session.id, { state: { rights: changed } });
    await policies.hold({ ...record, state: { ...record.state, rights: changed } });
  };
  return {
    find: async ({ workspace }, name) => (await files.definitions(workspace)).agents.find((agent) => agent.name === name),
    names: async ({ workspace }) => (await files.definitions(workspace)).agents.map(({ name }) => name),
    workAs: async (session, definition) => {
      await give(session, kitOf(definition));
      return session;
    },
    leave: (session) => give(session, undefined),
  };
}

const maxOffered = 300;

/** One line each: a skill's words are told only when a model asks for them. */
export async function offersOf(files: AgentFiles, { workspace, catalog }: SessionHandle): Promise<string | undefined> {
  const line = ({ name, description }: { readonly name: string; readonly description: string }) => {
    const flat = description.replace(/\s+/g, " ");
    return `- ${name}: ${flat.length > maxOffered ? `${flat.slice(0, maxOffered)}…` : flat}`;
  };
  const { skills } = await files.skills(workspace);
  const agents = catalog.activeTools().some(({ name }) => name === "Agent") ? (await files.definitions(workspace)).agents : [];
  const parts = [
    ...(skills.length === 0 ? [] : [`<skills tool="Skill">\n${skills.map(line).join("\n")}\n</skills>`]),
    ...(agents.length === 0 ? [] : [`<agents tool="Agent">\n${agents.map(line).join("\n")}\n</agents>`]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** Children in the background as the task tools meet them. */
export interface AgentTasks {
  output(sessionId: string, task: TaskRecord, offset: number, waitMs: number, signal: AbortSignal): Promise<TaskOutputPage | undefined>;
  stop(sessionId: string, task: TaskRecord): Promise<TaskRecord | undefined>;
}

export function agentTasks(room: SubagentRoom): AgentTasks {
  const ended = (task: TaskRecord, status: TaskRecord["status"], text: string): TaskRecord => ({
    ...task,
    status,
    endedAt: Date.now(),
    outputBytes: Buffer.byteLength(text),
  });
  return {
    async output(sessionId, task, offset, waitMs, signal) {
      const child = await room.childOf(sessionId, task.id);
      if (child === undefined) return undefined;
      if (child.end === undefined && waitMs > 0)
        await Promise.race([child.done, aborted(AbortSignal.any([signal, AbortSignal.timeout(waitMs)]))]);
      const bytes = Buffer.from(child.text);
      const page = { text: bytes.subarray(offset).toString("utf8"), offset, next: bytes.length, dropped: 0 };
      if (child.end === undefined) return { ...page, task: { ...task, outputBytes: bytes.length } };
      child.isTold = true;
      const { status } = child.end;
      return { ...page, task: ended(task, status === "max_rounds" ? "done" : status, child.text) };
    },
    async stop(sessionId, task) {
      const child = await room.childOf(sessionId, task.id);
      if (child === undefined) return undefined;
      child.cancel();
      const { status } = await child.done;
      child.isTold = true;
      return ended(task, status === "max_rounds" ? "done" : status, child.text);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
