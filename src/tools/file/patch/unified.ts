/**
 * Unified diffs, plain and git's: new, deleted, renamed and copied files, modes, quoted names, missing final newlines.
 * Line counts that do not fit are tolerated and marked, since models miscount; text around the diff is passed over.
 * Refuses binary patches, links and submodules, which no text tool can apply.
 */
import type { FilePatch, Hunk, PatchLine } from "./patch.ts";
import { badPatch, bodyLine, isBodyLine, PatchReader } from "./patch.ts";
import { namesOf, unquoted } from "./unified-names.ts";

interface GitHeader {
  readonly oldMode?: number;
  readonly newMode?: number;
  readonly created?: boolean;
  readonly deleted?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly copied?: boolean;
  /** The rest of `diff --git `. */
  readonly names: string;
}

export function parseUnified(lines: readonly string[]): readonly FilePatch[] {
  const reader = new PatchReader(lines);
  const files: FilePatch[] = [];
  while (!reader.isDone) {
    const line = reader.peek() ?? "";
    if (line.startsWith("diff --git ")) files.push(fileOf(reader, gitHeader(reader)));
    else if (isFileHeader(reader)) files.push(fileOf(reader, undefined));
    else if (line.startsWith("@@ -")) throw badPatch("a hunk comes before the --- and +++ lines that name its file", reader.number);
    else reader.take();
  }
  return files;
}

function isFileHeader(reader: PatchReader): boolean {
  return reader.peek()?.startsWith("--- ") === true && reader.peek(1)?.startsWith("+++ ") === true;
}

function gitHeader(reader: PatchReader): GitHeader {
  let header: GitHeader = { names: reader.take().slice("diff --git ".length) };
  while (!reader.isDone && !isFileHeader(reader)) {
    const line = reader.peek() ?? "";
    if (/^(GIT binary patch|Binary files .* differ)/.test(line)) throw badPatch("binary patches cannot be applied", reader.number);
    const field = extended(line, reader.number);
    if (field === undefined) break;
    header = { ...header, ...field };
    reader.take();
  }
  return header;
}

/** One of git's lines between `diff --git` and the hunks; `undefined` for any other line. */
function extended(line: string, number: number): Partial<GitHeader> | undefined {
  const [, key, value = ""] =
    /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/.exec(
      line.trimEnd(),
    ) ?? [];
  switch (key) {
    case "old mode":
      return { oldMode: modeOf(value, number) };
    case "new mode":
      return { newMode: modeOf(value, number) };
    case "new file mode":
      return { created: true, newMode: modeOf(value, number) };
    case "deleted file mode":
      return { deleted: true, oldMode: modeOf(value, number) };
    case "rename from":
      return { from: unquoted(value) };
    case "rename to":
      return { to: unquoted(value) };
    case "copy from":
      return { from: unquoted(value), copied: true };
    case "copy to":
      return { to: unquoted(value), copied: true };
    case undefined:
      return undefined;
    default:
      return {};
  }
}

function modeOf(value: string, number: number): number {
  if (value.startsWith("120")) throw badPatch("symbolic links cannot be patched", number);
  if (value.startsWith("160")) throw badPatch("submodules cannot be patched", number);
  const mode = Number.parseInt(value, 8);
  if (!/^100[0-7]{3}$/.test(value) || Number.isNaN(mode)) throw badPatch(`unknown file mode ${JSON.stringify(value)}`, number);
  return mode & 0o777;
}

