/**
 * What the detectors of a masker share: the window of text they look at, and what they found in it.
 * A detector's word about a place depends on the text around that place only, never on where a window
 * happens to end: what the missing rest could still change is held back instead. That is why any cutting
 * of a text into chunks gives the same masked text.
 */
import type { Swallow } from "./char-class.ts";

export interface Window {
  /** Some text that was handed out already, for looking back, then the text to be judged. */
  readonly text: string;
  /** The low byte of every character of `text`; longer than the text. */
  readonly bytes: Uint8Array;
  /** Where the text to be judged begins. Nothing before it can be masked any more. */
  readonly from: number;
  /** Nothing comes after this window. */
  readonly final: boolean;
}

/** Characters kept for looking back; no detector looks further. */
export const lookBack = 256;

/**
 * Of two spans with one start the lower rank names it. Between shapes the end must not decide: it may not be known yet
 * when the label is handed out.
 */
export const rank = { goesOn: -1, variable: 0, token: 1, context: 2 } as const;
type Rank = (typeof rank)[keyof typeof rank];

export interface Span {
  readonly start: number;
  readonly end: number;
  /** What stands there instead; empty where the label was handed out with an earlier window. */
  readonly label: string;
  readonly rank: Rank;
  /** The span is not at its end yet: more text from there on may belong to it. */
  readonly swallows?: readonly Swallowing[];
}

export interface Swallowing {
  readonly swallow: Swallow;
  readonly at: number;
}

export class Findings {
  readonly #spans: Span[] = [];
  #lastSwallowed: Map<Swallow, { readonly at: number; readonly end: number; readonly held?: number }> | undefined;
  #held = Number.POSITIVE_INFINITY;

  add(span: Span): void {
    this.#spans.push(span);
  }

  /** From here on the text may turn out to be a secret when more of it is known. */
  hold(start: number): void {
    if (start < this.#held) this.#held = start;
  }

  get held(): number {
    return this.#held;
  }

  /** Masks from the start of the span to wherever the swallow ends that begins at `at`. */
  addSwallowed(window: Window, { start, label, rank }: Pick<Span, "start" | "label" | "rank">, at: number, swallow: Swallow): void {
    const { end, held } = this.#swallowed(window, at, swallow);
    const goesOn = !window.final && (held !== undefined || end === window.text.length);
    if (held !== undefined && !window.final) this.hold(held);
    this.add({ start, end, label, rank, ...(goesOn && { swallows: [{ swallow, at: end }] }) });
  }

  /** From a place inside what a swallow took before it ends where it ended before: each character is swallowed once. */
  #swallowed(window: Window, at: number, swallow: Swallow): ReturnType<Swallow> {
    const last = this.#lastSwallowed?.get(swallow);
    if (last !== undefined && last.at <= at && at <= last.end) return last;
    const result = swallow(window.text, at, window.final);
    this.#lastSwallowed ??= new Map();
    this.#lastSwallowed.set(swallow, { ...result, at });
    return result;
  }

  /** Overlapping spans become one, under the label of the leftmost; between equals the longest names it. */
  merged(): readonly Span[] {
    const spans = this.#spans;
    if (spans.length < 2) return spans;
    spans.sort(inOrder);
    const merged: Span[] = [];
    let last: Span | undefined;
    for (const span of spans) {
      if (last === undefined || span.start >= last.end) {
        if (last !== undefined) merged.push(last);
        last = span;
      } else last = joined(last, span);
    }
    if (last !== undefined) merged.push(last);
    return merged;
  }
}

function inOrder(a: Span, b: Span): number {
  const byEnd = a.rank === rank.variable ? b.end - a.end : 0;
  return a.start - b.start || a.rank - b.rank || byEnd || (a.label < b.label ? -1 : 1);
}

function joined(first: Span, second: Span): Span {
  const swallows = [...(first.swallows ?? []), ...(second.swallows ?? [])];
  return { ...first, end: Math.max(first.end, second.end), ...(swallows.length > 0 && { swallows }) };
}
