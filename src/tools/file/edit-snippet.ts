/**
 * The places a change touched, as the model should see them: a few lines around each, numbered like Read numbers them.
 * Decodes only what it shows. Bounded in places, lines and width.
 */
import type { Codec, Document } from "./match/codec.ts";
import { countLineFeeds, decode, indexOfUnit, lastIndexOfUnit } from "./match/codec.ts";
import { showable } from "./text/encoding.ts";

const around = 3;
const shownPlaces = 5;
const shownLines = 40;
const shownWidth = 400;

export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** `spans` ascend. */
export async function snippet({ bytes, codec }: Document, spans: readonly ByteSpan[]): Promise<string> {
  const places: string[] = [];
  let line = 1;
  let counted = codec.bomLength;
  const stretches = merge(spans.slice(0, shownPlaces).map((span) => widen(codec, bytes, span)));
  for (const { start, end } of stretches) {
    line += countLineFeeds(codec, bytes, counted, start);
    counted = start;
    places.push(numbered(await decode(codec, bytes.subarray(start, end)), line));
  }
  const rest = spans.length - shownPlaces;
  if (rest > 0) places.push(`… and ${rest} more ${rest === 1 ? "place" : "places"}`);
  return places.join("\n     …\n");
}

/** From the line `around` lines before the span to the one as many after it. */
function widen(codec: Codec, bytes: Buffer, { start, end }: ByteSpan): Stretch {
  let from = start;
  for (let count = 0; count <= around && from >= 0; count++) from = lastIndexOfUnit(codec, bytes, 10, from);
  let to = Math.max(start, end - codec.unit);
  for (let count = 0; count <= around; count++) {
    const feed = indexOfUnit(codec, bytes, 10, to);
    to = feed === -1 ? bytes.length : feed + codec.unit;
    if (feed === -1) break;
  }
  return { start: from < 0 ? codec.bomLength : from + codec.unit, end: to };
}

function merge(stretches: readonly Stretch[]): readonly Stretch[] {
  const merged: Stretch[] = [];
  for (const stretch of stretches) {
    const last = merged.at(-1);
    if (last !== undefined && stretch.start <= last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, stretch.end) };
    else merged.push(stretch);
  }
  return merged;
}

function numbered(text: string, firstLine: number): string {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  const shown = lines.slice(0, shownLines).map((line, index) => {
    const whole = showable(line);
    const cut = whole.length > shownWidth ? `${whole.slice(0, shownWidth)}…` : whole;
    return `${String(firstLine + index).padStart(6)}\t${cut}`;
  });
  if (lines.length > shownLines) shown.push(`     … ${lines.length - shownLines} more lines`);
  return shown.join("\n");
}
