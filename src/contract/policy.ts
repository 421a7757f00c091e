/** Questions to the policy and its answers. The policy is pure: all facts are in the question or the world. */
import type { Effect } from "./effect.ts";
import type { Because } from "./reasons.ts";
import type { ErrorCode } from "./result.ts";
import type { Traits } from "./tool.ts";

export const modes = ["plan", "default", "accept-edits", "auto"] as const;
export type Mode = (typeof modes)[number];

/** From mild to strict. `rehearse`: a command runs in an overlay first, and what it changed is asked about afterwards (B9). */
export const verdictsByStrictness = ["allow", "rehearse", "ask", "deny"] as const;
export type Verdict = (typeof verdictsByStrictness)[number];

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
  /** Temporary directories by the names that confined commands use: theirs are the session's own. */
  readonly temporary: readonly string[];
  /** Where these really lie; every tool of the session may read and write there. */
  readonly ownTemporary?: readonly string[];
  readonly userHome: string;
  readonly karyiHome: string;
  /** `denied`: no tool reads a system directory (S4), whatever rules say. */
  readonly systemPaths?: "denied" | undefined;
  /** Git directories, outside the roots, of the repositories that hold a root: read as if they were inside. */
  readonly gitDirectories?: readonly string[];
  /** Hosts that may be fetched without asking: `example.com`, `*.example.com`. */
  readonly allowedDomains: readonly string[];
  /** The only local addresses that may be fetched at all, as `host` or `host:port`. */
  readonly allowedPrivate?: readonly string[];
  /** Origin of the configured search engine. */
  readonly searchOrigin?: string;
  readonly platform: "posix" | "win32";
  readonly caseInsensitive: boolean;
  /** Commands run confined (B6): what `auto` needs to allow them. */
  readonly sandboxed: boolean;
  /** Commands that nobody is asked about run where nothing outside the roots exists and secrets cannot be read; `network`: nor does any host. */
  readonly withholds?: "files" | "network";
  /** Commands can be rehearsed here (B9): the tier has an overlay, and the config does not demand to ask before. */
  readonly rehearses?: boolean;
}

/** What decides in an engine: its mode, the rules as they are now, and its surroundings. */
export interface PolicyInForce {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly world: PolicyWorld;
  /** Allow rules that were chosen with "always" when no network was wanted: what they allow gets none. */
  readonly offlineRules?: readonly string[];
  /** Policy of the parent session: the stricter of both decides. */
  readonly parent?: PolicyInForce;
}

export interface PolicyQuestion {
  /** Canonical name. */
  readonly tool: string;
  readonly traits: Traits;
  readonly effects: readonly Effect[];
  readonly mode: Mode;
  readonly rules: Rules;
  /** This one call can be rehearsed: where a command would be asked about, it runs in an overlay first. */
  readonly rehearsable?: boolean;
  /** The call was repaired or cut off by a decoder: asks before it writes. */
  readonly doubtful?: boolean;
}

export interface EffectVerdict {
  readonly effect: Effect;
  readonly verdict: Verdict;
  /** The rule that decided: a config rule in its own words, or `builtin:<name>`. */
  readonly rule: string;
  readonly reason: string;
  /** The same as data, to be told in any language. Records of earlier versions have none. */
  readonly because?: Because;
  readonly code?: ErrorCode;
  readonly byMode?: true;
  /** An allow rule of the person's that covers this effect and has no say about it. */
  readonly overruled?: string;
}

export interface Decision {
  readonly verdict: Verdict;
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
  /** For a denial: `tool_forbidden_path` or `permission_denied`. */
  readonly code?: ErrorCode;
  /** Of a denial that only the mode makes: another mode would ask or allow. */
  readonly byMode?: true;
  readonly effects: readonly EffectVerdict[];
}

/** What "always" would store, and what else that would let through. */
export interface RuleProposal {
  readonly rules: readonly string[];
  readonly alsoAllows: readonly string[];
  readonly stillAsks: readonly string[];
  /** The same, rule by rule. */
  readonly examples?: readonly RuleExamples[];
}

/** Calls that one rule would let through, and calls near it that would still be asked about. */
export interface RuleExamples {
  readonly rule: string;
  readonly alsoAllows: readonly string[];
  readonly stillAsks: readonly string[];
}
