/**
 * A patch in one neutral form, whichever notation it was written in: what to do with which file, and the changed
 * stretches with the lines around them. No line numbers are promised; where they are given they are a hint.
 */
import { ToolFailure } from "../../../contract/index.ts";

export interface PatchLine {
  readonly op: " " | "-" | "+";
  /** Without its LF; a CR at the end is part of it. */
  readonly text: string;
  /** `\ No newline at end of file` stood below. */
  readonly noNewline?: boolean;
}

export interface Hunk {
  /** As written, for messages. */
  readonly header: string;
  /** 1-based line of the first old line; of a hunk without old lines, the line it goes after. */
  readonly oldStart?: number;
  /** Lines to find, in this order, before the hunk is looked for. */
  readonly anchors: readonly string[];
  /** Text that usually stands above the hunk: chooses between several places, refuses none. */
  readonly heading?: string;
  readonly lines: readonly PatchLine[];
  /** Its old lines are the last of the file. */
  readonly atEnd?: boolean;
  /** The header's line counts do not fit its lines. */
  readonly miscounted?: boolean;
}

export type FilePatch =
  | { readonly kind: "create"; readonly path: string; readonly hunks: readonly Hunk[]; readonly mode?: number }
  | { readonly kind: "delete"; readonly path: string; readonly hunks: readonly Hunk[] }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly hunks: readonly Hunk[];
      readonly target?: { readonly path: string; readonly keepsSource: boolean };
      readonly mode?: number;
    };

export function badPatch(message: string, line?: number): ToolFailure {
  return new ToolFailure("invalid_tool_input", line === undefined ? message : `Line ${line} of the patch: ${message}`, {
    hint: "Give a unified diff (---, +++, @@ lines), or *** Begin Patch … *** End Patch with Add, Update or Delete File sections.",
    details: { reason: "bad_patch", ...(line === undefined ? {} : { patch_line: line }) },
  });
}

/** Lines of a patch with a place to stand. */
export class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** 1-based number of the next line. */
  get number(): number {
    return this.#at + 1;
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.length;
  }

  /** The line `ahead` of the next one, without taking it. */
  peek(ahead = 0): string | undefined {
    return this.#lines[this.#at + ahead];
  }

  take(): string {
    return this.#lines[this.#at++] ?? "";
  }
}

export function isBodyLine(line: string | undefined): boolean {
  return line !== undefined && /^[ +\-\\]/.test(line);
}

export function bodyLine(line: string): PatchLine {
  const op = line[0];
  if (op === "+" || op === "-") return { op, text: line.slice(1) };
  // An empty line is an empty context line whose blank was lost on the way.
  return { op: " ", text: line.slice(1) };
}
