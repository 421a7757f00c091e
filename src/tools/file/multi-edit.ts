/**
 * MultiEdit: several edits in several files, in order, all or nothing (F4).
 * Everything is matched while planning; a file that cannot be written afterwards takes the others back with it.
 */
import { z } from "zod";
import type { FileChange, JsonObject } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { applyEdit, editFields } from "./edit-apply.ts";
import { commitWrites } from "./write-commit.ts";
import type { PlannedWrite } from "./write-set.ts";
import { changesData, changesOf, displayPath, previewOf, WriteSet } from "./write-set.ts";

const edits = z
  .array(z.object(editFields))
  .min(1)
  .describe("Edits of this file, applied in order: each sees the text the one before it left.");
const filePath = z.string().min(1).describe("The file to change: absolute, or relative to the working directory.");

const input = z.object({
  files: z
    .array(z.object({ file_path: filePath, edits }))
    .min(1)
    .optional()
    .describe("The files to change, each with its edits. If one edit fails, no file is changed."),
  file_path: filePath.optional().describe("For one file only, instead of files: the file to change."),
  edits: edits.optional().describe("For one file only, together with file_path: its edits."),
});

interface FileReport {
  readonly path: string;
  readonly replacements: number;
  readonly edits: readonly { readonly replacements: number; readonly lines: readonly number[] }[];
}

interface MultiEditData {
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
}

export const multiEditTool = defineTool<z.infer<typeof input>, "files", MultiEditData>({
  name: "MultiEdit",
  aliases: ["FileMultiEdit", "multi_edit"],
  description:
    "Makes several exact text replacements in one or more files, in order, all or nothing: if one edit does not match, no file is changed. " +
    "Each edit follows the rules of Edit.",
  input,
  synonyms: { path: "file_path" },
  example: {
    files: [
      { file_path: "src/config.ts", edits: [{ old_string: "debug: true", new_string: "debug: false" }] },
      { file_path: "README.md", edits: [{ old_string: "Alpha", new_string: "Beta", replace_all: true }] },
    ],
  },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "change several files edits batch refactor rename" },
  needs: ["files"],
  async plan(request, context) {
    const { cwd } = context.session;
    const set = new WriteSet(context);
    const reports: FileReport[] = [];
    for (const [index, file] of filesOf(request).entries()) {
      try {
        reports.push(await editFile(set, file, cwd));
      } catch (error) {
        throw error instanceof ToolFailure ? named(error, file.file_path, index + 1) : error;
      }
    }
    const writes = set.writes();
    const changes = await changesOf(writes, cwd);
    const replacements = reports.reduce((sum, report) => sum + report.replacements, 0);
    return {
      summary: `MultiEdit ${names(reports)}: ${plural(replacements, "replacement")}`,
      effects: set.effects(),
      preview: { type: "diff", text: previewOf(changes) },
      changes,
      data: { writes, changes },
      report: { replacements, files: reports.map((report): JsonObject => ({ ...report })) },
    };
  },
  async run(_request, context) {
    const { data, summary, report } = context.plan;
    if (data === undefined) throw new Error("MultiEdit runs only with its own plan");
    await commitWrites(data.writes, context);
    return { output: `${summary}\n${previewOf(data.changes)}`, data: { ...report, changes: changesData(data.changes) } };
  },
});

type RequestedFile = NonNullable<z.infer<typeof input>["files"]>[number];

function filesOf({ files, file_path, edits }: z.infer<typeof input>): readonly RequestedFile[] {
  if (files !== undefined && file_path === undefined && edits === undefined) return files;
  if (files === undefined && file_path !== undefined && edits !== undefined) return [{ file_path, edits }];
  throw new ToolFailure("invalid_tool_input", "Give either files, or file_path together with edits", {
    hint: 'The usual form is {"files": [{"file_path": "…", "edits": [{"old_string": "…", "new_string": "…"}]}]}.',
    details: { reason: "bad_parameters" },
  });
}

async function editFile(set: WriteSet, file: RequestedFile, cwd: string): Promise<FileReport> {
  const draft = await set.openExisting(file.file_path);
  const done: { replacements: number; lines: readonly number[] }[] = [];
  for (const [index, edit] of file.edits.entries()) {
    const spans = await applyEdit(draft, edit, { edit: index + 1, of: file.edits.length });
    done.push({ replacements: spans.length, lines: spans.map(({ line }) => line) });
  }
  return {
    path: displayPath(draft.facts, cwd),
    replacements: done.reduce((sum, { replacements }) => sum + replacements, 0),
    edits: done,
  };
}

function named(failure: ToolFailure, path: string, file: number): ToolFailure {
  return new ToolFailure(failure.code, `${failure.message}. No file was changed`, {
    ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    ...(failure.output === undefined ? {} : { output: failure.output }),
    details: { ...failure.details, path, file },
    cause: failure,
  });
}

function names(reports: readonly FileReport[]): string {
  const [first] = reports;
  const distinct = new Set(reports.map(({ path }) => path));
  return distinct.size === 1 && first !== undefined ? first.path : plural(distinct.size, "file");
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
