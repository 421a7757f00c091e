/** The artifact tools. */
import type { Tool } from "../../contract/index.ts";
import { createArtifact } from "./create-artifact.ts";
import { readArtifact } from "./read-artifact.ts";
import { rewriteArtifact } from "./rewrite-artifact.ts";
import { updateArtifact } from "./update-artifact.ts";

export const artifactTools: readonly Tool[] = [createArtifact, readArtifact, updateArtifact, rewriteArtifact];
