/**
 * Masks text that arrives in pieces: hands out at once whatever no later text can change, and keeps the rest.
 * A label is handed out when its span begins, so that a very long secret (a key, a token of any length) is never
 * kept whole.
 */
import { type Findings, lookBack, rank, type Span, type Swallowing, type Window } from "./findings.ts";
import type { Detect } from "./masker.ts";

/** Shared by all maskers: a window is judged in one go, without anybody else in between. */
let scratch = Buffer.alloc(1 << 16);

/** Windows that fit into the processor's nearest memory are judged several times as fast as long ones. */
const pieceLength = 1 << 16;

function lowBytes(text: string): Uint8Array {
  // A few bytes more than the text, since blocks are read whole.
  if (scratch.length < text.length + 8) scratch = Buffer.alloc(Math.max(text.length + 8, scratch.length * 2));
  scratch.write(text, 0, "latin1");
  return scratch;
}

/** Without the first half of a character whose second half is still to come: whoever encodes the pieces would lose both. */
function wholeLength(text: string, from: number): number {
  const last = text.charCodeAt(text.length - 1);
  return text.length > from && last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

export class PendingMask {
  readonly #detect: Detect;
  #context = "";
  #pending = "";
  /** Characters at the start of `#pending` that belong to a span whose label was handed out. */
  #covered = 0;
  /** Spans that may go on, by their places in `#pending`. */
  #swallowing: readonly Swallowing[] = [];

  constructor(detect: Detect) {
    this.#detect = detect;
  }

  push(chunk: string, final: boolean): string {
    const judged = this.#pending + chunk;
    if (judged === "") return "";
    const text = this.#context + judged;
    const [output, limit] = this.#step(text, this.#context.length, final);
    this.#context = text.slice(Math.max(0, limit - lookBack), limit);
    this.#pending = text.slice(limit);
    return output;
  }

  /** A text that is all there: the same windows, cut out of it instead of put together. */
  whole(source: string): string {
    const parts: string[] = [];
    let masked = false;
    for (let at = 0, end = 0; ; ) {
      end = Math.min(source.length, end + pieceLength);
      const final = end === source.length;
      const start = Math.max(0, at - lookBack);
      const [output, limit, found] = this.#step(source.slice(start, end), at - start, final);
      masked ||= found;
      parts.push(output);
      if (final) return masked ? parts.join("") : source;
      at = start + limit;
    }
  }

  /** The masked text of one window, how far into the window that reaches, and whether anything was masked. */
  #step(text: string, from: number, final: boolean): [output: string, limit: number, found: boolean] {
    const window: Window = { text, bytes: lowBytes(text), from, final };
    const findings = this.#detect(window);
    this.#goOn(window, findings);
    const spans = findings.merged();
    const limit = final ? text.length : Math.min(findings.held, wholeLength(text, from));
    const [output, open] = this.#handOut(text, from, limit, spans);
    this.#covered = open === undefined ? 0 : Math.max(0, open.end - limit);
    this.#swallowing = open?.swallows?.map(({ swallow, at }) => ({ swallow, at: at - limit })) ?? [];
    return [output, limit, spans.length > 0];
  }

  /** What an earlier window left open goes on here, under the label that was handed out with it. */
  #goOn(window: Window, findings: Findings): void {
    if (this.#covered > 0) findings.add({ start: window.from, end: window.from + this.#covered, label: "", rank: rank.goesOn });
    for (const { swallow, at } of this.#swallowing)
      findings.addSwallowed(window, { start: window.from, label: "", rank: rank.goesOn }, window.from + at, swallow);
  }

  /** The masked text up to `limit`, and the span that reaches over it. */
  #handOut(text: string, from: number, limit: number, spans: readonly Span[]): readonly [string, Span | undefined] {
    if (spans.length === 0) return [from === 0 && limit === text.length ? text : text.slice(from, limit), undefined];
    let output = "";
    let at = from;
    let open: Span | undefined;
    for (const span of spans) {
      // A span that ended exactly at the limit and may go on belongs to what was handed out.
      if (span.start >= limit && !(span.label === "" && span.start === from)) break;
      output += text.slice(at, Math.min(span.start, limit)) + span.label;
      at = Math.min(span.end, limit);
      if (span.end >= limit) open = span;
    }
    return [output + text.slice(at, limit), open];
  }
}
