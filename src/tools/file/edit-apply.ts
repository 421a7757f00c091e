/**
 * One edit on one draft: what Edit and MultiEdit share. Refuses what cannot mean anything (equal strings, nothing to
 * look for) and turns every mismatch into the failure that explains it.
 */
import { z } from "zod";
import { ToolFailure } from "../../contract/index.ts";
import { replaceText } from "./match/replace.ts";
import type { EditPlace } from "./match/report.ts";
import { mismatchFailure, unencodableFailure } from "./match/report.ts";
import type { ReplacedSpan } from "./match/splice.ts";
import type { Draft } from "./write-set.ts";
import { textOf } from "./write-set.ts";

export const editFields = {
  old_string: z
    .string()
    .describe("The exact text to replace, copied from the file without line numbers. Must occur once, unless replace_all is true."),
  new_string: z.string().describe("The text to put in its place; must differ from old_string. Empty deletes."),
  replace_all: z.boolean().optional().describe("Replace every occurrence instead of exactly one (default false)."),
};

export interface EditRequest {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

/** Changes the draft in memory and answers what was replaced. */
export async function applyEdit(draft: Draft, edit: EditRequest, place?: EditPlace): Promise<readonly ReplacedSpan[]> {
  const path = draft.facts.asked;
  checkRequest(path, edit, place);
  const document = textOf(draft);
  const outcome = await replaceText(document, {
    oldText: edit.old_string,
    newText: edit.new_string,
    replaceAll: edit.replace_all ?? false,
  });
  if (outcome.kind === "mismatch") throw mismatchFailure(path, outcome.mismatch, place);
  if (outcome.kind === "unencodable") throw unencodableFailure(path, outcome.character, document.codec.encoding, place);
  draft.after = outcome.bytes;
  return outcome.spans;
}

function checkRequest(path: string, edit: EditRequest, place: EditPlace | undefined): void {
  const details = { path, ...(place === undefined ? {} : { edit: place.edit }) };
  const which = place === undefined || place.of === 1 ? "" : ` in edit ${place.edit} of ${path}`;
  if (edit.old_string === "") {
    throw new ToolFailure("invalid_tool_input", `old_string is empty${which}`, {
      hint: "Name the text to replace. To create a file or to replace it as a whole, use Write.",
      details: { reason: "empty_old_string", ...details },
    });
  }
  if (edit.old_string === edit.new_string) {
    throw new ToolFailure("invalid_tool_input", `old_string and new_string are equal${which}: nothing would change`, {
      hint: "Give the text as it should be after the edit in new_string.",
      details: { reason: "equal_strings", ...details },
    });
  }
}
