/**
 * One edit on one draft: what Edit and MultiEdit share. Refuses what cannot mean anything (equal strings, nothing to
 * look for) and turns every mismatch into the failure that explains it.
 */
import { z } from "zod";
import { type SessionView, ToolFailure } from "../../contract/index.ts";
import { contentOf } from "./match/codec.ts";
import { replaceText } from "./match/replace.ts";
import type { EditPlace } from "./match/report.ts";
import { mismatchFailure, unencodableFailure } from "./match/report.ts";
import { respaced } from "./match/respaced.ts";
import type { ReplacedSpan } from "./match/splice.ts";
import type { Draft } from "./write-set.ts";
import { textOf } from "./write-set.ts";

export const editFields = {
  old_string: z.string().describe("Exact text of the file, without line numbers."),
  new_string: z.string().describe("Text in its place; empty deletes."),
  replace_all: z.boolean().optional().describe("Replace every occurrence."),
};

export interface EditRequest {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

interface EditRules {
  readonly edits?: SessionView["edits"];
  readonly place?: EditPlace;
}

export interface AppliedEdit {
  readonly spans: readonly ReplacedSpan[];
  /** `old_string` differed from the file in white space; the indentation of the file was kept. */
  readonly respaced: boolean;
}

/** The sentence that tells a model of it. */
export const respacedNote = "old_string differed from the file in white space alone; the edit was made with the file's own indentation.";

/** Changes the draft in memory and answers what was replaced. */
export async function applyEdit(draft: Draft, edit: EditRequest, { edits, place }: EditRules): Promise<AppliedEdit> {
  const path = draft.facts.asked;
  const document = textOf(draft);
  const outcome = await replaceText(document, {
    oldText: edit.old_string,
    newText: edit.new_string,
    replaceAll: edit.replace_all ?? false,
  });
  if (outcome.kind === "mismatch") {
    const own =
      edits === "whitespace" && !edit.replace_all ? respaced(await contentOf(document), edit.old_string, edit.new_string) : undefined;
    if (own === undefined || own.oldText === own.newText) throw mismatchFailure(path, outcome.mismatch, place);
    const again = { old_string: own.oldText, new_string: own.newText };
    const { spans } = await applyEdit(draft, again, { edits: "exact", ...(place && { place }) });
    return { spans, respaced: true };
  }
  if (outcome.kind === "unencodable") throw unencodableFailure(path, outcome.character, document.codec.encoding, place);
  draft.after = outcome.bytes;
  return { spans: outcome.spans, respaced: false };
}

/** Refuses an edit that means nothing. Called before the file is opened: an empty `old_string` on a missing file points to Write. */
export function checkRequest(path: string, edit: EditRequest, place?: EditPlace): void {
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
