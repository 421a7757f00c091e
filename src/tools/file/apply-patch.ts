/**
 * ApplyPatch: a unified diff or a `*** Begin Patch` text, whole or not at all (F4).
 * Every hunk is placed while planning, with whatever tolerance it took reported; deletions come last.
 * Refuses to overwrite a file by creating or moving, to delete or move through a link, and mode changes, which no file write can make.
 */

import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { FileChange, FileReader, JsonObject, PathFacts } from "../../contract/index.ts";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { applyPatchData } from "../data/file-data.ts";
import { codecOf, encode } from "./match/codec.ts";
import { unencodableFailure } from "./match/report.ts";
import type { HunkReport } from "./patch/apply.ts";
import { applyHunks, newContent } from "./patch/apply.ts";
import { parsePatch } from "./patch/parse.ts";
import type { FilePatch, Hunk } from "./patch/patch.ts";
import { commitWrites } from "./write-commit.ts";
import type { Draft, PlannedWrite } from "./write-set.ts";
import { changesData, changesOf, displayPath, intentsOf, previewOf, textOf, WriteSet } from "./write-set.ts";

const input = z.object({
  patch: z
    .string()
    .min(1)
    .describe(
      "A unified diff, or *** Begin Patch … *** End Patch with *** Add File:, *** Update File:, *** Move to:, *** Delete File: " +
        "sections.",
    ),
});

interface FileReport {
  readonly change: "added" | "updated" | "deleted" | "moved" | "copied";
  readonly path: string;
  readonly to?: string;
  readonly hunks: readonly HunkReport[];
}

interface PatchData {
  readonly writes: readonly PlannedWrite[];
  readonly changes: readonly FileChange[];
  readonly files: readonly FileReport[];
}

/** What a caller gives ApplyPatch. */
export type ApplyPatchGiven = z.input<typeof input>;

export const applyPatchTool = defineTool<z.infer<typeof input>, "files", PatchData>({
  name: "ApplyPatch",
  aliases: ["apply_patch"],
  description:
    "Applies a patch to one or more files: a unified diff, or the *** Begin Patch format. Whole or not at all. " +
    "Line numbers may be off.",
  input,
  dataSchema: applyPatchData,
  synonyms: { diff: "patch", input: "patch" },
  example: {
    patch: "*** Begin Patch\n*** Update File: src/server.ts\n@@ function start() {\n-  listen(3000);\n+  listen(8080);\n*** End Patch\n",
  },
  traits: { readOnly: false, concurrencySafe: false, searchHint: "patch diff apply hunk change several files rename delete" },
  needs: ["files"],
  async plan(request, context) {
    const { cwd } = context.session;
    const set = new WriteSet(context);
    const files: FileReport[] = [];
    for (const file of parsePatch(request.patch)) files.push(await applyFile(set, file, context.files, cwd));
    const writes = set.writes();
    const changes = await changesOf(writes, cwd);
    return {
      summary: `ApplyPatch ${summaryOf(files)}`,
      effects: set.effects(),
      preview: { type: "diff", text: previewOf(changes) },
      changes,
      intends: intentsOf(writes),
      data: { writes, changes, files },
      report: { files: files.map(reportData) },
    };
  },
  async run(_request, context) {
    const { data, summary, report } = context.plan;
    if (data === undefined) throw new Error("ApplyPatch runs only with its own plan");
    await commitWrites(data.writes, context);
    const told = data.files.length === 1 ? data.files.flatMap(notes) : data.files.flatMap((file) => [line(file), ...notes(file)]);
    return { output: [summary, ...told].join("\n"), data: { ...report, changes: changesData(data.changes) } };
  },
});

async function applyFile(set: WriteSet, file: FilePatch, files: FileReader, cwd: string): Promise<FileReport> {
  // A hunk that starts from nothing makes the file, also without /dev/null in its header.
  const isNew =
    file.kind === "create" ||
    (file.kind === "update" && file.target === undefined && file.hunks.length > 0 && file.hunks.every(startsFromNothing));
  const draft = isNew ? await set.open(file.path) : await set.openExisting(file.path);
  const path = displayPath(draft.facts, cwd);
  if (file.kind === "create" || draft.after === null) return create(draft, file, path);
  if (file.kind === "delete" || (file.target !== undefined && !file.target.keepsSource)) await refuseLink(draft.facts, files);
  if (file.kind === "delete") return remove(draft, file, path);
  return update(set, draft, file, path, files, cwd);
}

/** Taking away the file a link leads to would take away one that the patch does not name, and leave the link behind. */
async function refuseLink(facts: PathFacts, files: FileReader): Promise<void> {
  const parent = await files.resolve(dirname(facts.lexical));
  if (join(parent.real, basename(facts.lexical)) === facts.real) return;
  throw new ToolFailure("invalid_tool_input", `${facts.asked} is a link, which ApplyPatch neither deletes nor moves`, {
    hint: `Name the file it leads to (${facts.real}), or remove the link with a command.`,
    details: { reason: "is_link", path: facts.asked, target: facts.real },
  });
}

