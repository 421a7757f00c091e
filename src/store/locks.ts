/**
 * Locks by path that hold across processes. All of a call's paths or none; whoever waits is queued
 * by the engine, not here. A lock whose owner closed or died is no lock.
 */
import type { LockHolder } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import { ownerHolds } from "./owners.ts";

interface LockRow {
  readonly path: string;
  readonly call_id: string;
  readonly owner_id: string;
}

/** Inside a write transaction. Answers the holder in the way; then nothing was taken. */
export function takeLocks(context: StoreContext, callId: string, paths: readonly string[]): LockHolder | undefined {
  const { database, owner } = context;
  const alive = new Map<string, boolean>();
  for (const path of paths) {
    const row = database.one<LockRow>("SELECT * FROM locks WHERE path = ?", path);
    if (row === undefined || (row.call_id === callId && row.owner_id === owner.id)) continue;
    const holds = alive.get(row.owner_id) ?? ownerHolds(context, row.owner_id);
    alive.set(row.owner_id, holds);
    if (holds) return { path, callId: row.call_id, ownerId: row.owner_id };
  }
  for (const path of paths) database.run("INSERT OR REPLACE INTO locks (path, call_id, owner_id) VALUES (?, ?, ?)", path, callId, owner.id);
  return undefined;
}

/** Inside a write transaction. The table holds only what is locked now, so it is read through. */
export function dropLocks({ database, owner }: StoreContext, callId: string): void {
  database.run("DELETE FROM locks WHERE call_id = ? AND owner_id = ?", callId, owner.id);
}
