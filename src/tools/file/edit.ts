/**
 * Edit: replaces one text in one file and leaves every other byte as it is (F2).
 * The text to replace is the precondition, so a file never read may be edited; one that changed since it was read may not.
 */

import { z } from "zod";
import type { FileChange } from "../../contract/index.ts";
import { defineTool } from "../../contract/index.ts";
import { editData } from "../data/file-data.ts";
import { applyEdit, checkRequest, editFields, respacedNote } from "./edit-apply.ts";
import { snippet } from "./edit-snippet.ts";
import type { Document } from "./match/codec.ts";
import type { ReplacedSpan } from "./match/splice.ts";
import { commitWrites } from "./write-commit.ts";
import type { PlannedWrite } from "./write-set.ts";
import { changesData, changesOf, displayPath, intentsOf, previewOf, textOf, WriteSet } from "./write-set.ts";

const input = z.object({
  file_path: z.string().min(1).describe("Absolute, or relative to the working directory."),
  ...editFields,
});

interface EditData {
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
  readonly document: Document;
  readonly spans: readonly ReplacedSpan[];
  readonly respaced: boolean;
}

/** What a caller gives Edit. */
export type EditGiven = z.input<typeof input>;

export const editTool = defineTool<z.infer<typeof input>, "files", EditData>({
  name: "Edit",
  aliases: ["FileEdit", "edit_file"],
  description:
    "Replaces an exact text in a file; every other byte stays. old_string must occur exactly once, or set replace_all. " +
    "If it does not match, the error shows the nearest block and the first difference.",
  input,
  dataSchema: editData,
  synonyms: { path: "file_path" },
  example: { file_path: "src/server.ts", old_string: "const port = 3000;", new_string: "const port = 8080;" },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "change modify replace text file source code" },
  needs: ["files"],
  async plan(request, context) {
    checkRequest(request.file_path, request);
    const set = new WriteSet(context);
    const draft = await set.openExisting(request.file_path);
    const { spans, respaced } = await applyEdit(draft, request, context.session);
    const writes = set.writes();
    const changes = await changesOf(writes, context.session.cwd);
    const document = textOf(draft);
    return {
      summary: `Edit ${displayPath(draft.facts, context.session.cwd)}: ${counted(spans.length)}`,
      effects: set.effects(),
      preview: { type: "diff", text: previewOf(changes) },
      changes,
      intends: intentsOf(writes),
      data: { writes, changes, document, spans, respaced },
      report: {
        path: draft.facts.real,
        replacements: spans.length,
        encoding: document.codec.encoding,
        ...(respaced ? { respaced } : {}),
      },
    };
  },
  async run(_request, context) {
    const { data, summary, report } = context.plan;
    if (data === undefined) throw new Error("Edit runs only with its own plan");
    await commitWrites(data.writes, context);
    return {
      output: `${summary}\n${data.respaced ? `${respacedNote}\n` : ""}${await snippet(data.document, data.spans)}`,
      data: { ...report, lines: data.spans.map(({ line }) => line), changes: changesData(data.changes) },
    };
  },
});

function counted(count: number): string {
  return count === 1 ? "1 replacement" : `${count} replacements`;
}
