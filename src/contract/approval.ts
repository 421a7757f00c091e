/** Approvals: records bound to one exact call, answered by a person, never by a model (C9). */
import type { Effect } from "./effect.ts";
import type { RehearsedBody } from "./event-body.ts";
import type { Json } from "./json.ts";
import type { CommandClass, FileChange, Preview } from "./plan.ts";
import type { EffectVerdict, RuleProposal } from "./policy.ts";
import type { Because } from "./reasons.ts";

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
  /** How each effect was judged, by which rule and why. */
  readonly verdicts?: readonly EffectVerdict[];
  /** Of a command (B4). */
  readonly class?: CommandClass;
  readonly preview?: Preview;
  /** Why it is asked: the rule and its reason. */
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
  readonly proposal?: RuleProposal;
  /** Present where the command can be shown as its dry run first. */
  readonly canRehearse?: boolean;
  /** What came of it when it was rehearsed: yes commits exactly that, or runs it for real where there is no change set (B9). */
  readonly rehearsal?: RehearsedBody;
  /** Of a rehearsal: what it printed, bounded. */
  readonly output?: string;
  /** Of a rehearsal: what it would change, bounded; `rehearsal` counts all of it. */
  readonly changes?: readonly FileChange[];
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

/** Why a question became void: what it was about changed, the policy did, its call ended, was asked about anew or began without an answer. */
export type VoidCause = "plan_changed" | "policy_changed" | "call_ended" | "asked_again" | "not_needed";

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
  /** Of a void one; those of earlier versions have none. */
  readonly voidCause?: VoidCause;
}

export interface ApprovalReply {
  readonly answer: Answer;
  readonly words?: string;
  /** Of the card that was answered; another card is not answered by it. */
  readonly nonce?: string;
}

/** Answer to every question, known beforehand: `once` runs commands at once, `deny` drops what they would change. */
export type StandingAnswer = "once" | "deny";

/**
 * Asks a person and waits for the answer. Aborted if somebody else answered first, or the call was cancelled.
 *
 * @example
 * const approve: Approve = async (card) => (card.tool === "Write" ? "once" : { answer: "deny", words: "Not now." });
 */
export type Approve = (card: ApprovalCard, signal: AbortSignal) => Promise<Answer | ApprovalReply>;
