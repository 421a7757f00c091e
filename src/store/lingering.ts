/**
 * What remains of a closed connection. The driver cannot end a prepared statement; a connection that
 * had some lives on inside SQLite until they are garbage collected, and only then deletes the log, by
 * its name. If the file had been set aside meanwhile, that would be the log of its successor. So
 * whatever keeps others from setting it aside is released after that, not at `close`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

interface Rest {
  statements: number;
  /** Held on to: the driver crashes where a statement outlives the object it came from. */
  readonly connection: object;
  release(): void;
}

/** The collector reports an object shortly before the driver's own clean-up of it runs. */
const graceMs = 20;
const patienceMs = 1000;

const rests = new Set<Rest>();
const collected = new FinalizationRegistry<Rest>((rest) => {
  rest.statements -= 1;
  if (rest.statements === 0) setTimeout(end, graceMs, rest).unref();
});

function end(rest: Rest): void {
  if (rests.delete(rest)) rest.release();
}

/** Calls `release` when the last of the connection's statements is gone. */
export function releaseAfter(connection: object, statements: readonly object[], release: () => void): void {
  if (statements.length === 0) {
    release();
    return;
  }
  const rest: Rest = { statements: statements.length, connection, release };
  rests.add(rest);
  for (const statement of statements) collected.register(statement, rest);
}

/** Has the remains collected now: slow, for the moment when a damaged file must be moved. */
export async function endLingering(): Promise<void> {
  if (rests.size === 0) return;
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const deadline = Date.now() + patienceMs;
  while (rests.size > 0 && Date.now() < deadline) {
    // A turn of its own first: what the caller's stack still holds cannot be collected.
    await delay(1);
    collect();
    await delay(graceMs + 1);
  }
}
