/**
 * MultiEdit: several edits in several files, in order, all or nothing (F4).
 * Everything is matched while planning; a file that cannot be written afterwards takes the others back with it.
 */

import { z } from "zod";
import type { FileChange, JsonObject, SessionView } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { multiEditData } from "../data/file-data.ts";
import { applyEdit, checkRequest, respacedNote } from "./edit-apply.ts";
import { commitWrites } from "./write-commit.ts";
import type { PlannedWrite } from "./write-set.ts";
import { changesData, changesOf, displayPath, intentsOf, previewOf, WriteSet } from "./write-set.ts";

const edits = z.array(z.object({ old_string: z.string(), new_string: z.string(), replace_all: z.boolean().optional() })).min(1);
const filePath = z.string().min(1);

const input = z.object({
  files: z
    .array(z.object({ file_path: filePath, edits }))
    .min(1)
    .optional()
    .describe("Files with their edits, applied in order."),
  file_path: filePath.optional().describe("Instead of files."),
  edits: edits.optional().describe("With file_path."),
});

type EditReport = { readonly replacements: number; readonly lines: readonly number[]; readonly respaced?: boolean };

interface FileReport {
  readonly path: string;
  readonly replacements: number;
  readonly edits: readonly EditReport[];
}

interface MultiEditData {
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
  readonly respaced: boolean;
}

/** What a caller gives MultiEdit. */
export type MultiEditGiven = z.input<typeof input>;

export const multiEditTool = defineTool<z.infer<typeof input>, "files", MultiEditData>({
  name: "MultiEdit",
  aliases: ["FileMultiEdit", "multi_edit"],
  description:
    "Makes several exact replacements in one or more files, each by the rules of Edit. If one does not match, no file is changed.",
  input,
  dataSchema: multiEditData,
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
        reports.push(await editFile(set, file, context.session));
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
      intends: intentsOf(writes),
      data: { writes, changes, respaced: reports.some((report) => report.edits.some((edit) => edit.respaced)) },
      report: { replacements, files: reports.map((report): JsonObject => ({ ...report })) },
    };
  },
  async run(_request, context) {
    const { data, summary, report } = context.plan;
    if (data === undefined) throw new Error("MultiEdit runs only with its own plan");
    await commitWrites(data.writes, context);
    const note = data.respaced ? `${respacedNote}\n` : "";
    return { output: `${summary}\n${note}${previewOf(data.changes)}`, data: { ...report, changes: changesData(data.changes) } };
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

async function editFile(set: WriteSet, file: RequestedFile, { cwd, edits }: SessionView): Promise<FileReport> {
  const place = (at: number) => ({ edit: at + 1, of: file.edits.length });
  for (const [at, edit] of file.edits.entries()) checkRequest(file.file_path, edit, place(at));
  const draft = await set.openExisting(file.file_path);
  const done: EditReport[] = [];
  for (const [index, edit] of file.edits.entries()) {
    const { spans, respaced } = await applyEdit(draft, edit, { ...(edits && { edits }), place: place(index) });
    done.push({ replacements: spans.length, lines: spans.map(({ line }) => line), ...(respaced ? { respaced } : {}) });
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
