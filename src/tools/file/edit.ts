/**
 * Edit: replaces one text in one file and leaves every other byte as it is (F2).
 * The text to replace is the precondition, so a file never read may be edited; one that changed since it was read may not.
 */
import { z } from "zod";
import type { FileChange } from "../../contract/index.ts";
import { defineTool } from "../../contract/index.ts";
import { applyEdit, editFields } from "./edit-apply.ts";
import { snippet } from "./edit-snippet.ts";
import type { Document } from "./match/codec.ts";
import type { ReplacedSpan } from "./match/splice.ts";
import { commitWrites } from "./write-commit.ts";
import type { PlannedWrite } from "./write-set.ts";
import { changesData, changesOf, displayPath, previewOf, textOf, WriteSet } from "./write-set.ts";

const input = z.object({
  file_path: z.string().min(1).describe("The file to change: absolute, or relative to the working directory."),
  ...editFields,
});

interface EditData {
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
  readonly document: Document;
  readonly spans: readonly ReplacedSpan[];
}

export const editTool = defineTool<z.infer<typeof input>, "files", EditData>({
  name: "Edit",
  aliases: ["FileEdit", "edit_file"],
  description:
    "Replaces an exact text in a file. Only the matched bytes change: encoding, line endings and everything else stay. " +
    "old_string must occur exactly once, or set replace_all. If it does not match, the error shows the nearest block and the first difference.",
  input,
  synonyms: { path: "file_path" },
  example: { file_path: "src/server.ts", old_string: "const port = 3000;", new_string: "const port = 8080;" },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "change modify replace text file source code" },
  needs: ["files"],
  async plan(request, context) {
    const set = new WriteSet(context);
    const draft = await set.openExisting(request.file_path);
    const spans = await applyEdit(draft, request);
    const writes = set.writes();
    const changes = await changesOf(writes, context.session.cwd);
    const document = textOf(draft);
    return {
      summary: `Edit ${displayPath(draft.facts, context.session.cwd)}: ${counted(spans.length)}`,
      effects: set.effects(),
      preview: { type: "diff", text: previewOf(changes) },
      changes,
      data: { writes, changes, document, spans },
      report: { path: draft.facts.real, replacements: spans.length, encoding: document.codec.encoding },
    };
  },
  async run(_request, context) {
    const { data, summary, report } = context.plan;
    if (data === undefined) throw new Error("Edit runs only with its own plan");
    await commitWrites(data.writes, context);
    return {
      output: `${summary}\n${await snippet(data.document, data.spans)}`,
      data: { ...report, lines: data.spans.map(({ line }) => line), changes: changesData(data.changes) },
    };
  },
});

function counted(count: number): string {
  return count === 1 ? "1 replacement" : `${count} replacements`;
}
