/** Reading calls: an intent row joined with its outcome, which exists exactly when the call is settled. */
import type { CallFilter, CallPhase, CallRecord, Effect, FileImage, JournalEntry, Json, OperationStatus } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import type { Database, Parameter } from "./database.ts";
import { optional } from "./json-text.ts";
import type { LongOutputs, PackedResult } from "./long-outputs.ts";
import { unpressed } from "./pressed-text.ts";

interface CallRow {
  readonly n: number;
  readonly id: string;
  readonly session_id: string;
  readonly phase: CallPhase;
  readonly owner_id: string;
  readonly started_at: number;
  readonly tool: string;
  readonly message_id: string | null;
  readonly agent: string | null;
  readonly undo_of: string | null;
  readonly cwd: string;
  readonly summary: string;
  readonly detail: string;
  readonly settled_at: number | null;
  readonly status: OperationStatus | null;
  readonly result: string | null;
  readonly output_file: string | null;
  readonly output_at: number | null;
  readonly output_bytes: number | null;
}

/** What the policy and a restart need of a call, written once as one text. */
export interface CallDetail {
  readonly input: Json;
  readonly effects: readonly Effect[];
  readonly request: Json;
}

type Place = Pick<StoreContext, "database" | "longOutputs">;

const selectCalls =
  "SELECT calls.*, settled_at, status, result, output_file, output_at, output_bytes FROM calls LEFT JOIN outcomes USING (n)";

export function findCall({ database, longOutputs }: Place, id: string): CallRecord | undefined {
  const row = database.one<CallRow>(`${selectCalls} WHERE id = ?`, id);
  return row === undefined ? undefined : recordOf(row, longOutputs);
}

export function listCalls({ database, longOutputs }: Place, filter: CallFilter): CallRecord[] {
  const where: string[] = [];
  const parameters: Parameter[] = [];
  if (filter.sessionId !== undefined) {
    where.push("session_id = ?");
    parameters.push(filter.sessionId);
  }
  if (filter.messageId !== undefined) {
    where.push("message_id = ?");
    parameters.push(filter.messageId);
  }
  if (filter.writing !== undefined) where.push(filter.writing ? "writing = 1" : "writing = 0");
  if (filter.phase === "settled") where.push("settled_at IS NOT NULL");
  if (filter.phase === "asked") where.push("phase = 'asked'");
  // Nothing older than the oldest owner can still be running.
  if (filter.phase === "running") where.push("phase = 'running' AND settled_at IS NULL AND n >= (SELECT min(first_call) FROM owners)");
  const condition = where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`;
  return database
    .all<CallRow>(`${selectCalls} ${condition} ORDER BY n DESC LIMIT ?`, ...parameters, filter.limit ?? -1)
    .map((row) => recordOf(row, longOutputs));
}

/** Running calls of one owner, oldest first. */
export function runningCalls({ database, longOutputs }: Place, ownerId: string, firstCall: number): CallRecord[] {
  return database
    .all<CallRow>(
      `${selectCalls} WHERE n >= ? AND owner_id = ? AND phase = 'running' AND settled_at IS NULL ORDER BY n`,
      firstCall,
      ownerId,
    )
    .map((row) => recordOf(row, longOutputs));
}

export function readJournal(database: Database, callId: string): JournalEntry[] {
  return database
    .all<JournalRow>("SELECT path, before, after FROM journal WHERE n = (SELECT n FROM calls WHERE id = ?) ORDER BY position", callId)
    .map(entryOf);
}

interface JournalRow {
  readonly path: string;
  readonly before: string;
  readonly after: string | null;
}

function entryOf({ path, before, after }: JournalRow): JournalEntry {
  return {
    path,
    before: JSON.parse(before) as FileImage,
    ...(after === null ? {} : laterOf(JSON.parse(after) as FileImage | IntendedImage)),
  };
}

/** In the order of the journal. */
export function journalPaths(database: Database, callId: string): string[] {
  return database
    .all<{ path: string }>("SELECT path FROM journal WHERE n = (SELECT n FROM calls WHERE id = ?) ORDER BY position", callId)
    .map(({ path }) => path);
}

const rowsAtOnce = 500;

/** Each part is a question of its own, so that others get their turn. Rows are found by path: by position each part would read them all. */
export async function* journalParts(
  database: Database,
  callId: string,
  order: "forwards" | "backwards",
): AsyncGenerator<readonly JournalEntry[]> {
  const paths = await database.query(() => journalPaths(database, callId));
  if (order === "backwards") paths.reverse();
  for (let at = 0; at < paths.length; at += rowsAtOnce) {
    const part = paths.slice(at, at + rowsAtOnce);
    yield await database.query(() => part.flatMap((path) => entriesAt(database, callId, path)));
  }
}

function entriesAt(database: Database, callId: string, path: string): JournalEntry[] {
  const sql = "SELECT path, before, after FROM journal WHERE n = (SELECT n FROM calls WHERE id = ?) AND path = ?";
  const row = database.one<JournalRow>(sql, callId, path);
  return row === undefined ? [] : [entryOf(row)];
}

/** In the place of an image after the call, as long as there is none. */
export interface IntendedImage {
  readonly kind: "intended";
  readonly content: string | null;
}

function laterOf(image: FileImage | IntendedImage): Pick<JournalEntry, "after" | "intended"> {
  return image.kind === "intended" ? { intended: image.content } : { after: image };
}

/** Content hashes and packs that undo may still ask for. */
export function usedBlobs(database: Database): ReadonlySet<string> {
  const rows = database.all<{ hash: string }>(
    `SELECT before ->> '$.hash' AS hash FROM journal WHERE before ->> '$.hash' IS NOT NULL
     UNION SELECT after ->> '$.hash' FROM journal WHERE after ->> '$.hash' IS NOT NULL
     UNION SELECT before ->> '$.packed.file' FROM journal WHERE before ->> '$.packed.file' IS NOT NULL`,
  );
  return new Set(rows.map((row) => row.hash));
}

function placeOf({ output_file: file, output_at: at, output_bytes: bytes }: CallRow): PackedResult["place"] {
  return file === null || at === null || bytes === null ? undefined : { file, at, bytes };
}

function recordOf(row: CallRow, longOutputs: LongOutputs): CallRecord {
  const { input, effects, request } = JSON.parse(row.detail) as CallDetail;
  return {
    id: row.id,
    sessionId: row.session_id,
    tool: row.tool,
    input,
    cwd: row.cwd,
    summary: row.summary,
    effects,
    phase: row.settled_at === null ? row.phase : "settled",
    ownerId: row.owner_id,
    startedAt: row.started_at,
    ...optional("settledAt", row.settled_at),
    ...optional("messageId", row.message_id),
    ...optional("agent", row.agent),
    ...optional("status", row.status),
    ...optional("result", row.result === null ? null : longOutputs.unpack({ text: unpressed(row.result), place: placeOf(row) })),
    ...optional("undoOf", row.undo_of),
    request,
  };
}
