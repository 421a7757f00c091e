/**
 * Effects: what a call would do to the world, named before it does it.
 * Policy, locks, dry runs and permission cards all read this one list; whatever
 * cannot be named is `unknown`, and unknown is asked about.
 */
import type { PathFacts } from "./path.ts";

export type FileChangeKind = "create" | "modify" | "delete" | "mode" | "link";

export interface ReadEffect {
  readonly kind: "read";
  readonly path: PathFacts;
  /** Everything below the path too (a listing, a search). */
  readonly tree?: boolean | undefined;
  /** Links that lie up to this deep below the path are followed. */
  readonly linkDepth?: number | undefined;
  /** Git shows it from its objects, where no world of a command hides it. */
  readonly recorded?: boolean | undefined;
  /** Of the tree only names, sizes and times are told; no file in it is opened. */
  readonly namesOnly?: boolean | undefined;
}

export interface WriteEffect {
  readonly kind: "write";
  readonly path: PathFacts;
  readonly change: FileChangeKind;
  /** Everything below the path too (a recursive removal). */
  readonly tree?: boolean | undefined;
  /** The file exists and this session never read it: overwriting it asks even in `accept-edits`. */
  readonly unread?: boolean;
}

export interface RunEffect {
  readonly kind: "run";
  /** Base name of the program, past wrappers such as `env` and `timeout`. */
  readonly program: string;
  /** Canonical text of this one simple command; what `Bash(...)` rules match. */
  readonly text: string;
  /**
   * True when everything this command does is named by the other effects of the plan,
   * so that it needs no judgement of its own. False asks.
   */
  readonly understood: boolean;
  /** Why it is not understood, for the person who decides. */
  readonly reason?: string | undefined;
}

export interface ConnectEffect {
  readonly kind: "connect";
  /** The address as asked for; judged by its parsed form, never by its text. */
  readonly url: string;
  readonly method: string;
  /** The configured search engine is asked; the policy checks that the address is really its own. */
  readonly service?: "search";
  /** Addresses the name resolved to, where that is known. */
  readonly addresses?: readonly string[];
}

export interface EnvironmentEffect {
  readonly kind: "environment";
  readonly name: string;
  /** True for variables that change what later commands execute or load (PATH, LD_PRELOAD, …). */
  readonly steersExecution: boolean;
}

/** Code run from a string that no parser here understands (`python -c`, `eval "$x"`). */
export interface CodeEffect {
  readonly kind: "code";
  readonly language: string;
  readonly text: string;
}

export interface AgentEffect {
  readonly kind: "agent";
  readonly agent: string;
}

/** A tool of somebody else's: an MCP server, a plugin, or code without a plan. */
export interface RemoteEffect {
  readonly kind: "remote";
  readonly server: string;
  readonly tool: string;
}

/** Karyi's own records of this session: tasks, artifacts, activations, stored outputs. */
export interface StateEffect {
  readonly kind: "state";
  readonly area: "tasks" | "artifacts" | "tools" | "outputs" | "values" | "terminal";
  /** Of the terminal: it only ends what runs there, such as Ctrl-C. */
  readonly stops?: true;
  /** Journal name of the one record that is changed: it is locked, journaled and undone like a file. */
  readonly record?: string;
}

/** On the hard floor: denied in every mode, no rule and no person can allow it. */
export interface ForbiddenEffect {
  readonly kind: "forbidden";
  readonly reason: string;
}

export interface UnknownEffect {
  readonly kind: "unknown";
  readonly reason: string;
  /** Among what it would show may be secrets that no world of a command hides: asked about before anything runs. */
  readonly mayShowSecrets?: true;
}

/**
 * One thing a plan touches, a union told apart by `kind`.
 *
 * @example
 * const { plan } = await session.explain("Bash", { command: "rm -r build" });
 * const written = plan.effects.flatMap((effect) => (effect.kind === "write" ? [effect.path.real] : []));
 */
export type Effect =
  | ReadEffect
  | WriteEffect
  | RunEffect
  | ConnectEffect
  | EnvironmentEffect
  | CodeEffect
  | AgentEffect
  | RemoteEffect
  | StateEffect
  | ForbiddenEffect
  | UnknownEffect;
