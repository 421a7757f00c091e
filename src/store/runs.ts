/**
 * Runs, their steps and signals. One process drives a run at a time, told by the owner it claimed it for; runs of a
 * session go first in, first out. Refuses a step of a run that this process does not own (any more).
 */
import {
  type EventDraft,
  type Json,
  type KaryiEvent,
  type RunClaim,
  type RunPhase,
  type RunRecord,
  type RunSignal,
  type RunStart,
  type RunStore,
  type StepExtras,
  type StepRecord,
  ToolFailure,
} from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import { insertEvents } from "./events.ts";
import { optional } from "./json-text.ts";
import { ownerHolds } from "./owners.ts";

export const runTables = `
  CREATE TABLE runs (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, root_session_id TEXT NOT NULL, parent_id TEXT,
    name TEXT NOT NULL, input TEXT NOT NULL, phase TEXT NOT NULL, owner_id TEXT NOT NULL, cancelling INTEGER NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, outcome TEXT, progress TEXT
  ) STRICT;
  CREATE INDEX runs_by_session ON runs (session_id);
  CREATE INDEX runs_by_root ON runs (root_session_id);

  CREATE TABLE run_steps (
    n INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT NOT NULL, output TEXT,
    UNIQUE (run, name)
  ) STRICT;

  CREATE TABLE run_signals (
    n INTEGER PRIMARY KEY, run INTEGER NOT NULL, topic TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, taken INTEGER NOT NULL,
    UNIQUE (run, key)
  ) STRICT;
`;

interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly session_id: string;
  readonly root_session_id: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly input: string;
  readonly phase: RunPhase;
  readonly owner_id: string;
  readonly cancelling: number;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly outcome: string | null;
  readonly progress: string | null;
}

export function runStore(context: StoreContext): RunStore {
  const { database } = context;
  return {
    createRun: (start) => database.write(true, () => createRun(context, start)),
    run: (id) => database.query(() => found(context, rowOf(context, id))),
    runs: (filter) => database.query(() => listRuns(context, filter)),
    async claimRun(id) {
      // Looking writes nothing: a commit would wake everybody who waits, who would look and commit in turn.
      const seen = await database.query(() => claimable(context, id));
      return seen.kind === "claimed" ? database.write(true, () => claim(context, id)) : seen;
    },
    steps: (sessionId) => database.query(() => listSteps(context, sessionId)),
    recordIntent: (runId, name) =>
      database.write(true, () => {
        database.run("INSERT INTO run_steps (run, name) VALUES (?, ?)", own(context, runId).n, name);
      }),
    recordStep: (runId, name, output, extras) => database.write(true, () => recordStep(context, runId, name, output, extras)),
    takeSignals: (runId, topic, name) => takeSignals(context, runId, topic, name),
    addSignal: (runId, signal) => database.write(true, () => addSignal(context, runId, signal)),
    noteProgress: async (runId, progress) => {
      await database.write(false, () => database.run("UPDATE runs SET progress = ? WHERE id = ?", JSON.stringify(progress), runId));
    },
    askCancel: (runId) =>
      database.write(true, () => database.run("UPDATE runs SET cancelling = 1 WHERE id = ? AND phase <> 'ended'", runId) > 0),
    isCancelling: (runId) =>
      database.query(() => {
        const row = database.columns<readonly [number]>("SELECT cancelling FROM runs WHERE id = ?", runId);
        return row && row[0] === 1;
      }),
    endRun: (runId, outcome, events, unless) => database.write(true, () => endRun(context, runId, outcome, events, unless)),
  };
}

function createRun(context: StoreContext, start: RunStart): RunRecord {
  const { database, owner, now } = context;
  database.run(
    `INSERT INTO runs (id, session_id, root_session_id, parent_id, name, input, phase, owner_id, cancelling, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, 0, ?) ON CONFLICT (id) DO NOTHING`,
    start.id,
    start.sessionId,
    start.rootSessionId ?? start.sessionId,
    start.parentId ?? null,
    start.name,
    JSON.stringify(start.input),
    owner.id,
    now(),
  );
  const row = rowOf(context, start.id);
  if (row === undefined) throw new Error(`run ${start.id} was not kept`);
  return recordOf(context, row);
}

function claimable(context: StoreContext, id: string): RunClaim {
  const { database, owner } = context;
  const row = rowOf(context, id);
  if (row === undefined || row.phase === "ended") return { kind: "ended" };
  if (row.owner_id !== owner.id && ownerHolds(context, row.owner_id)) return { kind: "blocked", by: row.id };
  const earlier = database.all<RunRow>(
    "SELECT * FROM runs WHERE session_id = ? AND phase <> 'ended' AND n < ? ORDER BY n",
    row.session_id,
    row.n,
  );
  const alive = earlier.find(({ owner_id }) => ownerHolds(context, owner_id));
  if (alive) return { kind: "blocked", by: alive.id };
  if (earlier.length > 0) return { kind: "supersedes", runs: earlier.map((other) => recordOf(context, other)) };
  return { kind: "claimed" };
}

/** Inside a write transaction. */
function claim(context: StoreContext, id: string): RunClaim {
  const { database, owner, now } = context;
  const answer = claimable(context, id);
  if (answer.kind === "claimed") {
    database.run("UPDATE runs SET phase = 'running', owner_id = ?, started_at = coalesce(started_at, ?) WHERE id = ?", owner.id, now(), id);
  }
  return answer;
}

