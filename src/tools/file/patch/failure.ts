/** A hunk that has no place, as a failure that names the file, the hunk and the nearest place. */
import type { JsonObject } from "../../../contract/index.ts";
import { ToolFailure } from "../../../contract/index.ts";
import { explainMismatch } from "../match/mismatch.ts";
import { nearestData, nearestText } from "../match/report.ts";
import type { Location } from "./locate.ts";
import type { Hunk } from "./patch.ts";

export function hunkFailure(
  path: string,
  number: number,
  of: number,
  hunk: Hunk,
  location: Exclude<Location, { readonly kind: "found" }>,
  texts: readonly string[],
): ToolFailure {
  const name = `hunk ${number} of ${of} (${hunk.header === "" ? "without header" : hunk.header})`;
  const details: JsonObject = { path, hunk: number };
  if (location.kind === "ambiguous") {
    const lines = location.starts.map((start) => start + 1);
    return new ToolFailure(
      "invalid_tool_input",
      `${path}: ${name} fits at ${lines.length} places: lines ${lines.slice(0, 100).join(", ")}`,
      {
        hint: "Add context lines, an @@ anchor or the right line number, so that it fits once.",
        details: { reason: "not_unique", ...details, count: lines.length, lines },
      },
    );
  }
  if (location.kind === "no_anchor") {
    return new ToolFailure("invalid_tool_input", `${path}: the anchor of ${name} is not in the file: ${location.anchor}`, {
      hint: "An @@ line repeats a line of the file that stands above the change. Read the file again.",
      details: { reason: "no_match", ...details, anchor: location.anchor },
    });
  }
  if (location.kind === "no_context") {
    return new ToolFailure("invalid_tool_input", `${path}: ${name} adds lines without any line around them to place them by`, {
      hint: "Give at least one context line before or after the new lines.",
      details: { reason: "no_context", ...details },
    });
  }
  return missing(path, name, hunk, texts, details);
}

function missing(path: string, name: string, hunk: Hunk, texts: readonly string[], details: JsonObject): ToolFailure {
  const side = (skip: "+" | "-"): string =>
    hunk.lines
      .filter(({ op }) => op !== skip)
      .map(({ text }) => text)
      .join("\n");
  const { reason, nearest, lines } = explainMismatch(texts.join("\n"), { oldText: side("+"), newText: side("-") });
  const output = nearestText(nearest);
  const says = reason === "already_applied" ? `seems to be applied already (line ${lines?.[0] ?? 1})` : "does not fit the file";
  return new ToolFailure("invalid_tool_input", `${path}: ${name} ${says}. Nothing was changed`, {
    hint:
      reason === "already_applied"
        ? "Leave this hunk out, or read the file to make sure."
        : "Read the file again and write the context and removed lines as they are there.",
    details: {
      reason,
      ...details,
      ...(lines === undefined ? {} : { lines }),
      ...(nearest === undefined ? {} : nearestData(nearest)),
    },
    ...(output === undefined ? {} : { output }),
  });
}
