/** Hooks: a function or a command that may allow, deny, ask, or add to a result (C12). */
import type { Effect } from "./effect.ts";
import type { Json } from "./json.ts";
import type { Result } from "./result.ts";

export interface HookCall {
  readonly event: "before" | "after";
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly cwd: string;
  readonly summary: string;
  readonly effects: readonly Effect[];
  /** After a call only. */
  readonly result?: Result;
}

/** A hook can tighten a decision; `allow` only answers what would have been asked, never a denial. */
export interface HookReply {
  readonly decision?: "allow" | "deny" | "ask";
  readonly reason?: string;
  /** Added to the output the model reads. */
  readonly add?: string;
}

export interface Hook {
  readonly event: "before" | "after";
  /** Tool names with `*`; absent: every tool. */
  readonly match?: string;
  run(call: HookCall, signal: AbortSignal): Promise<HookReply | undefined> | HookReply | undefined;
}
