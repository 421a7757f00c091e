/** Calls that another agent makes with tools of its own (M4): judged here, done there, undone here. */
import type { JournalEntry } from "./journal.ts";
import type { Decision } from "./policy.ts";

export interface ForeignCall {
  /** The agent's own id of the call. */
  readonly id: string;
  /** The tool here that says what the call does. */
  readonly name: string;
  readonly input: unknown;
  /** What the agent's own input says it touches. It counts beside what the tool here plans, and alone if that fails. */
  readonly touches?: readonly Touch[];
  readonly agent?: string;
}

/** A path or address as the other agent wrote it. */
export type Touch =
  | { readonly kind: "read"; readonly path: string; readonly tree?: true }
  /** `replaces`: the whole content. */
  | { readonly kind: "write"; readonly path: string; readonly replaces?: true }
  | { readonly kind: "connect"; readonly url: string }
  /** A tool of an MCP server that the other agent asks itself. */
  | { readonly kind: "remote"; readonly server: string; readonly tool: string }
  /** What the input starts can do more than it says. */
  | { readonly kind: "unknown"; readonly reason: string };

export interface ForeignOptions {
  /** The agent cannot ask its person: a question is kept as an approval, and its answer counts for the same call made again, once. */
  readonly record?: boolean;
  /** Its commands run in our capturing shell; else nothing of ours confines them. */
  readonly captured?: boolean;
}

/** What is known before it is done. The journal is handed back when it is settled, perhaps by another process. */
export interface ForeignBeginning {
  readonly decision: Decision;
  readonly summary: string;
  readonly journal: readonly JournalEntry[];
  /** Of a call that was kept as a question: what became of that so far. */
  readonly asked?: ForeignAnswer;
}

export type ForeignAnswer =
  | { readonly kind: "granted"; readonly approvalId: string }
  | { readonly kind: "waiting"; readonly approvalId: string }
  | { readonly kind: "refused"; readonly approvalId: string; readonly words?: string };

export interface ForeignOutcome {
  readonly ok: boolean;
  readonly output: string;
}
