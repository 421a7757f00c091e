/**
 * The `*** Begin Patch` notation: sections that add, update, move or delete a file, hunks found by their text and by
 * `@@` anchors. Refuses a patch without its end line: it was cut off.
 */
import type { FilePatch, Hunk, PatchLine } from "./patch.ts";
import { badPatch, bodyLine, PatchReader } from "./patch.ts";

const sectionLine = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/;
const paddedMarker = /^\s+\*\*\* (?:(?:Add|Update|Delete) File: |Move to: |End of File)/;
const moveLine = /^\*\*\* Move to: (.+?)\s*$/;

/** `lines` start at the begin line, which is line `skipped` + 1 of the call. */
export function parseEnvelope(lines: readonly string[], skipped: number): readonly FilePatch[] {
  const end = lines.findLastIndex((line) => line.trim() === "*** End Patch");
  if (end === -1) throw badPatch("*** End Patch is missing: the patch seems to be cut off");
  const reader = new PatchReader(withoutPadding(lines.slice(0, end)));
  const at = (): number => skipped + reader.number;
  reader.take();
  const files: FilePatch[] = [];
  while (!reader.isDone) {
    const line = reader.take();
    if (line.trim() === "") continue;
    const section = sectionLine.exec(line);
    const path = section?.[2];
    if (section === null || path === undefined) {
      throw badPatch(`expected *** Add File, *** Update File or *** Delete File, found ${JSON.stringify(line.slice(0, 80))}`, at() - 1);
    }
    if (section[1] === "Add") files.push({ kind: "create", path, hunks: [addedLines(reader, at)] });
    else if (section[1] === "Delete") files.push({ kind: "delete", path, hunks: [] });
    else files.push(updated(reader, path, at));
  }
  return files;
}

/** A padded begin line means padded markers. If every line carries that padding, the whole patch was indented. */
function withoutPadding(lines: readonly string[]): readonly string[] {
  const padding = /^\s*/.exec(lines[0] ?? "")?.[0] ?? "";
  if (padding === "") return lines;
  if (lines.every((line) => line.trim() === "" || line.startsWith(padding))) return lines.map((line) => line.slice(padding.length));
  return lines.map((line) => (paddedMarker.test(line) ? line.trimStart() : line));
}

function isSection(line: string | undefined): boolean {
  return line !== undefined && sectionLine.test(line);
}

function addedLines(reader: PatchReader, at: () => number): Hunk {
  const lines: PatchLine[] = [];
  while (!reader.isDone && !isSection(reader.peek())) {
    const line = reader.take();
    if (line.startsWith("+")) lines.push(bodyLine(line));
    else if (line.trim() === "" && (reader.isDone || isSection(reader.peek()))) continue;
    else throw badPatch("every line of an added file starts with +", at() - 1);
  }
  return { header: "", anchors: [], lines };
}

function updated(reader: PatchReader, path: string, at: () => number): FilePatch {
  const start = at() - 1;
  const move = moveLine.exec(reader.peek() ?? "")?.[1];
  if (move !== undefined) reader.take();
  const hunks: Hunk[] = [];
  while (!reader.isDone && !isSection(reader.peek())) {
    if (reader.peek()?.trim() === "" && !isBodyAhead(reader)) reader.take();
    else hunks.push(hunkOf(reader, at));
  }
  if (hunks.length === 0 && move === undefined) throw badPatch(`the update of ${path} has no hunk`, start);
  return { kind: "update", path, hunks, ...(move === undefined ? {} : { target: { path: move, keepsSource: false } }) };
}

/** Whether a blank line is followed by more of a hunk, so that it is an empty context line. */
function isBodyAhead(reader: PatchReader): boolean {
  for (let ahead = 1; ; ahead++) {
    const line = reader.peek(ahead);
    if (line === undefined || line.startsWith("@@") || isSection(line)) return false;
    if (line.trim() !== "") return /^[ +-]/.test(line);
  }
}

function hunkOf(reader: PatchReader, at: () => number): Hunk {
  const start = at();
  const anchors: string[] = [];
  const header = reader.peek()?.startsWith("@@") === true ? (reader.peek() ?? "") : "";
  while (reader.peek()?.startsWith("@@") === true) {
    const anchor = anchorOf(reader.take());
    if (anchor !== "") anchors.push(anchor);
  }
  const lines: PatchLine[] = [];
  let atEnd = false;
  while (!reader.isDone && !isSection(reader.peek()) && reader.peek()?.startsWith("@@") !== true) {
    const line = reader.peek() ?? "";
    if (line.trimEnd() === "*** End of File") {
      reader.take();
      atEnd = true;
      break;
    }
    if (line === "" && !isBodyAhead(reader)) break;
    if (line !== "" && !/^[ +-]/.test(line)) {
      throw badPatch(`expected a line that starts with a blank, + or -, found ${JSON.stringify(line.slice(0, 80))}`, at());
    }
    lines.push(bodyLine(reader.take()));
  }
  if (lines.every(({ op }) => op === " ")) throw badPatch("a hunk changes nothing", start);
  return { header, anchors, lines, ...(atEnd ? { atEnd } : {}) };
}

/** `@@ class A` and `@@ class A @@` both name a line; line numbers of a unified diff name none. */
function anchorOf(line: string): string {
  const text = line
    .replace(/^@@ ?/, "")
    .replace(/ ?@@\s*$/, "")
    .trimEnd();
  return /^-\d+(,\d+)? \+\d+(,\d+)?( @@.*)?$/.test(text) ? "" : text;
}
