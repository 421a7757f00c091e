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
import type { ArtifactDraft, ArtifactSummary, ArtifactText, ArtifactVersion, SavedArtifact } from "./artifacts.ts";
import type { RunStore } from "./durable.ts";
import type { Effect } from "./effect.ts";
import type { EventDraft, KaryiEvent } from "./event.ts";
import type { FileImage, JournalEntry } from "./journal.ts";
import type { Json } from "./json.ts";
import type { OutputPage } from "./outputs.ts";
import type { Fingerprint } from "./path.ts";
import type { Result } from "./result.ts";
import type { SessionKey, SessionPatch, SessionRecord, SessionState } from "./session.ts";
import type { SessionShelf } from "./session-shelf.ts";
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
  /** For the audit: who made the call, and the rule that decided it. */
  readonly by?: string;
  readonly rule?: string;
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
  /** The call runs already, by this process, where nothing counts: it stops and waits for the answer. */
  readonly rehearsed?: boolean;
}

export interface ApprovalAnswer {
  readonly id: string;
  readonly answer: Answer;
  readonly answeredBy: string;
  readonly words?: string;
  readonly nonce?: string;
  readonly now: number;
}

/** Told of each lock that is taken from a stopped process. */
export type LockSteal = (from: LockHolder) => void;

/** Who is in the way, and since when. */
export interface LockHolder {
  readonly path: string;
  readonly callId: string;
  readonly ownerId: string;
  readonly pid: number;
  readonly since: number;
  /** The process is stopped: it gives nothing back until somebody lets it go on. */
  readonly stopped: boolean;
  /** What the call does, where its record is there already. */
  readonly summary?: string;
}

