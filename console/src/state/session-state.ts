/** What a page knows of a session: data only, made by `reduce` from events and from nothing else. */
import type { RehearsedBody, RunStatus, UsageBody } from "../../../src/contract/event-body.ts";
import type { Json } from "../../../src/contract/json.ts";
import type { CommandClass } from "../../../src/contract/plan.ts";

export type CallStatus = "running" | "waiting" | "ok" | "error" | "denied" | "cancelled" | "planned" | "unknown";

interface CallError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface CallState {
  readonly callId: string;
  readonly seq: number;
  readonly tool: string;
  readonly input: Json;
  readonly summary: string;
  readonly class?: CommandClass;
  readonly repaired: readonly string[];
  readonly startedAt: number;
  /** When a person's answer let it go on. */
  readonly resumedAt?: number;
  readonly endedAt?: number;
  /** Without the time a person took to answer. */
  readonly durationMs?: number;
  readonly status: CallStatus;
  readonly output: string;
  readonly outputLength: number;
  readonly undoable: boolean;
  readonly error?: CallError;
  readonly truncatedRef?: string;
  /** How much of the output its result left out. */
  readonly truncatedLeft?: number;
  readonly changes: readonly { readonly path: string; readonly change: string }[];
  readonly changesTotal: number;
  /** The latest lines of a running call. */
  readonly progress: string;
  readonly approvalId?: string;
  /** The undo that took it back and was not itself taken back. */
  readonly undoneBy?: string;
  readonly undoOf: readonly string[];
  readonly agentId?: string;
  /** Key of the person's message that led to it. */
  readonly messageKey?: string;
}

interface QuestionState {
  readonly approvalId: string;
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
  readonly reason: string;
  readonly rule: string;
  readonly askedAt: number;
  readonly agentId?: string;
  readonly rehearsal?: RehearsedBody;
  readonly answer?: "once" | "always" | "deny" | "none";
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  readonly words?: string;
}

interface ValueState {
  readonly requestId: string;
  readonly key: string;
  readonly reason: string;
  readonly note?: string;
  readonly status: "asked" | "given" | "refused" | "cancelled" | "failed";
  readonly askedAt: number;
  readonly agentId?: string;
}

export interface AgentState {
  readonly id: string;
  readonly parentId?: string;
  /** The call that started it. */
  readonly callId?: string;
  readonly name: string;
  readonly description: string;
  readonly mode?: string;
  readonly status: "running" | "done" | "failed" | "cancelled" | "max_rounds";
  readonly startedAt: number;
  readonly lastAt: number;
  readonly endedAt?: number;
  readonly calls: number;
  readonly tokens: number;
  /** What it does now: the last call's summary. */
  readonly doing: string;
  readonly text?: string;
}

interface EntryBase {
  readonly key: string;
  readonly seq: number;
  readonly time: number;
}

export type Entry =
  | (EntryBase & { readonly kind: "said"; readonly text: string })
  | (EntryBase & { readonly kind: "text"; readonly text: string; readonly open: boolean })
  | (EntryBase & { readonly kind: "thinking"; readonly text: string; readonly until: number; readonly open: boolean })
  | (EntryBase & { readonly kind: "call"; readonly callId: string })
  | (EntryBase & { readonly kind: "agent"; readonly agentId: string })
  | (EntryBase & { readonly kind: "value"; readonly requestId: string })
  | (EntryBase & { readonly kind: "model"; readonly model: string })
  | (EntryBase & { readonly kind: "end"; readonly status: RunStatus; readonly message?: string; readonly tookMs: number })
  | (EntryBase & { readonly kind: "error"; readonly message: string; readonly retryInMs?: number });

/** The conversation of the root agent or of one sub-agent. */
export interface Thread {
  readonly entries: readonly Entry[];
  readonly model?: string;
}

export interface RunInfo {
  readonly runId: string;
  readonly agent: string;
  readonly model: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly status: "running" | RunStatus;
}

export interface SessionState {
  readonly sessionId: string;
  /** Position of the last event that was taken in. */
  readonly seq: number;
  readonly lastTime: number;
  readonly root: Thread;
  readonly threads: ReadonlyMap<string, Thread>;
  readonly calls: ReadonlyMap<string, CallState>;
  readonly questions: ReadonlyMap<string, QuestionState>;
  readonly values: ReadonlyMap<string, ValueState>;
  readonly agents: ReadonlyMap<string, AgentState>;
  readonly artifacts: ReadonlyMap<string, { readonly version: number; readonly time: number }>;
  /** A program in the terminal that waits for input. */
  readonly inputAsked?: { readonly kind: string; readonly program: string; readonly question: string; readonly callId: string };
  readonly run?: RunInfo;
  readonly usage: UsageBody;
}

const noUsage: UsageBody = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

export function emptySession(sessionId: string): SessionState {
  return {
    sessionId,
    seq: 0,
    lastTime: 0,
    root: { entries: [] },
    threads: new Map(),
    calls: new Map(),
    questions: new Map(),
    values: new Map(),
    agents: new Map(),
    artifacts: new Map(),
    usage: noUsage,
  };
}
