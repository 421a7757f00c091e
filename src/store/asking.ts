/**
 * One value from a connection without a prepared statement. The driver cannot end a statement, and a
 * connection that has one does not close at once; while a file is only being looked at, it must.
 */
import type { DatabaseSyncInstance } from "@photostructure/sqlite";

/** Runs `sql`, which hands its value to the function `answer`; the first one counts. */
export function ask(connection: DatabaseSyncInstance, sql: string): unknown {
  const answers: unknown[] = [];
  connection.function("answer", (value: unknown) => {
    answers.push(value);
    return null;
  });
  connection.exec(sql);
  return answers[0];
}