/** A call that waits for a file, and who is in its way. */
export interface LockWait {
  readonly callId: string;
  readonly holder: LockHolder;
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
  /** Of each session in use; absent: all that are old enough. */
  readonly maxCalls?: number;
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

/** Everything that is given must fit. */
export interface ApprovalFilter {
  readonly sessionId?: string;
  readonly callId?: string;
  readonly status?: ApprovalStatus;
}

/** Sessions: who they belong to, where they stand, which files they read. */
interface SessionStore extends SessionShelf {
  openSession(key: SessionKey, workspace: string, initial: SessionState): Promise<SessionRecord>;
  session(id: string): Promise<SessionRecord | undefined>;
  listSessions(): Promise<readonly SessionRecord[]>;
  patchSession(id: string, patch: SessionPatch): Promise<void>;
  seenFiles(sessionId: string): Promise<ReadonlyMap<string, Fingerprint>>;
}

/** Calls with their journal, from intent to settlement, and those that a dead process left. */
interface CallStore {
  startCall(start: CallStart): Promise<StartOutcome>;
  /** For a new call without a journal. What is written down is asked for when it is, so that nobody waits for that either. */
  startCallSoon(callId: string, make: () => Pick<CallStart, "call" | "events">): Promise<readonly KaryiEvent[]>;
  /** A running call of this process waits again, as one that was asked about does. False if it is over. */
  leaveWaiting(callId: string): Promise<boolean>;
  settleCall(settlement: CallSettlement): Promise<readonly KaryiEvent[]>;
  call(id: string): Promise<CallRecord | undefined>;
  /** Newest first. */
  listCalls(filter: CallFilter): Promise<readonly CallRecord[]>;
  journal(callId: string): Promise<readonly JournalEntry[]>;
  /** The same in parts, so that the journal of a command that changed very many files is never held as a whole. */
  journalParts(callId: string, order?: "forwards" | "backwards"): AsyncIterable<readonly JournalEntry[]>;
  /** Of its entries only where they belong. */
  journalPaths(callId: string): Promise<readonly string[]>;
  /** Further before-images of a running call, on disk when it resolves. */
  appendJournal(callId: string, entries: readonly JournalEntry[]): Promise<void>;
  /**
   * Calls left `running` by owners that are dead: takes them over, to be settled by the caller. With a workspace, calls that
   * change files elsewhere are left.
   */
  adoptOrphans(workspace?: string): Promise<readonly CallRecord[]>;
  /** Workspaces whose calls `adoptOrphans` would still find. */
  orphanWorkspaces(): Promise<readonly string[]>;
}

/** The stream of each session. */
interface EventStore {
  appendEvents(sessionId: string, events: readonly EventDraft[], soon?: boolean): Promise<readonly KaryiEvent[]>;
  readEvents(sessionId: string, after: number, limit: number): Promise<readonly KaryiEvent[]>;
}

/** Questions to people and their answers. */
interface ApprovalStore {
  requestApproval(draft: ApprovalDraft): Promise<readonly KaryiEvent[]>;
  /** A pending question whose plan has changed: its card, binding and nonce are others from now on. */
  renewApproval(renewed: Pick<ApprovalRecord, "id" | "card" | "planHash" | "nonce" | "policyVersion">): Promise<ApprovalRecord | undefined>;
  /** First answer wins; `undefined` when it is not pending (any more). With a nonce only the answer to exactly that card counts. */
  answerApproval(answer: ApprovalAnswer): Promise<ApprovalRecord | undefined>;
  approval(id: string): Promise<ApprovalRecord | undefined>;
  listApprovals(filter: ApprovalFilter): Promise<readonly ApprovalRecord[]>;
}

/** Locks by path, across processes; they fall with their owner, by its pid or its lease. */
interface LockStore {
  /** All or none; answers the holder that is in the way. Locks of dead owners fall. */
  acquireLocks(callId: string, paths: readonly string[], steal?: LockSteal): Promise<LockHolder | undefined>;
  releaseLocks(callId: string): Promise<void>;
}

/** Long outputs, read in pages. */
interface OutputStore {
  createOutput(sessionId: string): Promise<OutputWriter>;
  readOutput(sessionId: string, ref: string, offset: number, limit: number): Promise<OutputPage | undefined>;
}

/** Tasks of a session. */
interface TaskStore {
  saveTask(sessionId: string, task: TaskRecord): Promise<void>;
  /** In the order they were made. Commands whose owner died are `lost`. */
  tasks(sessionId: string): Promise<readonly TaskRecord[]>;
}

/** Texts with their versions. */
interface ArtifactStore {
  /** The version and its event in one transaction; `tool_conflict` if the base is not the latest version. */
  saveArtifact(sessionId: string, draft: ArtifactDraft): Promise<SavedArtifact>;
  /** By id. */
  artifacts(sessionId: string): Promise<readonly ArtifactSummary[]>;
  artifact(sessionId: string, id: string, version?: number): Promise<ArtifactText | undefined>;
  /** Oldest first. */
  artifactVersions(sessionId: string, id: string): Promise<readonly ArtifactVersion[]>;
}

/** The hash-chained record of what was decided. */
interface AuditStore {
  audit(rows: readonly { readonly sessionId: string; readonly kind: string; readonly body: Json }[]): Promise<void>;
  readAudit(after: number, limit: number): Promise<readonly AuditRow[]>;
  /** How many rows the chain has. */
  auditRows(): Promise<number>;
  /** The first row whose hash or link does not hold. */
  verifyAudit(): Promise<{ readonly rows: number; readonly brokenAt?: number }>;
}

/** What is still referred to, and what may go. */
interface UpkeepStore {
  usedBlobs(): Promise<ReadonlySet<string>>;
  gc(request: GcRequest): Promise<GcReport>;
}

/**
 * Durable state, by subject. One conformance suite (`store/conformance.fixture.ts`) says what each operation promises; a second
 * database is a second `StoreOpener` that passes it.
 */
export interface Store
  extends SessionStore,
    CallStore,
    EventStore,
    ApprovalStore,
    LockStore,
    OutputStore,
    TaskStore,
    ArtifactStore,
    AuditStore,
    UpkeepStore {
  /** Registers this process; its calls and locks are its own until it closes or dies. */
  readonly owner: Owner;
  /** The home may not be written: everything that would change it fails, and says so. */
  readonly readOnly: boolean;

  /** Runs of agents, their steps and signals. */
  readonly runs: RunStore;

  /** Moves if another process committed something; costs next to nothing to ask. */
  othersVersion(): number;
  /** Resolves when something was committed by anybody, this process or another, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;

  close(): Promise<void>;
}

/** How a store is opened, whatever database it has. */
export interface StoreOptions {
  /** Private to Karyi; created where it is missing. */
  readonly directory: string;
  readonly owner: Owner;
  /**
   * For an owner whose pid others cannot look at: what it holds is its own as long as it renews this lease, which the store does.
   * Absent: `isAlive` decides.
   */
  readonly leaseMs?: number;
  /** Whether that process still runs, the same start of it. */
  isAlive(owner: Owner): boolean;
  /** Whether it is stopped (by a signal or a debugger); nobody is unless said otherwise. */
  isStopped?(owner: Owner): boolean;
  now?(): number;
  /** Said to the person: what was damaged and where it is now. */
  onDamage?(message: string): void;
  /** Of one output; above it the middle is dropped and counted. */
  readonly outputQuotaBytes?: number;
}

export type StoreOpener = (options: StoreOptions) => Promise<Store>;
