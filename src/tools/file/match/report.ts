/**
 * A mismatch as the failure a model reads: what is wrong, what is there instead, and what to do next.
 * The same facts stand in `details` for programs. Bounded, whatever the file holds.
 */
import type { FailureOptions, JsonObject } from "../../../contract/index.ts";
import { ToolFailure } from "../../../contract/index.ts";
import { showable } from "../text/encoding.ts";
import type { Mismatch, MismatchCause } from "./mismatch.ts";
import type { NearestBlock } from "./nearest.ts";

const shownLines = 30;
const shownLineLength = 300;
const listedLines = 200;
const keptLines = 10_000;

/** Which edit of several failed; 1-based. */
export interface EditPlace {
  readonly edit: number;
  readonly of: number;
}

export function mismatchFailure(path: string, mismatch: Mismatch, place?: EditPlace): ToolFailure {
  const where = place === undefined || place.of === 1 ? path : `${path}, edit ${place.edit} of ${place.of}`;
  const details: JsonObject = {
    reason: mismatch.reason,
    path,
    ...(place === undefined ? {} : { edit: place.edit }),
    ...(mismatch.cause === undefined ? {} : { cause: mismatch.cause }),
    ...(mismatch.count === undefined ? {} : { count: mismatch.count }),
    ...(mismatch.lines === undefined ? {} : { lines: mismatch.lines.slice(0, keptLines) }),
    ...(mismatch.nearest === undefined ? {} : nearestData(mismatch.nearest)),
  };
  const output = nearestText(mismatch.nearest);
  const options: FailureOptions = { details, hint: hintFor(mismatch), ...(output === undefined ? {} : { output }) };
  return new ToolFailure("invalid_tool_input", messageFor(where, mismatch), options);
}

export function unencodableFailure(path: string, character: string, encoding: string, place?: EditPlace): ToolFailure {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const shown = showable(character);
  return new ToolFailure(
    "invalid_tool_input",
    `${path} is ${encoding}, which cannot hold the character ${JSON.stringify(shown)} (${code})`,
    {
      hint: `Use characters that ${encoding} has, or convert the file to UTF-8 first.`,
      details: {
        reason: "not_encodable",
        path,
        encoding,
        character: shown,
        code_point: code,
        ...(place === undefined ? {} : { edit: place.edit }),
      },
    },
  );
}

function messageFor(where: string, { reason, count, lines, nearest, cause }: Mismatch): string {
  const at = nearest === undefined ? "" : ` (${lineRange(nearest)})`;
  switch (reason) {
    case "not_unique":
      return `old_string occurs ${count} times in ${where}: ${lineList(lines ?? [])}`;
    case "already_applied":
      return `old_string is not in ${where}, and new_string already is (${lineList(lines ?? [])}): this edit seems to be applied`;
    case "whitespace_only":
      return `old_string differs from ${where} only in white space${at}`;
    case "line_endings":
      return `old_string differs from ${where} only in line endings${lines === undefined ? at : ` (${lineList(lines)})`}`;
    case "no_match":
      return cause === undefined
        ? `old_string was not found in ${where}`
        : `old_string was not found in ${where}: ${causes[cause].says}${at}`;
  }
}

const causes: Readonly<Record<MismatchCause, { readonly says: string; readonly hint: string }>> = {
  line_numbers: {
    says: "it carries the line numbers that Read prints",
    hint: "Leave out the number and the tab at the start of each line.",
  },
  escapes: {
    says: "it has escapes where the file has the characters themselves",
    hint: "Write the characters themselves: a line break, a tab, a quote, <, >, &.",
  },
  look_alikes: {
    says: "quotes or dashes look alike but are different characters",
    hint: "Copy the quotes and dashes from the file as they are.",
  },
  letter_case: { says: "only upper and lower case differ", hint: "Use the letters as they are in the file." },
  composition: {
    says: "accented letters are composed in another way",
    hint: "Copy the accented letters from the file as they are, or choose an old_string beside them.",
  },
  invalid_bytes: {
    says: "the file has bytes there that are no text, which Read shows as U+FFFD",
    hint: "Choose an old_string beside those bytes; they stay as they are.",
  },
  not_encodable: {
    says: "it has a character that the file's encoding does not have",
    hint: "Read the file again and copy old_string from it.",
  },
};

function hintFor({ reason, cause, nearest }: Mismatch): string {
  switch (reason) {
    case "not_unique":
      return "Add lines before or after to old_string until it is unique, or set replace_all to true to change every one.";
    case "already_applied":
      return "Nothing is left to do if that is the place you meant. Read the file to make sure.";
    case "whitespace_only":
      return "Copy the white space from the block above as it is; tabs and blanks are marked in the first difference.";
    case "line_endings":
      return "Write line breaks in old_string as plain LF; each of them matches whatever ending the file has there.";
    case "no_match":
      if (cause !== undefined) return causes[cause].hint;
      return nearest === undefined
        ? "Nothing similar is in the file. Read it again, and check that it is the right one."
        : "Compare with the nearest block and repeat the edit with old_string as it is in the file.";
  }
}

function lineList(lines: readonly number[]): string {
  const shown = lines.slice(0, listedLines).join(", ");
  const more = lines.length > listedLines ? ` and ${lines.length - listedLines} more` : "";
  return `${lines.length === 1 ? "line" : "lines"} ${shown}${more}`;
}

function lineRange({ firstLine, lastLine }: NearestBlock): string {
  return firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}-${lastLine}`;
}

export function nearestData(nearest: NearestBlock): JsonObject {
  const { firstLine, lastLine, text, similarity, difference } = nearest;
  return {
    nearest: { first_line: firstLine, last_line: lastLine, similarity, text: blockLines(text).join("\n") },
    ...(difference === undefined
      ? {}
      : {
          difference: {
            line: difference.line,
            column: difference.column,
            expected: showable(difference.expected),
            found: showable(difference.found),
          },
        }),
  };
}

function blockLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const shown = lines.slice(0, shownLines).map((line) => {
    const whole = showable(line);
    return whole.length > shownLineLength ? `${whole.slice(0, shownLineLength)}…` : whole;
  });
  return lines.length > shownLines ? [...shown, `… ${lines.length - shownLines} more lines`] : shown;
}

/** The block as Read would show it, and the difference under it. */
export function nearestText(nearest: NearestBlock | undefined): string | undefined {
  if (nearest === undefined) return undefined;
  const { firstLine, similarity, difference } = nearest;
  const lines = blockLines(nearest.text).map((line, index) =>
    index < shownLines ? `${String(firstLine + index).padStart(6)}\t${line}` : line,
  );
  const text = [`Nearest block: ${lineRange(nearest)}, similarity ${similarity.toFixed(2)}`, ...lines];
  if (difference !== undefined) {
    text.push(
      `First difference: line ${difference.line}, column ${difference.column} (· blank, → tab)`,
      `  expected: ${showable(difference.expected)}`,
      `  found:    ${showable(difference.found)}`,
    );
  }
  return text.join("\n");
}
