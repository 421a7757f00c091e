/** Sessions as a list of them is shown, and what is done to a whole session. A part of the store. */
import type { KaryiEvent } from "./event.ts";
import type { SessionKey, SessionRecord } from "./session.ts";

/** Numbers of the oldest and newest event that are kept; `last` is 0 if there never was one. */
export interface EventHead {
  readonly first: number;
  readonly last: number;
}

/** What a list shows of a session. */
export interface SessionGlance {
  /** First words of a person, or the first thing that was done. */
  readonly title: string;
  /** A call is under way. */
  readonly isBusy: boolean;
  readonly updatedAt: number;
}

export interface SessionShelf {
  /** Newest first. */
  sessionsOf(owner: string): Promise<readonly SessionRecord[]>;
  sessionByKey(key: SessionKey): Promise<SessionRecord | undefined>;
  glanceAt(sessionIds: readonly string[]): Promise<ReadonlyMap<string, SessionGlance>>;
  eventHeads(sessionIds: readonly string[]): Promise<ReadonlyMap<string, EventHead>>;
  /** The last `limit` events before `before`, oldest first. */
  readEventsBefore(sessionId: string, before: number, limit: number): Promise<readonly KaryiEvent[]>;
  /** A session under another key that has read the same files, stands in the same directory and tells the same story so far. */
  forkSession(sessionId: string, key: SessionKey): Promise<SessionRecord>;
  /** Removes a session with all it holds; the audit chain keeps its rows. Refuses (`tool_conflict`) while a call is under way. */
  deleteSession(sessionId: string): Promise<void>;
}
