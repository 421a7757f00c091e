/** Applying or dropping what a kept dry run showed. Planned, judged, journaled and undoable like any other write. */

import { z } from "zod";
import { type ChangeSet, defineTool, type Effect, type FileChange, type FileReader } from "../../contract/index.ts";
import { commitData, discardData } from "../data/command-data.ts";
import { summarize, wireChange } from "./change-report.ts";

const input = z.object({ id: z.string().min(1).describe("Id of the kept dry run") });
type Input = z.infer<typeof input>;

const kinds = { created: "create", modified: "modify", deleted: "delete", mode: "mode", link: "link" } as const;

/** What a caller gives Commit and Discard. */
export type ChangeSetGiven = z.input<typeof input>;

export const commitChanges = defineTool<Input, "files" | "changeSets", ChangeSet>({
  name: "CommitChanges",
  aliases: ["commit_changes"],
  description: "Applies exactly what a kept dry run of a command showed; refuses where the workspace changed since.",
  input,
  dataSchema: commitData,
  example: { id: "cs_1" },
  traits: { destructive: true, searchHint: "apply commit dry run change set rehearsal" },
  needs: ["files", "changeSets"],
  async plan({ id }, { files, changeSets, session }) {
    const set = changeSets.load(id);
    return {
      summary: `Apply ${set.changes.length} change(s) of: ${set.command}`,
      effects: await Promise.all(set.changes.map((change) => effectOf(change, files))),
      preview: { type: "text", text: summarize(set.changes, session.workspace) },
      changes: set.changes,
      data: set,
    };
  },
  async run({ id }, { changeSets, callId, plan }) {
    await changeSets.commit(id, callId);
    const changes = plan.data?.changes ?? [];
    return { output: `Applied ${changes.length} change(s).`, data: { changes: changes.map(wireChange) } };
  },
});

export const discardChanges = defineTool<Input, "changeSets", undefined>({
  name: "DiscardChanges",
  aliases: ["discard_changes"],
  description: "Drops a kept dry run of a command; the workspace is not touched.",
  input,
  dataSchema: discardData,
  example: { id: "cs_1" },
  traits: { searchHint: "drop discard dry run change set rehearsal" },
  needs: ["changeSets"],
  plan: ({ id }) => ({ summary: `Drop the dry run ${id}`, effects: [{ kind: "state", area: "outputs" }] }),
  run({ id }, { changeSets }) {
    changeSets.discard(id);
    return { output: `Dropped ${id}.`, data: { discarded: id } };
  },
});

async function effectOf({ path, change }: FileChange, files: Pick<FileReader, "resolve">): Promise<Effect> {
  return { kind: "write", path: await files.resolve(path), change: kinds[change] };
}
