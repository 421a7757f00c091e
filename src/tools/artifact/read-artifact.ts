/** ReadArtifact: one version of an artifact, the latest unless another is named. */

import { z } from "zod";
import { defineTool, ToolFailure } from "../../contract/index.ts";
import { readArtifactData } from "../data/other-data.ts";
import { latestOf, readEffect } from "./artifact-change.ts";

const input = z.object({
  id: z.string().min(1).describe("Id of the artifact"),
  version: z.int().min(1).optional().describe("An earlier version"),
});

/** What a caller gives ReadArtifact. */
export type ReadArtifactGiven = z.input<typeof input>;

export const readArtifact = defineTool<z.infer<typeof input>, "artifacts", undefined>({
  name: "ReadArtifact",
  aliases: ["read_artifact"],
  description: "Reads an artifact of this session, also an earlier version.",
  input,
  dataSchema: readArtifactData,
  example: { id: "report" },
  traits: { readOnly: true, concurrencySafe: true, searchHint: "artifact document report read show version" },
  needs: ["artifacts"],
  ownsPlaceholders: ["id"],
  plan: ({ id, version }) => ({
    summary: `Read artifact ${id}${version === undefined ? "" : `, version ${version}`}`,
    effects: [readEffect],
  }),
  async run({ id, version }, { artifacts }) {
    const latest = await latestOf(artifacts, id);
    const artifact = version === undefined ? latest : await artifacts.read(id, version);
    if (artifact === undefined) {
      throw new ToolFailure("tool_not_found", `The artifact '${id}' has no version ${version}; it has 1 to ${latest.latestVersion}.`, {
        hint: "Name one of these versions, or none for the latest.",
        details: { reason: "version_not_found", latest_version: latest.latestVersion },
      });
    }
    const { title, contentType, content, latestVersion } = artifact;
    return {
      output: content === "" ? `(The artifact '${id}' is empty.)` : content,
      data: { id, title, content_type: contentType, version: artifact.version, latest_version: latestVersion, content },
    };
  },
});
