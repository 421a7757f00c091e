/** RewriteArtifact: a new version with another text as a whole; title and kind stay. */

import { z } from "zod";
import { defineTool } from "../../contract/index.ts";
import { artifactData } from "../data/other-data.ts";
import { checkBase, latestOf, type PlannedChange, planChange, saveChange } from "./artifact-change.ts";

const input = z.object({
  id: z.string().min(1).describe("Id of the artifact"),
  content: z.string().describe("The whole new text"),
  base_version: z.int().min(1).optional().describe("Fails if not the latest"),
});

/** What a caller gives RewriteArtifact. */
export type RewriteArtifactGiven = z.input<typeof input>;

export const rewriteArtifact = defineTool<z.infer<typeof input>, "artifacts", PlannedChange>({
  name: "RewriteArtifact",
  aliases: ["rewrite_artifact"],
  description: "Replaces the whole text of an artifact; earlier versions stay readable.",
  input,
  dataSchema: artifactData,
  example: { id: "report", content: "# Findings\n\nNone.\n" },
  traits: { searchHint: "artifact document report rewrite replace whole" },
  needs: ["artifacts"],
  ownsPlaceholders: ["id", "content"],
  async plan({ id, content, base_version }, { artifacts, session }) {
    const artifact = await latestOf(artifacts, id);
    checkBase(artifact, base_version);
    const { title, contentType, latestVersion: base } = artifact;
    return planChange(session.id, `Rewrite artifact ${id}`, artifact, {
      draft: { id, title, contentType, content, kind: "rewrite", base },
    });
  },
  run: (_, context) => saveChange(context, context.plan),
});
