/**
 * Durable state as named operations, each one transaction, so that SQLite today and Postgres
 * later serve the same callers. Nothing acknowledged is lost under `kill -9`: a promise resolves
 * when its transaction is committed.
 *
 * `durable` says that the transaction must also survive a power cut before the promise resolves;
 * without it a commit survives the death of the process only. `soon` says that it may wait a few
 * milliseconds to be committed together with others: for calls that change nothing, whose caller
 * does not wait for it. Whatever is asked of the store later sees it.
 */
import type { Answer, ApprovalRecord, ApprovalStatus } from "./approval.ts";
import type { Effect } from "./effect.ts";
import type { EventDraft, KaryiEvent } from "./event.ts";
import type { FileImage, JournalEntry } from "./journal.ts";
import type { Json } from "./json.ts";
import type { OutputPage } from "./outputs.ts";
import type { Fingerprint } from "./path.ts";
import type { Result } from "./result.ts";
import type { SessionKey, SessionPatch, SessionRecord, SessionState } from "./session.ts";
import type { TaskRecord } from "./tasks.ts";

/** A process that may hold calls and locks; it is dead when its pid is gone or belongs to another start. */
export interface Owner {
  readonly id: string;
  readonly pid: number;
  /** Distinguishes a recycled pid. */
  readonly startToken: string;
}

/** `asked`: waits for an approval. `running`: intent recorded, no result yet. */
export type CallPhase = "asked" | "running" | "settled";

/** The journal's word on an operation (C11). */
export type OperationStatus = "success" | "failed" | "rolled_back";

export interface CallRecord {
  readonly id: string;
  readonly sessionId: string;
  readonly tool: string;
  /** Canonical, masked: placeholders stay placeholders. */
  readonly input: Json;
  readonly cwd: string;
  readonly summary: string;
  readonly effects: readonly Effect[];
  readonly phase: CallPhase;
  readonly ownerId: string;
  readonly startedAt: number;
  readonly settledAt?: number;
  readonly messageId?: string;
  readonly agent?: string;
  readonly status?: OperationStatus;
  readonly result?: Result;
  /** Of an undo: the call it took back. */
  readonly undoOf?: string;
  /** The raw call as decoded, so that a suspended one can be planned again after a restart. */
  readonly request: Json;
}

export interface CallStart {
  readonly call: Omit<CallRecord, "phase" | "settledAt" | "status" | "result">;
  readonly events: readonly EventDraft[];
  /** On disk before the first change. */
  readonly journal: readonly JournalEntry[];
  /** An approval that this start uses up; the start fails with `approval_void` when it is not granted and unused. */
  readonly approvalId?: string;
  readonly durable: boolean;
}

export type StartOutcome =
  | { readonly kind: "started"; readonly events: readonly KaryiEvent[] }
  /** The id is known already: nothing was written. */
  | { readonly kind: "known"; readonly call: CallRecord }
  | { readonly kind: "approval_void"; readonly status: ApprovalStatus | "missing" };

export interface CallSettlement {
  readonly callId: string;
  readonly sessionId: string;
  readonly status: OperationStatus;
  readonly result: Result;
  readonly events: readonly EventDraft[];
  readonly patch?: SessionPatch;
  readonly after?: readonly { readonly path: string; readonly after: FileImage }[];
  /** Calls that this one (an undo) rolled back, or brought back (`success`). */
  readonly mark?: readonly { readonly callId: string; readonly status: OperationStatus }[];
  readonly durable: boolean;
  readonly soon?: boolean;
}

export interface CallFilter {
  readonly sessionId?: string;
  readonly messageId?: string;
  readonly phase?: CallPhase;
  /** Only calls with journal entries. */
  readonly writing?: boolean;
  readonly limit?: number;
}

export interface ApprovalDraft {
  readonly record: Omit<ApprovalRecord, "status">;
  readonly call: CallStart["call"];
  readonly events: readonly EventDraft[];
}

export interface ApprovalAnswer {
  readonly id: string;
  readonly answer: Answer;
  readonly answeredBy: string;
  readonly words?: string;
  readonly now: number;
}

export interface LockHolder {
  readonly path: string;
  readonly callId: string;
  readonly ownerId: string;
}

