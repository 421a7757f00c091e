/** Sessions: what persists from one command to the next. */
import type { Fingerprint } from "./path.ts";
import type { Mode, Rules } from "./policy.ts";
import type { NetworkAccess } from "./sandbox.ts";

/** Unique together: the same key always opens the same session. */
export interface SessionKey {
  readonly owner: string;
  readonly channel: string;
  readonly externalId: string;
}

/** Tools of an agent as its definition says. */
export interface AgentKit {
  readonly agent: string;
  /** Names, also with `*` at their end. Absent: everything. */
  readonly tools?: readonly string[];
  readonly without?: readonly string[];
  /** Rules such as `Bash(git status *)`: of a tool that has any, only calls that they cover. */
  readonly only?: readonly string[];
  /** Its children may have tools that it does not have itself. */
  readonly delegates?: true;
}

/** Rights a session was opened with; kept with it, so that every process that holds it obeys the same. */
export interface SessionRights {
  readonly mode?: Mode;
  /** Added to the rules of the config. */
  readonly rules?: Partial<Rules>;
  /** Further roots, absolute with links resolved. */
  readonly roots?: readonly string[];
  readonly network?: NetworkAccess;
  readonly toolkit?: { readonly agent: string; readonly tools: readonly string[] };
  /** The agent that works in this session now. */
  readonly agent?: AgentKit;
  /** Id of the session whose rights bound this one's. */
  readonly parent?: string;
  /** True if the workspace is a worktree that the engine made: the parent's policy is judged as if it were the parent's workspace. */
  readonly worktree?: true;
}

export interface SessionState {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of deferred tools that were activated. */
  readonly activated: readonly string[];
  /** Rules a person chose with "always" for this session. */
  readonly allowedRules: readonly string[];
  /** What the next call has to be told: what was found after a crash. */
  readonly notices?: readonly string[];
  readonly rights?: SessionRights;
  /** Agent and model of runs that name none. */
  readonly defaults?: { readonly agent?: string; readonly model?: string };
}

export interface SessionRecord {
  /** Internal id. */
  readonly id: string;
  readonly key: SessionKey;
  readonly workspace: string;
  readonly createdAt: number;
  readonly state: SessionState;
}

/** The variables after a change; `null` removes one. */
export function changedEnv(env: SessionState["env"], change: NonNullable<SessionPatch["env"]>): SessionState["env"] {
  const entries = Object.entries({ ...env, ...change });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}

/** A change of what the session remembers; `null` forgets a file. */
export interface SessionPatch {
  readonly state?: Partial<SessionState>;
  /** Exported variables that were set, or removed (`null`); all others stay as they are. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly seen?: Readonly<Record<string, Fingerprint | null>>;
}
