/** Tasks of a session: to-do items and background commands. A command whose process died is `lost`. */
import type { TaskRecord } from "../contract/index.ts";
import type { StoreContext } from "./context.ts";
import type { Database } from "./database.ts";
import { ownerHolds } from "./owners.ts";

interface TaskRow {
  readonly owner_id: string;
  readonly record: string;
}

/** Inside a write transaction. */
export function saveTask({ database, owner }: StoreContext, sessionId: string, task: TaskRecord): void {
  database.run(
    `INSERT INTO tasks (session_id, id, owner_id, record) VALUES (?, ?, ?, ?)
     ON CONFLICT (session_id, id) DO UPDATE SET owner_id = excluded.owner_id, record = excluded.record`,
    sessionId,
    task.id,
    owner.id,
    JSON.stringify(task),
  );
}

export function listTasks(context: StoreContext, sessionId: string): TaskRecord[] {
  return rowsOf(context.database, sessionId).map(({ owner_id, record }) => {
    const task = JSON.parse(record) as TaskRecord;
    const running = task.kind === "command" && task.status === "in_progress";
    return running && owner_id !== context.owner.id && !ownerHolds(context, owner_id) ? { ...task, status: "lost" } : task;
  });
}

function rowsOf(database: Database, sessionId: string): TaskRow[] {
  return database.all<TaskRow>("SELECT owner_id, record FROM tasks WHERE session_id = ? ORDER BY n", sessionId);
}
