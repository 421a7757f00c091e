/**
 * From the bytes of a matching line to what is shown of it: decoded, without its line ending, and, when it is long, cut to a
 * window around the first match with what was cut counted. Shared by both backends, so that they cannot differ here. Pure.
 */
import type { GrepLine } from "../../contract/index.ts";

export type Span = readonly [number, number];

/** Characters of a line that are shown. */
const maxShown = 500;
/** Of these, how many before the first match. */
const lead = 120;

export interface RawLine {
  readonly line: number;
  readonly text: string;
  /** In UTF-16 units of `text`; `undefined` for a context line. */
  readonly spans: readonly Span[] | undefined;
}

export function shownLine(path: string, { line, text: written, spans }: RawLine): GrepLine {
  const text = withoutEnding(written);
  const marked = clip(spans ?? [], 0, text.length);
  const kind = spans === undefined ? { context: true as const } : {};
  if (text.length <= maxShown) return { path, line, text, matches: marked, ...kind };
  const first = marked[0];
  const wanted = first === undefined ? 0 : first[1] <= maxShown ? 0 : Math.max(0, Math.min(first[0] - lead, text.length - maxShown));
  const from = wanted > 0 && isLowSurrogate(text, wanted) ? wanted - 1 : wanted;
  const to = isLowSurrogate(text, from + maxShown) ? from + maxShown - 1 : Math.min(from + maxShown, text.length);
  return {
    path,
    line,
    // A copy: a slice would keep a line of many megabytes alive.
    text: Buffer.from(text.slice(from, to), "utf16le").toString("utf16le"),
    matches: clip(marked, from, to),
    ...kind,
    cut: { before: from, after: text.length - to },
  };
}

/** One message may hold several lines; each becomes its own, with the parts of the matches that lie in it. */
export function splitLines(text: string, firstLine: number, spans: readonly Span[] | undefined): readonly RawLine[] {
  const lines: RawLine[] = [];
  let line = firstLine;
  for (let start = 0; start < text.length; line++) {
    const end = text.indexOf("\n", start);
    const next = end < 0 ? text.length : end + 1;
    lines.push({ line, text: text.slice(start, next), spans: spans && clip(spans, start, next) });
    start = next;
  }
  return lines;
}

/** Byte offsets of a line to UTF-16 offsets of its text. */
export function decodeLine(bytes: Buffer, spans: readonly Span[] | undefined): { text: string; spans: readonly Span[] | undefined } {
  const text = bytes.toString("utf8");
  if (spans === undefined || text.length === bytes.length) return { text, spans };
  let byte = 0;
  let unit = 0;
  const at = (target: number): number => {
    unit += bytes.toString("utf8", byte, target).length;
    byte = target;
    return unit;
  };
  return { text, spans: spans.map(([start, end]) => [at(start), at(end)]) };
}

/** Empty matches mark nothing. */
function clip(spans: readonly Span[], from: number, to: number): readonly Span[] {
  const inside: Span[] = [];
  for (const [start, end] of spans) {
    const first = Math.max(start, from);
    const last = Math.min(end, to);
    if (first < last) inside.push([first - from, last - from]);
  }
  return inside;
}

function withoutEnding(text: string): string {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  return text.slice(0, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
