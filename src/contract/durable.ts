/**
 * Runs that survive a crash. A run is a function over a `DurableContext`: its steps are recorded, its signals are kept,
 * and after a kill it is called again and finds what was done. One adapter is embedded over the store; another one may
 * stand on a distributed engine without a change of the functions.
 */
import type { EventDraft, KaryiEvent } from "./event.ts";
import type { Json } from "./json.ts";

/**
 * `pure` and `idempotent` steps may run again after a crash. Before an `unsafe` step its intent is recorded; after a crash
 * between intent and result it does not run again but fails with `OutcomeUnknown`.
 */
export type StepEffect = "pure" | "idempotent" | "unsafe";

export type RunPhase = "queued" | "running" | "ended";

/** A run as it is recorded. */
export interface RunRecord {
  readonly id: string;
  /** Runs of one session go one at a time, first in, first out, over all processes. */
  readonly sessionId: string;
  /** The session whose stream shows this run: its own, or that of the run at the top. */
  readonly rootSessionId: string;
  /** Of a child: the run that started it. */
  readonly parentId?: string;
  /** Name of the function. */
  readonly name: string;
  readonly input: Json;
  readonly phase: RunPhase;
  /** True if the process that owned the run is gone and the run has not ended. */
  readonly orphaned: boolean;
  /** True if a cancel was asked for. */
  readonly cancelling: boolean;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly outcome?: Json;
  /** What the run last said about itself. */
  readonly progress?: Json;
}

export interface StepRecord {
  readonly runId: string;
  readonly name: string;
  /** Absent: an intent without a result. */
  readonly output?: Json;
}

export interface RunStart {
  /** Idempotency key: a second start with it answers the run that is there. */
  readonly id: string;
  readonly sessionId: string;
  readonly rootSessionId?: string;
  readonly parentId?: string;
  readonly name: string;
  readonly input: Json;
}

export interface RunSignal {
  readonly topic: string;
  readonly body: Json;
  /** The same key of the same run is kept once. */
  readonly key: string;
}

/** What belongs to a recorded step and is written in the same transaction. */
export interface StepExtras {
  readonly events?: readonly EventDraft[];
  readonly progress?: Json;
}

/** Durable state of runs as named operations, each one transaction. */
export interface RunStore {
  createRun(start: RunStart): Promise<RunRecord>;
  run(id: string): Promise<RunRecord | undefined>;
  /** Newest first. */
  runs(filter: { readonly sessionId?: string; readonly rootSessionId?: string; readonly open?: boolean }): Promise<readonly RunRecord[]>;
  /**
   * Makes this process the owner of a run. `blocked`: an earlier run of the session is alive, or this one is driven elsewhere.
   * `supersedes`: earlier runs whose process is gone; they must be ended before this one can be claimed.
   */
  claimRun(id: string): Promise<RunClaim>;
  steps(sessionId: string): Promise<readonly StepRecord[]>;
  recordIntent(runId: string, name: string): Promise<void>;
  recordStep(runId: string, name: string, output: Json, extras: StepExtras): Promise<readonly KaryiEvent[]>;
  /** Takes the signals of a topic that nobody took, and records them as the output of a step. None: records nothing. */
  takeSignals(runId: string, topic: string, name: string): Promise<readonly Json[]>;
  addSignal(runId: string, signal: RunSignal): Promise<boolean>;
  noteProgress(runId: string, progress: Json): Promise<void>;
  askCancel(runId: string): Promise<boolean>;
  /** Whether somebody asked for it: looked at after every commit, so it costs little. `undefined` if there is no such run. */
  isCancelling(runId: string): Promise<boolean | undefined>;
  /** `undefined`: the run goes on, because a signal of the topic `unless` waits that nobody took. */
  endRun(runId: string, outcome: Json, events: readonly EventDraft[], unless?: string): Promise<readonly KaryiEvent[] | undefined>;
}

export type RunClaim =
  | { readonly kind: "claimed" }
  | { readonly kind: "supersedes"; readonly runs: readonly RunRecord[] }
  | { readonly kind: "blocked"; readonly by: string }
  | { readonly kind: "ended" };

/** An unsafe step began before a crash and nobody knows how it ended. */
export class OutcomeUnknown extends Error {
  constructor(step: string) {
    super(`The process ended during '${step}'; its outcome is unknown.`);
    this.name = "OutcomeUnknown";
  }
}

/** The reason of an abort if the process stops driving a run without ending it: it can be resumed. */
export class RunSuspended extends Error {
  constructor() {
    super("The process that drove this run is ending; the run can be resumed.");
    this.name = "RunSuspended";
  }
}

/** True if the process ends and whatever `signal` stands for is to be resumed. */
export function isSuspended(signal: AbortSignal | undefined): boolean {
  if (signal?.aborted !== true) return false;
  const { reason } = signal;
  return reason instanceof RunSuspended || (reason instanceof Error && reason.cause instanceof RunSuspended);
}

export interface DurableContext {
  readonly run: RunRecord;
  /** True if the run was begun by a process that is gone. */
  readonly resumed: boolean;
  /** Aborts if a cancel was asked for, by whomever; with `RunSuspended` as its reason if the process is ending. */
  readonly signal: AbortSignal;
  /** Names are unique within a run; a recorded step answers its output without running. */
  step<T>(name: string, effect: StepEffect, work: () => Promise<T>, extras?: (output: T) => StepExtras): Promise<T>;
  /** The output of a recorded step. */
  recorded(name: string): Json | undefined;
  /** Signals of a topic that came since they were last taken; recorded as the step `name`. */
  take(topic: string, name: string): Promise<readonly Json[]>;
  /** The next signal of a topic, or `undefined` if none came in time. */
  receive(topic: string, name: string, options: { readonly timeoutMs: number }): Promise<Json | undefined>;
  /** The wait goes on after a crash, it does not begin anew. */
  sleep(name: string, ms: number): Promise<void>;
  progress(value: Json): Promise<void>;
  now(name: string): Promise<number>;
  uuid(name: string): Promise<string>;
}

/** Ends a run: its outcome, and the events that are written with it. */
export interface RunResult {
  readonly outcome: Json;
  readonly events: readonly EventDraft[];
  /** A topic: the function is called again instead if a signal of it came after the function last took them. */
  readonly unless?: string;
}

export type RunFunction = (context: DurableContext) => Promise<RunResult>;

export interface RunHandle {
  readonly record: RunRecord;
  /** Rejects only if the function itself is defective or the store is. */
  readonly done: Promise<Json>;
}

export interface Durable {
  register(name: string, run: RunFunction): void;
  /** Closes runs that another run takes the place of; called before that one begins. */
  onSuperseded(close: (run: RunRecord) => Promise<RunResult>): void;
  /** Queues the run and drives it in this process. The same id drives nothing twice. */
  start(start: RunStart, signal?: AbortSignal): Promise<RunHandle>;
  /** Drives a run whose process is gone. `undefined` if it has ended or somebody drives it. */
  resume(runId: string, signal?: AbortSignal): Promise<RunHandle | undefined>;
  /** Every step of the session's runs, in the order they were recorded. */
  steps(sessionId: string): Promise<readonly StepRecord[]>;
  run(id: string): Promise<RunRecord | undefined>;
  runs: RunStore["runs"];
  /** Ends a run that nobody drives. */
  end(runId: string, result: RunResult): Promise<void>;
  /** False if the run has ended or is unknown. */
  signal(runId: string, signal: RunSignal): Promise<boolean>;
  cancel(runId: string): Promise<boolean>;
  /** Stops driving; runs stay as they are. */
  close(): Promise<void>;
}
