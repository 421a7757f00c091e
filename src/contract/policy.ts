/** Questions to the policy and its answers. The policy is pure: all facts are in the question or the world. */
import type { Effect } from "./effect.ts";
import type { ErrorCode } from "./result.ts";
import type { Traits } from "./tool.ts";

export const modes = ["plan", "default", "accept-edits", "auto"] as const;
export type Mode = (typeof modes)[number];

export type Verdict = "allow" | "ask" | "deny";

/** Rules as written in config: `Bash(git status *)`, `Read(src/**)`, `WebFetch(domain:example.com)`, `mcp__github__*`. */
export interface Rules {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** The fixed surroundings of a decision. All directories are absolute with links resolved. */
export interface PolicyWorld {
  readonly workspace: string;
  /** The workspace and every further root. */
  readonly roots: readonly string[];
  /** A private temporary directory that commands may write, where there is one. */
  readonly temporary: readonly string[];
  readonly userHome: string;
  readonly karyiHome: string;
  /** System directories that may be read all the same (asked about). */
  readonly readableSystemPaths: readonly string[];
  /** Hosts that may be fetched without asking: `example.com`, `*.example.com`. */
  readonly allowedDomains: readonly string[];
  readonly platform: "posix" | "win32";
  readonly caseInsensitive: boolean;
  /** Commands run confined (B6): what `auto` needs to allow them. */
  readonly sandboxed: boolean;
}

/** What decides in an engine: its mode, the rules as they are now, and its surroundings. */
export interface PolicyInForce {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly world: PolicyWorld;
}

export interface PolicyQuestion {
  /** Canonical name. */
  readonly tool: string;
  readonly traits: Traits;
  readonly effects: readonly Effect[];
  readonly mode: Mode;
  readonly rules: Rules;
  /** The call was repaired or cut off by a decoder: asks before it writes. */
  readonly doubtful?: boolean;
}

export interface EffectVerdict {
  readonly effect: Effect;
  readonly verdict: Verdict;
  /** The rule that decided: a config rule in its own words, or `builtin:<name>`. */
  readonly rule: string;
  readonly reason: string;
  readonly code?: ErrorCode;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly rule: string;
  readonly reason: string;
  /** For a denial: `tool_forbidden_path` or `permission_denied`. */
  readonly code?: ErrorCode;
  readonly effects: readonly EffectVerdict[];
}

/** What "always" would store, and what else that would let through. */
export interface RuleProposal {
  readonly rules: readonly string[];
  readonly alsoAllows: readonly string[];
  readonly stillAsks: readonly string[];
}
