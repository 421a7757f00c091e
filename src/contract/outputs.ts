/** Stored outputs: what did not fit into a result, whole, under an opaque reference of the session (C8). */

export interface OutputPage {
  readonly ref: string;
  readonly text: string;
  /** In bytes of UTF-8; `next` is absent at the end. */
  readonly offset: number;
  readonly next?: number;
  readonly total: number;
}

/** Keeps a long output while it is produced, masked; memory use does not grow with its length. */
export interface OutputSink {
  write(text: string): Promise<void>;
  /** Exact byte counts: everything written, and what quotas let it keep. */
  close(): Promise<{ readonly ref: string; readonly total: number; readonly kept: number }>;
}

export interface Outputs {
  /** `undefined` when the reference is unknown here or its retention has ended. A page never splits a character. */
  read(ref: string, offset: number, limit: number): Promise<OutputPage | undefined>;
  /** For a tool that produces more than anybody should hold in memory. */
  open(): Promise<OutputSink>;
}