function fileOf(reader: PatchReader, git: GitHeader | undefined): FilePatch {
  const start = reader.number;
  let header: { readonly before: string; readonly after: string } | undefined;
  if (isFileHeader(reader)) header = { before: reader.take().slice(4), after: reader.take().slice(4) };
  const names = namesOf(header, git?.names);
  const hunks = hunksOf(reader);
  const mode = git?.newMode;
  if (git?.from !== undefined && git.to !== undefined) {
    const target = { path: git.to, keepsSource: git.copied === true };
    return { kind: "update", path: git.from, target, hunks, ...(mode === undefined ? {} : { mode }) };
  }
  if (git?.created === true || names.before === undefined) {
    if (names.after === undefined) throw badPatch("a new file has no name", start);
    // An ordinary mode is left to the umask, like that of any new file.
    return { kind: "create", path: names.after, hunks, ...(mode === undefined || mode === 0o644 ? {} : { mode }) };
  }
  if (git?.deleted === true || names.after === undefined) return { kind: "delete", path: names.before, hunks };
  if (hunks.length === 0 && mode === undefined) throw badPatch(`the section of ${names.after} changes nothing`, start);
  return { kind: "update", path: names.after, hunks, ...(mode === undefined ? {} : { mode }) };
}

function hunksOf(reader: PatchReader): readonly Hunk[] {
  const hunks: Hunk[] = [];
  for (;;) {
    while (reader.peek() === "" && reader.peek(1)?.startsWith("@@") === true) reader.take();
    if (reader.peek()?.startsWith("@@") !== true) return hunks;
    hunks.push(hunkOf(reader));
  }
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

function hunkOf(reader: PatchReader): Hunk {
  const start = reader.number;
  const header = reader.take();
  const [, oldStart, oldCount = "1", , newCount = "1", heading = ""] = hunkHeader.exec(header.trimEnd()) ?? [];
  const lines: PatchLine[] = [];
  let oldLeft = oldStart === undefined ? 0 : Number(oldCount);
  let newLeft = oldStart === undefined ? 0 : Number(newCount);
  // What the header counts is body even where it looks like a file header: a removed `-- x` line reads `--- x`.
  while ((oldLeft > 0 || newLeft > 0) && !reader.isDone && isCounted(reader)) {
    const line = take(reader, lines);
    if (line === undefined) continue;
    if (line.op !== "+") oldLeft--;
    if (line.op !== "-") newLeft--;
  }
  if (reader.peek()?.startsWith("\\") === true) take(reader, lines);
  const before = lines.length;
  while (isUncounted(reader)) take(reader, lines);
  if (lines.every(({ op }) => op === " ")) throw badPatch("a hunk changes nothing", start);
  const isMiscounted = oldStart !== undefined && (oldLeft !== 0 || newLeft !== 0 || lines.length > before);
  const hint = oldStart === undefined ? header.replace(/^@@\s*|\s*@@\s*$/g, "") : heading.trim();
  return {
    header: header.trimEnd(),
    anchors: [],
    lines,
    ...(oldStart === undefined ? {} : { oldStart: Number(oldStart) }),
    ...(hint === "" ? {} : { heading: hint }),
    ...(isMiscounted ? { miscounted: true } : {}),
  };
}

function isCounted(reader: PatchReader): boolean {
  const line = reader.peek();
  if (line === undefined || line.startsWith("diff --git ") || line.startsWith("@@ -")) return false;
  // An empty last line is the end of the text, not of the file.
  if (line === "") return reader.peek(1) !== undefined;
  return isBodyLine(line);
}

/** More lines of a hunk than its header counts. */
function isUncounted(reader: PatchReader): boolean {
  const line = reader.peek();
  if (line === undefined || isFileHeader(reader)) return false;
  // The signature of a mailed patch: two dashes and a blank.
  if (line === "-- ") return false;
  if (line !== "") return isBodyLine(line);
  return isBodyLine(reader.peek(1)) && reader.peek(1) !== "-- " && !isFileHeaderAt(reader, 1);
}

function isFileHeaderAt(reader: PatchReader, ahead: number): boolean {
  return reader.peek(ahead)?.startsWith("--- ") === true && reader.peek(ahead + 1)?.startsWith("+++ ") === true;
}

/** Takes one body line; a `\` line marks the one before it instead. */
function take(reader: PatchReader, lines: PatchLine[]): PatchLine | undefined {
  const line = reader.take();
  if (!line.startsWith("\\")) {
    const body = bodyLine(line);
    lines.push(body);
    return body;
  }
  const last = lines.pop();
  if (last !== undefined) lines.push({ ...last, noNewline: true });
  return undefined;
}
