/**
 * Values inside base64 that is broken into lines: `base64`, `openssl` and mail do that every 64 or 76 characters.
 * Line breaks between two such lines are taken out, with the mark that a line of stderr gets, and the joined text is searched.
 */
import { stderrMark } from "../../contract/index.ts";
import { base64, endOfRun, isIn } from "./char-class.ts";
import type { Window } from "./findings.ts";

/** A line of base64 has at least this many characters before its break, so every such line covers a multiple of it. */
const shortestLine = 48;

const members = new Uint8Array(256);
for (let code = 0; code < 128; code++) members[code] = base64[code] ?? 0;

/** Searches a joined text; `place` maps places of it back. */
export type SearchJoined = (joined: string, open: boolean, place: (index: number) => number) => void;

export function findWrapped(window: Window, longest: number, search: SearchJoined): void {
  const { text, bytes, from } = window;
  const earliest = Math.max(0, from - shortestLine);
  let at = earliest + shortestLine - 1;
  while (at < text.length) {
    if (members[bytes[at] as number] === 0) {
      at += shortestLine;
      continue;
    }
    let end = at + 1;
    while (end < text.length && members[bytes[end] as number] === 1) end += 1;
    const line = bytes[end] === 0x0d && end + 1 < text.length ? end + 1 : end;
    at = end + shortestLine;
    if (line < text.length && line >= from && isBreak(window, line)) at = joinAround(window, line, longest, search) + shortestLine;
  }
}

/** A line break with base64 on both sides; at the end of a window the other side, or half of the break, is still to come. */
function isBreak(window: Window, at: number): boolean {
  const { text, final } = window;
  const code = text.charCodeAt(at);
  if (code === 0x0d) return !final && at + 1 === text.length && followsLine(text, at);
  if (code !== 0x0a || afterBreak(window, at) === undefined) return false;
  return followsLine(text, text.charCodeAt(at - 1) === 0x0d ? at - 1 : at);
}

/** Where the base64 behind a line feed begins: the end of a window where that is still to come, nothing where there is none. */
function afterBreak({ text, final }: Window, at: number): number | undefined {
  const next = text.startsWith(stderrMark, at + 1) ? at + 1 + stderrMark.length : at + 1;
  const rest = text.length - next;
  if (rest < stderrMark.length && stderrMark.startsWith(text.slice(next))) return final ? undefined : text.length;
  return isIn(base64, text.charCodeAt(next)) ? next : undefined;
}

function followsLine(text: string, end: number): boolean {
  for (let back = 1; back <= shortestLine; back++) {
    if (end - back < 0 || !isIn(base64, text.charCodeAt(end - back))) return false;
  }
  return true;
}

/** Joins the lines around a break as far as a secret can reach; answers where the joined part ends. */
function joinAround(window: Window, at: number, longest: number, search: SearchJoined): number {
  const { text, from, final } = window;
  let start = at;
  if (text.charCodeAt(start - 1) === 0x0d) start -= 1;
  const lowest = Math.max(from, start - longest);
  while (start > lowest && isIn(base64, text.charCodeAt(start - 1))) start -= 1;
  const pieces: { readonly from: number; readonly joinedAt: number }[] = [];
  let joined = "";
  let position = start;
  for (;;) {
    const end = endOfRun(text, position, base64);
    pieces.push({ from: position, joinedAt: joined.length });
    joined += text.slice(position, end);
    const line = text.charCodeAt(end) === 0x0d ? end + 1 : end;
    if (line < text.length && text.charCodeAt(line) === 0x0a && isBreak(window, line)) {
      position = afterBreak(window, line) ?? line + 1;
      if (position < text.length) continue;
    } else position = end;
    const carriage = line === text.length && end < text.length;
    const open = !final && (position === text.length || carriage);
    search(joined, open, (index) => placeOf(pieces, index));
    return Math.max(position, at + 1);
  }
}

function placeOf(pieces: readonly { readonly from: number; readonly joinedAt: number }[], index: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.joinedAt ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  return piece === undefined ? 0 : piece.from + (index - piece.joinedAt);
}
