/** Unified diffs as data: files, hunks, numbered lines, and the words that differ inside a changed line. Pure. */
import { diffWordsWithSpace } from "diff";

export interface DiffSpan {
  readonly text: string;
  readonly marked: boolean;
}

export interface DiffLine {
  readonly kind: "same" | "add" | "del";
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
  readonly spans?: readonly DiffSpan[];
  readonly noNewline?: boolean;
}

export interface DiffHunk {
  readonly beforeStart: number;
  readonly afterStart: number;
  /** What stands behind the second `@@`. */
  readonly around: string;
  readonly lines: readonly DiffLine[];
}

export interface FileDiffData {
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;
/** Longer lines are not compared word by word. */
const wordLimit = 600;

export function parseDiff(text: string): readonly FileDiffData[] {
  const files: { path: string; hunks: DiffHunk[] }[] = [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let file: { path: string; hunks: DiffHunk[] } | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      file = { path: nameOf(lines[at + 1] ?? "", line), hunks: [] };
      files.push(file);
      at += 1;
      continue;
    }
    const head = hunkHead.exec(line);
    if (head === null) continue;
    if (file === undefined) {
      file = { path: "", hunks: [] };
      files.push(file);
    }
    const read = readHunk(lines, at + 1, head);
    file.hunks.push(read.hunk);
    at = read.end - 1;
  }
  return files.map(({ path, hunks }) => {
    const all = hunks.flatMap(({ lines: own }) => own);
    const added = all.filter(({ kind }) => kind === "add").length;
    return { path, hunks, added, removed: all.filter(({ kind }) => kind === "del").length };
  });
}

/** `+3 −1` of a diff without building its lines. */
export function countLines(text: string): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  let inside = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("@@")) inside = true;
    else if (line.startsWith("--- ") || line.startsWith("Index: ")) inside = false;
    else if (inside && line.startsWith("+")) added += 1;
    else if (inside && line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

function readHunk(lines: readonly string[], start: number, head: RegExpExecArray): { readonly hunk: DiffHunk; readonly end: number } {
  let before = Number(head[1]);
  let after = Number(head[3]);
  let leftBefore = Number(head[2] ?? 1);
  let leftAfter = Number(head[4] ?? 1);
  const read: DiffLine[] = [];
  let at = start;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("\\")) {
      const last = read.pop();
      if (last) read.push({ ...last, noNewline: true });
      continue;
    }
    if (leftBefore <= 0 && leftAfter <= 0) break;
    const text = line.slice(1);
    if (line.startsWith("+")) {
      read.push({ kind: "add", text, after });
      after += 1;
      leftAfter -= 1;
    } else if (line.startsWith("-")) {
      read.push({ kind: "del", text, before });
      before += 1;
      leftBefore -= 1;
    } else {
      read.push({ kind: "same", text, before, after });
      before += 1;
      after += 1;
      leftBefore -= 1;
      leftAfter -= 1;
    }
  }
  return {
    hunk: { beforeStart: Number(head[1]), afterStart: Number(head[3]), around: head[5] ?? "", lines: withWords(read) },
    end: at,
  };
}

/** Deleted lines and the added ones after them are compared pair by pair. */
function withWords(lines: readonly DiffLine[]): readonly DiffLine[] {
  const done = [...lines];
  for (let at = 0; at < done.length; ) {
    if (done[at]?.kind !== "del") {
      at += 1;
      continue;
    }
    let add = at;
    while (done[add]?.kind === "del") add += 1;
    let end = add;
    while (done[end]?.kind === "add") end += 1;
    const pairs = Math.min(add - at, end - add);
    for (let pair = 0; pair < pairs; pair += 1) {
      const removed = done[at + pair];
      const added = done[add + pair];
      if (!removed || !added || removed.text.length > wordLimit || added.text.length > wordLimit) continue;
      const parts = diffWordsWithSpace(removed.text, added.text);
      const shared = parts.filter((part) => !part.added && !part.removed).reduce((sum, { value }) => sum + value.trim().length, 0);
      if (shared === 0) continue;
      done[at + pair] = { ...removed, spans: spans(parts.filter((part) => !part.added)) };
      done[add + pair] = { ...added, spans: spans(parts.filter((part) => !part.removed)) };
    }
    at = Math.max(end, at + 1);
  }
  return done;
}

function spans(parts: readonly { readonly value: string; readonly added?: boolean; readonly removed?: boolean }[]): readonly DiffSpan[] {
  const joined: DiffSpan[] = [];
  for (const { value, added, removed } of parts) {
    const marked = added === true || removed === true;
    const last = joined.at(-1);
    if (last?.marked === marked) joined[joined.length - 1] = { text: last.text + value, marked };
    else joined.push({ text: value, marked });
  }
  return overSpaces(joined);
}

/** The same difference without pairs of lines that differ in blanks only. */
export function withoutBlanks(text: string): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    if (removed.length === 0) {
      kept.push(lines[at] ?? "");
      at += 1;
      continue;
    }
    const isSame = removed.length === added.length && removed.every((line, index) => squeezed(line) === squeezed(added[index] ?? ""));
    // Line numbers count on: what was two lines is one that both sides have.
    kept.push(...(isSame ? added.map((line) => ` ${line.slice(1)}`) : [...removed, ...added]));
    at += removed.length + added.length;
  }
  return kept.join("\n");
}

function run(lines: readonly string[], from: number, sign: "+" | "-"): readonly string[] {
  let end = from;
  while (lines[end]?.startsWith(sign) === true && !/^(?:---|\+\+\+) /.test(lines[end] ?? "")) end += 1;
  return lines.slice(from, end);
}

function squeezed(line: string): string {
  return line.slice(1).replace(/\s+/g, "");
}

/** Marks go on over the blank between two changed words: a row of single marks reads badly. */
export function overSpaces(spans: readonly DiffSpan[]): readonly DiffSpan[] {
  const joined: DiffSpan[] = [];
  for (const [index, { text, marked }] of spans.entries()) {
    const isBridge = !marked && text.trim() === "" && joined.at(-1)?.marked === true && spans[index + 1]?.marked === true;
    const last = joined.at(-1);
    if (last !== undefined && (isBridge || last.marked === marked))
      joined[joined.length - 1] = { text: last.text + text, marked: last.marked };
    else joined.push({ text, marked });
  }
  return joined;
}

function nameOf(plus: string, minus: string): string {
  const pick = (line: string): string => (line.slice(4).split("\t")[0] ?? "").trim();
  const name = pick(plus) === "/dev/null" ? pick(minus) : pick(plus);
  return name.replace(/^[ab]\//, "");
}
