/** Stored outputs: what did not fit into a result, whole, under an opaque reference of the session (C8). */

export interface OutputPage {
  readonly ref: string;
  readonly text: string;
  /** In bytes of UTF-8; `next` is absent at the end. */
  readonly offset: number;
  readonly next?: number;
  readonly total: number;
}

/** Text that a tool produces little by little: shown live and masked; memory use does not grow with its length. */
export interface LiveText {
  /** A promise: nothing more should be pushed before it resolves. */
  push(text: string): Promise<void> | undefined;
  /** The text is longer than a result: all of it, also what came before, is to be read later by its reference. */
  keep(): void;
  /** Where it was kept, exact byte counts: everything pushed, and what quotas let stay. */
  close(): Promise<{ readonly ref: string; readonly total: number; readonly kept: number } | undefined>;
}

export interface Outputs {
  /** `undefined` when the reference is unknown here or its retention has ended. A page never splits a character. */
  read(ref: string, offset: number, limit: number): Promise<OutputPage | undefined>;
}
