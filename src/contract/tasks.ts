/** Work that outlives its call: background commands now, to-do items and agents later (B2, A6). */

export type TaskStatus = "pending" | "in_progress" | "done" | "failed" | "cancelled" | "lost";

export interface TaskRecord {
  readonly id: string;
  readonly kind: "command" | "todo" | "agent";
  readonly title: string;
  readonly description?: string;
  readonly status: TaskStatus;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** Its time limit ended it. */
  readonly timedOut?: true;
  /** Bytes of output so far, the part that is no longer kept included. */
  readonly outputBytes: number;
}

export interface TaskOutputPage {
  readonly task: TaskRecord;
  readonly text: string;
  readonly offset: number;
  readonly next: number;
  /** Bytes between head and tail that were dropped inside this page. */
  readonly dropped: number;
}

export interface Tasks {
  list(): Promise<readonly TaskRecord[]>;
  get(id: string): Promise<TaskRecord | undefined>;
  create(title: string, description?: string): Promise<TaskRecord>;
  update(id: string, status: TaskStatus): Promise<TaskRecord>;
  /** Waits up to `waitMs` for new output or the end. */
  output(id: string, offset: number, waitMs: number, signal: AbortSignal): Promise<TaskOutputPage | undefined>;
  stop(id: string): Promise<TaskRecord | undefined>;
  /** Ends of background commands that nobody was told about yet; each is told once. */
  takeNotices(): readonly string[];
}