export interface AuditRow {
  readonly seq: number;
  readonly time: number;
  readonly sessionId: string;
  readonly kind: string;
  readonly body: Json;
  readonly previousHash: string;
  readonly hash: string;
}

export interface GcRequest {
  readonly olderThan: number;
  readonly maxOutputBytes: number;
  readonly dryRun: boolean;
}

export interface GcReport {
  readonly sessions: number;
  readonly calls: number;
  readonly events: number;
  readonly outputs: number;
  readonly bytesFreed: number;
}

/** Keeps a long output while it is produced; memory use does not grow with its length. */
export interface OutputWriter {
  readonly ref: string;
  write(text: string): Promise<void>;
  /** Exact byte count of everything written, also of what quotas dropped. */
  close(): Promise<{ readonly total: number; readonly kept: number }>;
}

export interface Store {
  /** Registers this process; its calls and locks are its own until it closes or dies. */
  readonly owner: Owner;

  openSession(key: SessionKey, workspace: string, initial: SessionState): Promise<SessionRecord>;
  session(id: string): Promise<SessionRecord | undefined>;
  listSessions(): Promise<readonly SessionRecord[]>;
  patchSession(id: string, patch: SessionPatch): Promise<void>;
  seenFiles(sessionId: string): Promise<ReadonlyMap<string, Fingerprint>>;

  startCall(start: CallStart): Promise<StartOutcome>;
  /** For a new call without a journal. What is written down is asked for when it is, so that nobody waits for that either. */
  startCallSoon(callId: string, make: () => Pick<CallStart, "call" | "events">): Promise<readonly KaryiEvent[]>;
  settleCall(settlement: CallSettlement): Promise<readonly KaryiEvent[]>;
  call(id: string): Promise<CallRecord | undefined>;
  /** Newest first. */
  listCalls(filter: CallFilter): Promise<readonly CallRecord[]>;
  journal(callId: string): Promise<readonly JournalEntry[]>;
  /** Further before-images of a running call, on disk when it resolves. */
  appendJournal(callId: string, entries: readonly JournalEntry[]): Promise<void>;
  /** Calls left `running` by owners that are dead: takes them over, to be settled by the caller. */
  adoptOrphans(): Promise<readonly CallRecord[]>;

  appendEvents(sessionId: string, events: readonly EventDraft[], soon?: boolean): Promise<readonly KaryiEvent[]>;
  readEvents(sessionId: string, after: number, limit: number): Promise<readonly KaryiEvent[]>;

  requestApproval(draft: ApprovalDraft): Promise<readonly KaryiEvent[]>;
  /** First answer wins; `undefined` when it is not pending (any more). */
  answerApproval(answer: ApprovalAnswer): Promise<ApprovalRecord | undefined>;
  approval(id: string): Promise<ApprovalRecord | undefined>;
  listApprovals(filter: { readonly sessionId?: string; readonly status?: ApprovalStatus }): Promise<readonly ApprovalRecord[]>;

  /** All or none; answers the holder that is in the way. Locks of dead owners fall. */
  acquireLocks(callId: string, paths: readonly string[]): Promise<LockHolder | undefined>;
  releaseLocks(callId: string): Promise<void>;

  createOutput(sessionId: string): Promise<OutputWriter>;
  readOutput(sessionId: string, ref: string, offset: number, limit: number): Promise<OutputPage | undefined>;

  saveTask(sessionId: string, task: TaskRecord): Promise<void>;
  /** In the order they were made. Commands whose owner died are `lost`. */
  tasks(sessionId: string): Promise<readonly TaskRecord[]>;

  audit(rows: readonly { readonly sessionId: string; readonly kind: string; readonly body: Json }[]): Promise<void>;
  readAudit(after: number, limit: number): Promise<readonly AuditRow[]>;
  /** The first row whose hash or link does not hold. */
  verifyAudit(): Promise<{ readonly rows: number; readonly brokenAt?: number }>;

  /** Resolves when something was committed by anybody, this process or another, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;

  usedBlobs(): Promise<ReadonlySet<string>>;
  gc(request: GcRequest): Promise<GcReport>;
  close(): Promise<void>;
}
