/** What the agent room is given by whoever wires it. It opens no file and no database itself. */
import type { Durable, Json, KaryiEngine, MaskStream, SessionHandle, Subagents } from "../contract/index.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import type { Model } from "./providers/model.ts";

export interface AgentDefinitions {
  /** `undefined` if there is none of this name. */
  find(session: Pick<SessionHandle, "workspace">, name: string): Promise<AgentDefinition | undefined>;
  names(session: Pick<SessionHandle, "workspace">): Promise<readonly string[]>;
  /** The session with the rights of the agent: its calls are made on it. */
  workAs(session: SessionHandle, definition: AgentDefinition): Promise<SessionHandle>;
  /** No agent works in the session any more: it has its own rights again. */
  leave(session: SessionHandle): Promise<void>;
}

/** Agents that work beside a run, as the loop meets them. */
export interface SideWork {
  /** Waits for agents that still run in the background when the model has ended its turn; their words for a further turn. */
  beforeEnd(runId: string, session: SessionHandle, signal: AbortSignal): Promise<string | undefined>;
  /** A run goes on whose process is gone: so do the agents in the background that it had started. */
  resumed(runId: string, session: SessionHandle): Promise<void>;
  /** Ends everything that a run started and that still goes on. */
  afterEnd(runId: string, session: SessionHandle): Promise<void>;
  registry(sessionId: string): Subagents;
}

export interface AgentPorts {
  readonly durable: Durable;
  readonly engine: Pick<KaryiEngine, "describeTool" | "call" | "answer" | "approvals" | "sessionById" | "changed">;
  readonly definitions: AgentDefinitions;
  readonly sideWork: SideWork;
  /** Throws a `ToolFailure` if the model cannot be used. `record` keeps its answers in a file. */
  openModel(id: string, session: Pick<SessionHandle, "workspace">, record?: string): Promise<Model>;
  /** `PROVIDER/MODEL` of the config and the environment. */
  defaultModel(session: SessionHandle): Promise<string | undefined>;
  /** The model that takes over if the first one does not answer; absent: none. */
  fallbackModel(id: string, session: SessionHandle): Promise<string | undefined>;
  /** `AGENTS.md`, else `CLAUDE.md`, of the workspace. */
  instructions(workspace: string): Promise<{ readonly name: string; readonly text: string } | undefined>;
  /** Skills and agents by name and description, for the first words of a conversation. */
  offers(session: SessionHandle): Promise<string | undefined>;
  /** Number of the newest event of a session. */
  lastSeq(sessionId: string): Promise<number>;
  /** Keeps a text of a session whole; answers its `ReadOutput` reference. */
  keepOutput(sessionId: string, text: string): Promise<string>;
  maskJson<T extends Json>(value: T): T;
  maskStream(): MaskStream;
  /** How much of one result a model reads, in estimated tokens. */
  modelOutputTokens(session: SessionHandle): Promise<number>;
  readonly platform: string;
  now(): number;
  newId(): string;
  log(message: string, cause?: unknown): void;
}
