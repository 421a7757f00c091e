/**
 * Locks by path that hold across processes. All of a call's paths or none; whoever waits is queued
 * by the engine, not here. A lock whose owner closed or died is no lock; one whose owner is only stopped is passed on demand.
 */
import type { LockHolder, LockSteal } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import { ownerHolds, ownerOf } from "./owners.ts";

interface LockRow {
  readonly path: string;
  readonly call_id: string;
  readonly owner_id: string;
  readonly since: number;
}

/** Inside a write transaction. Answers the holder in the way; then nothing was taken. */
export function takeLocks(context: StoreContext, callId: string, paths: readonly string[], steal?: LockSteal): LockHolder | undefined {
  const { database, owner, now } = context;
  const alive = new Map<string, boolean>();
  const passed = new Map<string, LockHolder>();
  for (const path of paths) {
    const row = database.one<LockRow>("SELECT * FROM locks WHERE path = ?", path);
    if (row === undefined || (row.call_id === callId && row.owner_id === owner.id)) continue;
    const holds = alive.get(row.owner_id) ?? ownerHolds(context, row.owner_id);
    alive.set(row.owner_id, holds);
    if (!holds) continue;
    const holder = holderOf(context, row);
    if (steal === undefined || !holder.stopped) return holder;
    passed.set(holder.callId, holder);
  }
  const since = now();
  for (const path of paths)
    database.run("INSERT OR REPLACE INTO locks (path, call_id, owner_id, since) VALUES (?, ?, ?, ?)", path, callId, owner.id, since);
  for (const holder of passed.values()) steal?.(holder);
  return undefined;
}

function holderOf(context: StoreContext, { path, call_id, owner_id, since }: LockRow): LockHolder {
  const holder = ownerOf(context, owner_id);
  const call = context.database.one<{ summary: string }>("SELECT summary FROM calls WHERE id = ?", call_id);
  return {
    path,
    callId: call_id,
    ownerId: owner_id,
    pid: holder.pid,
    since,
    stopped: context.isStopped(holder),
    ...(call === undefined ? {} : { summary: call.summary }),
  };
}

/** Inside a write transaction. The table holds only what is locked now, so it is read through. */
export function dropLocks({ database, owner }: StoreContext, callId: string): void {
  database.run("DELETE FROM locks WHERE call_id = ? AND owner_id = ?", callId, owner.id);
}
