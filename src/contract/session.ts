/** Sessions: what persists from one command to the next. */
import type { Fingerprint } from "./path.ts";

/** Unique together: the same key always opens the same session. */
export interface SessionKey {
  readonly owner: string;
  readonly channel: string;
  readonly externalId: string;
}

export interface SessionState {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of deferred tools that were activated. */
  readonly activated: readonly string[];
  /** Rules a person chose with "always" for this session. */
  readonly allowedRules: readonly string[];
}

export interface SessionRecord {
  /** Internal id. */
  readonly id: string;
  readonly key: SessionKey;
  readonly workspace: string;
  readonly createdAt: number;
  readonly state: SessionState;
}

/** A change of what the session remembers; `null` forgets a file. */
export interface SessionPatch {
  readonly state?: Partial<SessionState>;
  readonly seen?: Readonly<Record<string, Fingerprint | null>>;
}
