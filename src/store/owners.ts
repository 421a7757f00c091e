/**
 * The processes that use this home. An owner notes where its calls begin, so that what a dead one
 * left running is found without an index that every call would pay for. An owner without a row has
 * closed and holds nothing.
 */
import type { Owner } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";

interface OwnerRow {
  readonly id: string;
  readonly pid: number;
  readonly start_token: string;
  readonly first_call: number;
  readonly closed: number;
  readonly lease_until: number | null;
}

export interface LeftOwner {
  readonly id: string;
  readonly firstCall: number;
}

export async function registerOwner(context: StoreContext): Promise<void> {
  const { database, owner } = context;
  await database.write(false, () =>
    database.run(
      `INSERT INTO owners (id, pid, start_token, first_call, closed, lease_until)
       VALUES (?, ?, ?, coalesce((SELECT max(n) FROM calls), 0), 0, ?)
       ON CONFLICT (id) DO UPDATE SET
         pid = excluded.pid, start_token = excluded.start_token, closed = 0, lease_until = excluded.lease_until`,
      owner.id,
      owner.pid,
      owner.startToken,
      leaseEnd(context),
    ),
  );
}

function leaseEnd({ leaseMs, now }: StoreContext): number | null {
  return leaseMs === undefined ? null : now() + leaseMs;
}

/** An owner with a lease says that it still lives. One whose lease ran out may have lost what it held. */
export async function renewLease(context: StoreContext): Promise<void> {
  const { database, owner } = context;
  await database.write(false, () => database.run("UPDATE owners SET lease_until = ? WHERE id = ?", leaseEnd(context), owner.id));
}

/** Its locks fall; what it left running can be adopted by anybody. */
export async function unregisterOwner({ database, owner }: StoreContext): Promise<void> {
  await database.write(false, () => {
    database.run("DELETE FROM locks WHERE owner_id = ?", owner.id);
    const running = database.one(
      `SELECT 1 FROM calls LEFT JOIN outcomes USING (n)
       WHERE n >= (SELECT first_call FROM owners WHERE id = ?1) AND owner_id = ?1 AND phase = 'running' AND settled_at IS NULL LIMIT 1`,
      owner.id,
    );
    if (running === undefined) database.run("DELETE FROM owners WHERE id = ?", owner.id);
    else database.run("UPDATE owners SET closed = 1 WHERE id = ?", owner.id);
  });
}

/** Owners that closed with calls running, or whose process is gone. */
export function leftOwners(context: StoreContext): LeftOwner[] {
  return context.database
    .all<OwnerRow>("SELECT * FROM owners WHERE id <> ?", context.owner.id)
    .filter((row) => !holds(context, row))
    .map((row) => ({ id: row.id, firstCall: row.first_call }));
}

export function ownerHolds(context: StoreContext, id: string): boolean {
  if (id === context.owner.id) return true;
  const row = context.database.one<OwnerRow>("SELECT * FROM owners WHERE id = ?", id);
  return row !== undefined && holds(context, row);
}

/** Its process, as it registered; its own id is enough where it has no row. */
export function ownerOf({ database, owner }: StoreContext, id: string): Owner {
  if (id === owner.id) return owner;
  const row = database.one<OwnerRow>("SELECT * FROM owners WHERE id = ?", id);
  return { id, pid: row?.pid ?? 0, startToken: row?.start_token ?? "" };
}

/** A lease decides if there is one: a pid says nothing about a process of another machine. */
function holds(context: StoreContext, row: OwnerRow): boolean {
  if (row.closed !== 0) return false;
  if (row.lease_until !== null) return row.lease_until > context.now();
  return context.isAlive({ id: row.id, pid: row.pid, startToken: row.start_token });
}
