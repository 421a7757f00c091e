/** Shapes of `/api/v1` that the console reads. */
import type { VoidCause } from "../../../src/contract/approval.ts";
import type { RehearsedBody } from "../../../src/contract/event-body.ts";
import type { Json, JsonObject } from "../../../src/contract/json.ts";
import type { Mode, Verdict } from "../../../src/contract/policy.ts";
import type { Because } from "../../../src/contract/reasons.ts";

export type { Mode };

export interface Session {
  readonly id: string;
  readonly title: string;
  readonly status: "idle" | "running" | "waiting" | "failed";
  readonly waiting: number;
  readonly workspace: string;
  readonly mode: Mode;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
  readonly agent?: string;
  readonly model?: string;
}

export interface Change {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "mode" | "link" | "conflict";
  readonly diff?: string;
  readonly risky?: boolean;
  readonly before_size?: number;
  readonly after_size?: number;
  readonly before_mode?: string;
  readonly after_mode?: string;
  /** Of an undo: somebody else changed it since. */
  readonly changed_by_others?: boolean;
  readonly call_ids?: readonly string[];
}

export interface WireEffect extends JsonObject {
  readonly kind: string;
}

export interface EffectLine {
  readonly effect: WireEffect;
  readonly verdict: Verdict;
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
}

interface RuleExample {
  readonly rule: string;
  readonly also_allows: readonly string[];
  readonly still_asks: readonly string[];
}

export interface Rehearsal extends RehearsedBody {
  /** Of a dry run that a person asked for. */
  readonly duration_ms?: number;
  readonly output?: string;
  readonly changes?: readonly Change[];
}

export interface Approval {
  readonly id: string;
  readonly session_id: string;
  /** The session that a person began. */
  readonly root_session_id: string;
  readonly call_id: string;
  readonly status: "pending" | "granted" | "refused" | "used" | "expired" | "void";
  readonly void_cause?: VoidCause;
  readonly tool: string;
  readonly input: Json;
  readonly cwd?: string;
  readonly class?: string;
  readonly summary: string;
  readonly preview: { readonly type: string; readonly text?: string; readonly command?: string; readonly cwd?: string } | null;
  readonly effects: readonly EffectLine[];
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
  readonly rehearsal?: Rehearsal;
  readonly can_rehearse?: boolean;
  readonly proposal?: {
    readonly rules: readonly string[];
    readonly also_allows: readonly string[];
    readonly still_asks: readonly string[];
    readonly examples?: readonly RuleExample[];
  };
  readonly undo: { readonly guarantee: "exact" | "files" | "none"; readonly reason?: string };
  readonly agent?: string;
  readonly agent_path?: readonly string[];
  readonly description?: string;
  readonly repaired?: readonly string[];
  readonly created_at: number;
  readonly expires_at: number;
  readonly nonce?: string;
  readonly answer?: "once" | "always" | "deny";
  readonly answered_by?: string;
  readonly answered_at?: number;
  readonly words?: string;
}

export interface InboxItem {
  readonly kind: "approval" | "value" | "input" | "proposal";
  readonly id: string;
  readonly session_id: string;
  readonly root_session_id: string;
  readonly tool?: string;
  readonly key?: string;
  /** Of a terminal's program that waits: what for, which one, and in which call. */
  readonly input?: string;
  readonly program?: string;
  readonly call_id?: string;
  readonly summary: string;
  readonly created_at: number;
}

export interface InboxView {
  readonly items: readonly InboxItem[];
  readonly counts: { readonly approvals: number; readonly values: number; readonly inputs: number; readonly waiting: number };
}

export interface Result {
  readonly call_id: string;
  readonly tool: string;
  readonly status: "ok" | "error" | "denied" | "cancelled" | "planned" | "suspended" | "running";
  readonly output: string;
  readonly data?: JsonObject;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string; readonly details?: JsonObject };
  readonly undoable: boolean;
  readonly duration_ms: number;
  readonly truncated?: { readonly shown: number; readonly total: number; readonly ref: string };
  readonly approval_id?: string;
}

export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly traits: {
    readonly read_only: boolean;
    readonly destructive: boolean;
    readonly search_hint: string;
    readonly permission: string;
  };
  readonly deferred?: boolean;
  readonly example?: Json;
}

export interface Me {
  readonly user_id: string;
  readonly scopes: readonly string[];
}
