/** Approvals: records bound to one exact call, answered by a person, never by a model (C9). */
import type { Effect } from "./effect.ts";
import type { Json } from "./json.ts";
import type { Preview } from "./plan.ts";
import type { RuleProposal } from "./policy.ts";

export type Answer = "once" | "always" | "deny";

/** What the person sees. Masked. */
export interface ApprovalCard {
  readonly approvalId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly cwd: string;
  readonly summary: string;
  readonly effects: readonly Effect[];
  readonly preview?: Preview;
  /** Why it is asked: the rule and its reason. */
  readonly rule: string;
  readonly reason: string;
  readonly proposal?: RuleProposal;
  /** Present where the command can be shown as its dry run first. */
  readonly canRehearse?: boolean;
}

/** What an approval is valid for; any difference makes it void. */
export interface ApprovalBinding {
  /** Hash over tool, canonical input, cwd, effects and preview. */
  readonly planHash: string;
  readonly nonce: string;
  readonly policyVersion: string;
  readonly expiresAt: number;
}

export type ApprovalStatus = "pending" | "granted" | "refused" | "used" | "expired" | "void";

export interface ApprovalRecord extends ApprovalBinding {
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly status: ApprovalStatus;
  readonly card: ApprovalCard;
  readonly createdAt: number;
  readonly answer?: Answer;
  /** Who answered: `terminal`, `command`, `callback`, `http:<user>`. */
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  /** The person's words for the model. */
  readonly words?: string;
}

export interface ApprovalReply {
  readonly answer: Answer;
  readonly words?: string;
}

/** Asks a person and waits. */
export type Approve = (card: ApprovalCard, signal: AbortSignal) => Promise<Answer | ApprovalReply>;
