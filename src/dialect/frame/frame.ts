/**
 * Stage one: a frame is one call's text while it streams in. A framer only finds where its frame ends, reading
 * every character once; the whole frame is understood afterwards, in one piece. That is why no call is ever
 * built from half a stream, and why the cuts between chunks cannot matter.
 */
import type { DecodedPart, SchemaLookup } from "../types.ts";

/**
 * `closed`: its own end was seen. `unclosed`: something else began where its end should be.
 * `cut`: the stream ended inside. `rejected`: it was never a call.
 */
export type FrameEnd = "closed" | "unclosed" | "cut" | "rejected";

export interface FrameContext {
  readonly tools: SchemaLookup;
  /** Decodes a text inside a text (the `tools` field of a JSON reply). */
  decode(text: string): DecodedPart[];
}

export interface Framer {
  /**
   * Reads on from `from` and answers how far the text is dealt with; the rest comes again, with more behind it.
   * `final`: nothing more will come.
   */
  feed(text: string, from: number, final: boolean): number;
  /** Set once the frame ends where `feed` stopped. */
  readonly ended: FrameEnd | undefined;
  /** The end was a guess, so what follows may be content that escaped. */
  readonly unsure: boolean;
  /** The stream ended: the offset in the frame where it could have ended better, if there is one. */
  giveUp(): number | undefined;
  /** `undefined`: not a call after all, it is text. */
  read(raw: string, end: FrameEnd, context: FrameContext): readonly DecodedPart[] | undefined;
}

/** Does a closing tag of `name` start at `at`? `more` where the text ends too early to say. */
export function closesAt(text: string, at: number, name: string, final: boolean): number | "more" | undefined {
  let p = at + 2;
  const available = text.length - p;
  if (available < name.length) {
    return !final && name.startsWith(text.slice(p).toLowerCase()) ? "more" : undefined;
  }
  const written = text.slice(p, p + name.length);
  if (written !== name && written.toLowerCase() !== name) return undefined;
  p += name.length;
  const limit = Math.min(text.length, p + 64);
  while (p < limit && (text.charCodeAt(p) === 32 || text.charCodeAt(p) === 10 || text.charCodeAt(p) === 13 || text.charCodeAt(p) === 9))
    p += 1;
  if (p >= text.length) return final ? undefined : "more";
  return text.charCodeAt(p) === 62 ? p + 1 : undefined;
}
