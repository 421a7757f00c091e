/**
 * An edit whose `old_string` differs from the file in white space alone, rewritten to the file's own text: for `"edits": "whitespace"`.
 * Compares line by line without indentation, line ends and repeated blanks. Refuses a place that is not the only one.
 */
import { lfOnly } from "./mismatch.ts";

export interface Respaced {
  /** The text that stands in the file. */
  readonly oldText: string;
  /** The new text with the indentation of the file. */
  readonly newText: string;
  /** 1-based. */
  readonly line: number;
}

/** `undefined` if no place fits, or several do. */
export function respaced(content: string, oldText: string, newText: string): Respaced | undefined {
  const lines = lfOnly(content).split("\n");
  const wanted = trimmedBlock(lfOnly(oldText).split("\n"));
  if (wanted.every((line) => line.trim() === "")) return undefined;
  const bare = lines.map(bareLine);
  const asked = wanted.map(bareLine);
  const starts = bare.flatMap((_, at) => (asked.every((line, step) => bare[at + step] === line) ? [at] : []));
  const [start] = starts;
  if (start === undefined || starts.length !== 1) return undefined;
  const found = lines.slice(start, start + wanted.length);
  return {
    oldText: found.join("\n"),
    newText: indented(trimmedBlock(lfOnly(newText).split("\n")), wanted, found).join("\n"),
    line: start + 1,
  };
}

function bareLine(line: string): string {
  return line.trim().replace(/[ \t]+/g, " ");
}

/** Without blank lines at either end: they are part of how the call was written. */
function trimmedBlock(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return lines.length === 0 ? [] : [""];
  return lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** Each indentation of the call becomes the one that the file has there; a deeper one keeps what it adds. */
function indented(lines: readonly string[], wanted: readonly string[], found: readonly string[]): readonly string[] {
  const known = new Map<string, string>();
  for (const [at, line] of wanted.entries()) {
    const indent = indentOf(line);
    if (line.trim() !== "" && !known.has(indent)) known.set(indent, indentOf(found[at] ?? ""));
  }
  const longestFirst = [...known.keys()].sort((a, b) => b.length - a.length);
  return lines.map((line) => {
    if (line.trim() === "") return "";
    const indent = indentOf(line);
    const base = longestFirst.find((one) => indent.startsWith(one));
    return base === undefined ? line : (known.get(base) ?? "") + line.slice(base.length);
  });
}
