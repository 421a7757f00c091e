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
}

export interface LeftOwner {
  readonly id: string;
  readonly firstCall: number;
}

export async function registerOwner({ database, owner }: StoreContext): Promise<void> {
  await database.write(false, () =>
    database.run(
      `INSERT INTO owners (id, pid, start_token, first_call, closed)
       VALUES (?, ?, ?, coalesce((SELECT max(n) FROM calls), 0), 0)
       ON CONFLICT (id) DO UPDATE SET pid = excluded.pid, start_token = excluded.start_token, closed = 0`,
      owner.id,
      owner.pid,
      owner.startToken,
    ),
  );
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

function holds(context: StoreContext, row: OwnerRow): boolean {
  const owner: Owner = { id: row.id, pid: row.pid, startToken: row.start_token };
  return row.closed === 0 && context.isAlive(owner);
}
