/** Stored outputs: what did not fit into a result, whole, under an opaque reference of the session (C8). */

export interface OutputPage {
  readonly ref: string;
  readonly text: string;
  /** In bytes of UTF-8; `next` is absent at the end. */
  readonly offset: number;
  readonly next?: number;
  readonly total: number;
}

export interface Outputs {
  /** `undefined` when the reference is unknown here or its retention has ended. A page never splits a character. */
  read(ref: string, offset: number, limit: number): Promise<OutputPage | undefined>;
}
