/** A call as every protocol hands it over. */

export interface Call {
  /** Idempotency key: a second `begin` with the same id answers from the record. */
  readonly id: string;
  /** Name or alias as the model wrote it. */
  readonly name: string;
  /** Not yet checked against the tool's schema. */
  readonly input: unknown;
  /** The text the call was decoded from. */
  readonly raw?: string;
  /** What a decoder had to mend; such a call asks before it writes. */
  readonly repaired?: readonly string[];
  /** The call was cut off at the end of a stream. */
  readonly cutOff?: boolean;
  /** A decoder saw a call here but could not read it: becomes an error result with the right form. */
  readonly unreadable?: string;
  /** The right way to write this call in its protocol, for the answer to an unreadable one. */
  readonly rightForm?: string;
  /** Groups the calls of one model message, so that they can be undone together. */
  readonly messageId?: string;
  readonly agent?: string;
}
