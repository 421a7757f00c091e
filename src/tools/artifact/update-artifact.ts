/**
 * UpdateArtifact: replaces one passage. Exact and unique, else the most similar place of the whole text, and the answer
 * says which text was taken and how similar it is.
 */

import { z } from "zod";
import { type ArtifactText, defineTool, ToolFailure } from "../../contract/index.ts";
import { artifactData } from "../data/other-data.ts";
import { checkBase, latestOf, type PlannedChange, planChange, saveChange } from "./artifact-change.ts";
import { findPlace, leastSimilarity } from "./find-place.ts";

const input = z.object({
  id: z.string().min(1).describe("Id of the artifact"),
  old_str: z.string().min(1).describe("The passage to replace"),
  new_str: z.string().describe("What stands there instead"),
  base_version: z.int().min(1).optional().describe("Fails if not the latest"),
});

/** What a caller gives UpdateArtifact. */
export type UpdateArtifactGiven = z.input<typeof input>;

export const updateArtifact = defineTool<z.infer<typeof input>, "artifacts", PlannedChange>({
  name: "UpdateArtifact",
  aliases: ["update_artifact"],
  description: "Replaces one passage of an artifact. If it is not there exactly, the most similar one (70% at least) is taken and told.",
  input,
  dataSchema: artifactData,
  synonyms: { old_string: "old_str", new_string: "new_str" },
  example: { id: "report", old_str: "two findings", new_str: "three findings" },
  traits: { searchHint: "artifact document report edit change replace passage" },
  needs: ["artifacts"],
  ownsPlaceholders: ["id", "old_str", "new_str"],
  async plan({ id, old_str, new_str, base_version }, { artifacts, session }) {
    const artifact = await latestOf(artifacts, id);
    checkBase(artifact, base_version);
    return planChange(session.id, `Update artifact ${id}`, artifact, changed(artifact, old_str, new_str));
  },
  run: (_, context) => saveChange(context, context.plan),
});

function changed(artifact: ArtifactText, oldText: string, newText: string): PlannedChange {
  const { id, title, contentType, content, latestVersion: base } = artifact;
  const place = findPlace(content, oldText);
  if (place.kind === "none") {
    throw new ToolFailure(
      "invalid_tool_input",
      `old_str is not in the artifact '${id}', and no passage is ${leastSimilarity * 100}% similar.`,
      {
        hint: "Read the artifact and copy the passage as it stands there.",
        details: { reason: "no_match" },
      },
    );
  }
  if (place.kind === "several") {
    const lines = place.starts.map((start) => lineAt(content, start));
    const how = place.similarity === undefined ? "" : ` (none is exact, they are ${Math.round(place.similarity * 1000) / 10}% similar)`;
    throw new ToolFailure(
      "invalid_tool_input",
      `old_str fits several places of the artifact '${id}'${how}, at lines ${lines.join(", ")}.`,
      {
        hint: "Give more of the text around it, so that only one place fits.",
        details: { reason: "not_unique", lines },
      },
    );
  }
  if (place.kind === "exact" && oldText === newText) {
    throw new ToolFailure("invalid_tool_input", "old_str and new_str are the same: nothing would change.", {
      details: { reason: "no_change" },
    });
  }
  const draft = { id, title, contentType, content: `${content.slice(0, place.start)}${newText}${content.slice(place.end)}`, base };
  if (place.kind === "exact") return { draft: { ...draft, kind: "update" } };
  const match = { similarity: place.similarity, text: content.slice(place.start, place.end), line: lineAt(content, place.start) };
  return { draft: { ...draft, kind: "update_fuzzy" }, match };
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
