/** From a thread's entries to the rows on the screen: reads that follow each other join, calls of one kind get their words. */
import type { CallState, Entry, SessionState, Thread } from "./session-state.ts";

export type Row =
  | { readonly kind: "entry"; readonly key: string; readonly entry: Entry }
  | { readonly kind: "call"; readonly key: string; readonly seq: number; readonly call: CallState }
  | { readonly kind: "explored"; readonly key: string; readonly seq: number; readonly calls: readonly CallState[] };

const readTools = new Set(["Read", "Grep", "Glob", "List", "ReadArtifact", "ReadOutput", "ToolSearch"]);
const taskTools = new Set(["TaskCreate", "TaskUpdate", "TaskList"]);

/** A call that looked and changed nothing; several in a row are one line. */
function isQuietRead(call: CallState): boolean {
  if (call.status !== "ok") return false;
  if (call.changesTotal > 0 || call.undoneBy !== undefined) return false;
  return (
    readTools.has(call.tool) ||
    taskTools.has(call.tool) ||
    (call.tool === "Bash" && (call.class === "read" || call.class === "search" || call.class === "list"))
  );
}

export function isSearch(call: CallState): boolean {
  return call.tool === "Grep" || call.tool === "Glob" || call.tool === "ToolSearch" || call.class === "search";
}

export function isTask(call: CallState): boolean {
  return taskTools.has(call.tool);
}

export function rowsOf(state: SessionState, thread: Thread): readonly Row[] {
  const rows: Row[] = [];
  let reads: CallState[] = [];
  const flush = (): void => {
    const [first] = reads;
    if (first !== undefined) {
      rows.push(
        reads.length === 1
          ? { kind: "call", key: `c${first.callId}`, seq: first.seq, call: first }
          : { kind: "explored", key: `c${first.callId}`, seq: first.seq, calls: reads },
      );
    }
    reads = [];
  };
  // An agent has a row of its own, with what it does: the call that started it would say it twice.
  const starters = new Set([...state.agents.values()].map(({ callId }) => callId));
  for (const entry of thread.entries) {
    const call = entry.kind === "call" ? state.calls.get(entry.callId) : undefined;
    if (call !== undefined && starters.has(call.callId) && (call.status === "ok" || call.status === "running")) continue;
    // A value that is asked for has a row of its own as well.
    if (call?.tool === "GetValue" && (call.status === "ok" || call.status === "running")) continue;
    if (call !== undefined && isQuietRead(call)) {
      reads.push(call);
      continue;
    }
    flush();
    if (call !== undefined) rows.push({ kind: "call", key: entry.key, seq: entry.seq, call });
    else if (entry.kind !== "call") rows.push({ kind: "entry", key: entry.key, entry });
  }
  flush();
  return rows;
}

/** Positions of the rows that hold the words, in any case. */
export function findRows(rows: readonly Row[], state: SessionState, words: string): readonly number[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  return rows.flatMap((row, index) => (textOf(row, state).toLowerCase().includes(wanted) ? [index] : []));
}

function textOf(row: Row, state: SessionState): string {
  if (row.kind === "call") return textOfCall(row.call);
  if (row.kind === "explored") return row.calls.map(textOfCall).join("\n");
  const { entry } = row;
  if (entry.kind === "agent") {
    const agent = state.agents.get(entry.agentId);
    return `${agent?.name} ${agent?.description}`;
  }
  if ("text" in entry) return entry.text;
  return "message" in entry ? (entry.message ?? "") : "";
}

function textOfCall({ tool, summary, input, output, error }: CallState): string {
  return [tool, summary, JSON.stringify(input), output, error?.message ?? ""].join("\n");
}

/** Without folders that are told by a file inside of them. */
export function filesOnly<T extends { readonly path: string }>(changes: readonly T[]): readonly T[] {
  const folders = new Set(changes.flatMap(({ path }) => parents(path)));
  return changes.filter(({ path }) => !folders.has(path));
}

/** Files that a call changed. */
export function fileCount({ changes, changesTotal }: Pick<CallState, "changes" | "changesTotal">): number {
  return changes.length === changesTotal ? filesOnly(changes).length : changesTotal;
}

function parents(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Distinct files that calls looked at. */
export function filesLookedAt(calls: readonly CallState[]): number {
  return new Set(calls.filter((call) => !isTask(call)).map(({ input, callId }) => pathOf(input) ?? callId)).size;
}

export function pathOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { file_path: file, path } = input as { readonly file_path?: unknown; readonly path?: unknown };
  return typeof file === "string" ? file : typeof path === "string" ? path : undefined;
}