function listRuns(context: StoreContext, filter: Parameters<RunStore["runs"]>[0]): RunRecord[] {
  const where: string[] = [];
  const values: string[] = [];
  if (filter.sessionId !== undefined) {
    where.push("session_id = ?");
    values.push(filter.sessionId);
  }
  if (filter.rootSessionId !== undefined) {
    where.push("root_session_id = ?");
    values.push(filter.rootSessionId);
  }
  if (filter.open) where.push("phase <> 'ended'");
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  return context.database.all<RunRow>(`SELECT * FROM runs ${condition} ORDER BY n DESC`, ...values).map((row) => recordOf(context, row));
}

function listSteps({ database }: StoreContext, sessionId: string): StepRecord[] {
  return database
    .all<{ id: string; name: string; output: string | null }>(
      `SELECT runs.id AS id, run_steps.name AS name, run_steps.output AS output
       FROM runs JOIN run_steps ON run_steps.run = runs.n WHERE runs.session_id = ? ORDER BY run_steps.n`,
      sessionId,
    )
    .map(({ id, name, output }) => ({ runId: id, name, ...(output === null ? {} : { output: JSON.parse(output) as Json }) }));
}

function recordStep(context: StoreContext, runId: string, name: string, output: Json, extras: StepExtras): KaryiEvent[] {
  const { database, now } = context;
  const run = own(context, runId);
  database.run(
    "INSERT INTO run_steps (run, name, output) VALUES (?, ?, ?) ON CONFLICT (run, name) DO UPDATE SET output = excluded.output",
    run.n,
    name,
    JSON.stringify(output),
  );
  if (extras.progress !== undefined) database.run("UPDATE runs SET progress = ? WHERE n = ?", JSON.stringify(extras.progress), run.n);
  return insertEvents(database, run.session_id, extras.events ?? [], now());
}

async function takeSignals(context: StoreContext, runId: string, topic: string, name: string): Promise<readonly Json[]> {
  const { database } = context;
  const waiting = () =>
    database.all<{ n: number; body: string }>(
      "SELECT n, body FROM run_signals WHERE run = (SELECT n FROM runs WHERE id = ?) AND topic = ? AND taken = 0 ORDER BY n",
      runId,
      topic,
    );
  if ((await database.query(waiting)).length === 0) return [];
  return database.write(true, () => {
    const rows = waiting();
    const bodies = rows.map(({ body }) => JSON.parse(body) as Json);
    for (const { n } of rows) database.run("UPDATE run_signals SET taken = 1 WHERE n = ?", n);
    recordStep(context, runId, name, bodies, {});
    return bodies;
  });
}

function addSignal(context: StoreContext, runId: string, { topic, key, body }: RunSignal): boolean {
  const row = rowOf(context, runId);
  if (row === undefined || row.phase === "ended") return false;
  context.database.run(
    "INSERT INTO run_signals (run, topic, key, body, taken) VALUES (?, ?, ?, ?, 0) ON CONFLICT (run, key) DO NOTHING",
    row.n,
    topic,
    key,
    JSON.stringify(body),
  );
  return true;
}

/** A run of a process that is gone is ended by whoever takes its place. */
function endRun(
  context: StoreContext,
  runId: string,
  outcome: Json,
  events: readonly EventDraft[],
  unless: string | undefined,
): KaryiEvent[] | undefined {
  const { database, owner, now } = context;
  const row = rowOf(context, runId);
  if (row === undefined || row.phase === "ended") return [];
  if (row.owner_id !== owner.id && ownerHolds(context, row.owner_id)) throw notOurs(runId);
  if (unless !== undefined && database.one("SELECT 1 FROM run_signals WHERE run = ? AND topic = ? AND taken = 0", row.n, unless))
    return undefined;
  database.run("UPDATE runs SET phase = 'ended', ended_at = ?, outcome = ? WHERE n = ?", now(), JSON.stringify(outcome), row.n);
  return insertEvents(database, row.session_id, events, now());
}

function own(context: StoreContext, runId: string): RunRow {
  const row = rowOf(context, runId);
  if (row === undefined || row.phase === "ended" || row.owner_id !== context.owner.id) throw notOurs(runId);
  return row;
}

function notOurs(runId: string): ToolFailure {
  return new ToolFailure("tool_conflict", `The run ${runId} is not this process's (any more).`, { details: { reason: "run_not_owned" } });
}

function rowOf({ database }: StoreContext, id: string): RunRow | undefined {
  return database.one<RunRow>("SELECT * FROM runs WHERE id = ?", id);
}

function found(context: StoreContext, row: RunRow | undefined): RunRecord | undefined {
  return row && recordOf(context, row);
}

function recordOf(context: StoreContext, row: RunRow): RunRecord {
  return {
    id: row.id,
    sessionId: row.session_id,
    rootSessionId: row.root_session_id,
    name: row.name,
    input: JSON.parse(row.input) as Json,
    phase: row.phase,
    orphaned: row.phase !== "ended" && !ownerHolds(context, row.owner_id),
    cancelling: row.cancelling === 1,
    createdAt: row.created_at,
    ...optional("parentId", row.parent_id),
    ...optional("startedAt", row.started_at),
    ...optional("endedAt", row.ended_at),
    ...optional("outcome", row.outcome === null ? null : (JSON.parse(row.outcome) as Json)),
    ...optional("progress", row.progress === null ? null : (JSON.parse(row.progress) as Json)),
  };
}
