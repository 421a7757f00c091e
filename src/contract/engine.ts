/** The engine as fronts know it: command, gateway, MCP and agents import this, and nothing of the engine room. */
import type { ApprovalRecord, ApprovalReply, ApprovalStatus } from "./approval.ts";
import type { ToolCard, ToolSpec } from "./catalog.ts";
import type { KaryiEvent } from "./event.ts";
import type { JsonSchema } from "./json.ts";
import type { Decision } from "./policy.ts";
import type { Result } from "./result.ts";
import type { AgentRunner } from "./run.ts";
import type { SessionRecord } from "./session.ts";
import type { CallOptions, OpenSessionOptions, SessionHandle } from "./session-handle.ts";
import type { AuditRow, CallRecord, GcReport } from "./store.ts";
import type { TerminalState } from "./terminals.ts";
import type { Tool, Traits } from "./tool.ts";
import type { ToolRegistration } from "./tool-registration.ts";

export interface LiveTerminal extends Partial<Pick<TerminalState, "state" | "waiting" | "program" | "cwd">> {
  readonly session: SessionRecord;
  /** Of the process that serves it. */
  readonly pid: number;
  /** True if a process of its own serves it. */
  readonly kept: boolean;
}

export interface GarbageReport extends GcReport {
  /** Kept dry runs. */
  readonly changeSets: number;
}

/** A tool as it is advertised, with its traits and what of it can be previewed and undone. */
export interface DescribedTool extends ToolSpec {
  readonly traits: Traits;
  readonly safetyLevel: 0 | 1 | 2;
  /** JSON Schema of `data` in its results. */
  readonly dataSchema?: JsonSchema;
  /** Parts of an imported schema that are not checked, because they make no sense: `properties/x: pattern`. Absent: all is. */
  readonly unchecked?: readonly string[];
}

/** How somebody listens to events. */
export interface Listening {
  /** Records that nobody waits for are committed with others, up to 20 ms late; a patient listener hears of them then. */
  readonly patient?: boolean;
}

/**
 * A running engine: sessions, approvals, tools, upkeep.
 *
 * @example
 * const engine = await createEngine({ workspace: "." });
 * const session = await engine.openSession();
 * await session.call("Bash", { command: "ls" });
 * await engine.close();
 */
export interface KaryiEngine {
  readonly workspace: string;
  readonly home: string;
  readonly runner: AgentRunner;

  /**
   * Opens a session, or a further handle of one that is open. Without options: the session of the workspace.
   *
   * @example
   * const review = await engine.openSession({ id: "review", mode: "plan", rules: { deny: ["Read(private/**)"] } });
   */
  openSession(options?: OpenSessionOptions): Promise<SessionHandle>;
  /** The session by its internal id, with the rights it was opened with. `undefined` if there is none. */
  sessionById(id: string): Promise<SessionHandle | undefined>;
  listSessions(): Promise<readonly SessionRecord[]>;

  tools(): readonly ToolCard[];
  /** `undefined` if there is no tool of this name or alias. */
  describeTool(name: string): DescribedTool | undefined;
  /**
   * Adds a tool while the engine runs; the answer removes it again.
   *
   * @example
   * const remove = engine.registerTool(
   *   defineTool({ name: "Ping", description: "Answers.", input: { type: "object" }, run: () => ({ output: "pong" }) }),
   * );
   * remove();
   */
  registerTool(tool: Tool): ToolRegistration;

  approvals(status?: ApprovalStatus): Promise<readonly ApprovalRecord[]>;
  approval(id: string): Promise<ApprovalRecord | undefined>;
  /** A pending question as it is now: if its plan changed, it has another card and another nonce. */
  refreshApproval(record: ApprovalRecord): Promise<ApprovalRecord>;
  /** First answer wins; `undefined` if it is not pending any more. */
  answer(approvalId: string, reply: ApprovalReply, answeredBy?: string): Promise<ApprovalRecord | undefined>;
  /** Continues a suspended call after its approval was answered. */
  resume(approvalId: string, options?: CallOptions): Promise<Result>;
  /** After an answer: a process that waited for it goes on; if none did, the call goes on here. */
  finishAnswered(approval: ApprovalRecord): Promise<Result>;
  explainDecision(decision: Decision): string;
  call(id: string): Promise<CallRecord | undefined>;

  /**
   * Live events of this process, of all sessions; the answer stops it.
   *
   * @example
   * const stop = engine.onEvent((event) => console.log(event.sessionId, event.seq, event.type));
   * stop();
   */
  onEvent(listener: (event: KaryiEvent) => void, listening?: Listening): () => void;
  /** Resolves if anybody committed something, this process or another, or if `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;

  terminals(): Promise<readonly LiveTerminal[]>;
  terminalSocket(sessionId: string): string;
  endTerminal(sessionId: string): Promise<boolean>;
  /** Removes a session with all it holds: terminal, temporary files, records. Refuses (`tool_conflict`) while a call is under way. */
  removeSession(sessionId: string): Promise<void>;

  verifyAudit(): Promise<{ readonly rows: number; readonly brokenAt?: number }>;
  readAudit(after: number, limit: number): Promise<readonly AuditRow[]>;
  collectGarbage(request?: { readonly olderThanDays?: number; readonly dryRun?: boolean }): Promise<GarbageReport>;
  close(): Promise<void>;
}
