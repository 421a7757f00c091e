/** A project's `.mcp.json`: what it names, and the hash that trust is bound to. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Json, JsonObject } from "../contract/index.ts";
import { readJsonFile } from "../host/index.ts";

export interface ProjectServers {
  readonly servers: Json | undefined;
  readonly hash: string;
}

export const projectServersPath = (workspace: string) => join(workspace, ".mcp.json");

/** `undefined` if there is no such file, or none that can be read. */
export async function readProjectServers(workspace: string): Promise<ProjectServers | undefined> {
  const file = await readJsonFile(projectServersPath(workspace));
  if (file.kind !== "json") return undefined;
  const hash = createHash("sha256").update(file.text).digest("hex");
  return { servers: (file.value as JsonObject | null)?.mcpServers, hash };
}
