/** A call as every protocol hands it over. */

export interface Call {
  /**
   * Idempotency key: a second `begin` with the same id answers from the record. Of a decoded call (one with `raw`) it is the
   * provider's id, which names the answer and never the record: some servers count from `call_0` in every turn.
   */
  readonly id: string;
  /** Id that the provider gave the call. It goes back in the result; of the records it finds only a call that still waits for a person. */
  readonly providerId?: string;
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
  /**
   * A person makes this call themself (H1): inside the roots it is not asked about. Outside the roots and in system
   * directories it is refused, whatever rules say. Set by fronts, never by a decoder.
   */
  readonly direct?: true;
  /**
   * Another agent asked its person, or needed not, before it handed the call over (M4): nobody is asked again. What is denied
   * stays denied. Set by the capturing shell, never by a decoder.
   */
  readonly judged?: true;
  /** Another agent makes it with a tool of its own (M4): it is asked about here and never run here. */
  readonly foreign?: true;
  /** Who made the call and where from, for the audit: `http:USER TOKEN ADDRESS`. Not part of what the call is. */
  readonly by?: string;
}
