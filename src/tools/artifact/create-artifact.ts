/** CreateArtifact: the first version of a text that a person will read. Refuses an id that is taken. */

import { z } from "zod";
import { artifactTypes, defineTool, ToolFailure } from "../../contract/index.ts";
import { artifactData } from "../data/other-data.ts";
import { type PlannedChange, planChange, saveChange } from "./artifact-change.ts";

const input = z.object({
  id: z.string().min(1).max(200).describe("Your name for it, such as report"),
  title: z.string().describe("Title for people"),
  content: z.string().describe("The whole text"),
  content_type: z.enum(artifactTypes).default("markdown").describe("Kind of text"),
});

/** What a caller gives CreateArtifact. */
export type CreateArtifactGiven = z.input<typeof input>;

export const createArtifact = defineTool<z.infer<typeof input>, "artifacts", PlannedChange>({
  name: "CreateArtifact",
  aliases: ["create_artifact"],
  description: "Creates an artifact: a versioned text such as a report, apart from the files.",
  input,
  dataSchema: artifactData,
  example: { id: "report", title: "Findings", content: "# Findings\n" },
  traits: { searchHint: "artifact document report write new create" },
  needs: ["artifacts"],
  ownsPlaceholders: ["id", "title", "content"],
  async plan({ id, title, content, content_type }, { artifacts, session }) {
    const existing = await artifacts.read(id);
    if (existing !== undefined) {
      throw new ToolFailure("tool_conflict", `The artifact '${id}' exists already (version ${existing.latestVersion}).`, {
        hint: "Change it with UpdateArtifact or RewriteArtifact, or choose another id.",
        details: { reason: "already_exists", version: existing.latestVersion },
      });
    }
    const base = (await artifacts.versions(id)).at(-1)?.version ?? 0;
    const draft = { id, title, contentType: content_type, content, kind: "create" as const, base };
    return planChange(session.id, `Create artifact ${id}: ${title}`, undefined, { draft });
  },
  run: (_, context) => saveChange(context, context.plan),
});