function startsFromNothing({ oldStart, lines }: Hunk): boolean {
  return oldStart === 0 && lines.every(({ op }) => op === "+");
}

async function create(draft: Draft, file: FilePatch, path: string): Promise<FileReport> {
  refuseExisting(draft);
  const codec = codecOf("utf-8", 0);
  const content = await encode(codec, newContent(file.hunks));
  if ("unencodable" in content) throw unencodableFailure(file.path, content.unencodable, "utf-8");
  draft.after = content.bytes;
  draft.codec = codec;
  if (file.kind === "create" && file.mode !== undefined) draft.mode = file.mode;
  return { change: "added", path, hunks: [] };
}

async function remove(draft: Draft, file: Extract<FilePatch, { kind: "delete" }>, path: string): Promise<FileReport> {
  let hunks: readonly HunkReport[] = [];
  if (file.hunks.length === 0) draft.blind = true;
  else {
    const applied = await applyHunks(file.path, textOf(draft), file.hunks);
    if (applied.bytes.length > textOf(draft).codec.bomLength) {
      throw new ToolFailure("tool_conflict", `${file.path} holds more than the patch deletes`, {
        hint: "Read the file again: it has lines that the patch does not know.",
        details: { reason: "stale_file", path: file.path },
      });
    }
    hunks = applied.hunks;
  }
  draft.after = null;
  return { change: "deleted", path, hunks };
}

async function update(
  set: WriteSet,
  draft: Draft,
  file: Extract<FilePatch, { kind: "update" }>,
  path: string,
  files: FileReader,
  cwd: string,
): Promise<FileReport> {
  const mode = (await files.stat(draft.facts.real))?.mode;
  const permissions = mode === undefined ? undefined : mode & 0o777;
  if ((draft.after?.length ?? 0) > 0 && file.hunks.some(startsFromNothing)) refuseExisting(draft);
  const applied = file.hunks.length === 0 ? undefined : await applyHunks(file.path, textOf(draft), file.hunks);
  const bytes = applied?.bytes ?? draft.after;
  const hunks = applied?.hunks ?? [];
  if (file.target === undefined) {
    if (file.mode !== undefined && file.mode !== permissions) throw modeFailure(file.path, file.mode);
    draft.after = bytes;
    return { change: "updated", path, hunks };
  }
  const target = await set.open(file.target.path);
  refuseExisting(target);
  target.after = bytes;
  if (draft.codec !== undefined) target.codec = draft.codec;
  const wished = file.mode ?? permissions;
  if (wished !== undefined) target.mode = wished;
  if (!file.target.keepsSource) {
    draft.after = null;
    draft.blind = false;
  }
  return { change: file.target.keepsSource ? "copied" : "moved", path, to: displayPath(target.facts, cwd), hunks };
}

function refuseExisting(draft: Draft): void {
  if (draft.after === null) return;
  throw new ToolFailure("tool_conflict", `${draft.facts.asked} already exists`, {
    hint: "Update the file instead, or delete it in an earlier section of the patch.",
    details: { reason: "already_exists", path: draft.facts.asked },
  });
}

function modeFailure(path: string, mode: number): ToolFailure {
  return new ToolFailure("invalid_tool_input", `The patch sets the mode of ${path} to ${mode.toString(8)}, which ApplyPatch cannot do`, {
    hint: "Leave out the `old mode` and `new mode` lines and change the mode with chmod.",
    details: { reason: "mode_change", path, mode: mode.toString(8) },
  });
}

function summaryOf(files: readonly FileReport[]): string {
  const [only] = files;
  if (files.length === 1 && only !== undefined) return line(only);
  const kinds = ["added", "updated", "deleted", "moved", "copied"] as const;
  const counts = kinds.flatMap((kind) => {
    const count = files.filter(({ change }) => change === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  return `${files.length} files: ${counts.join(", ")}`;
}

function line({ change, path, to }: FileReport): string {
  return to === undefined ? `${change} ${path}` : `${change} ${path} to ${to}`;
}

/** Each hunk that did not fit exactly where it said. */
function notes(file: FileReport): readonly string[] {
  return file.hunks.flatMap(({ hunk, line: at, offset, fuzz }) => {
    const said = [
      ...(offset === 0 ? [] : [`${Math.abs(offset)} lines ${offset > 0 ? "further down" : "further up"}`]),
      ...fuzz.map((one) => one.replaceAll("_", " ")),
    ];
    return said.length === 0 ? [] : [`  hunk ${hunk} applied at line ${at}: ${said.join(", ")}`];
  });
}

function reportData({ change, path, to, hunks }: FileReport): JsonObject {
  return { change, path, ...(to === undefined ? {} : { to }), hunks: hunks.map((hunk): JsonObject => ({ ...hunk })) };
}
