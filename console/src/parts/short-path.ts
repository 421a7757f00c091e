/** Paths as a person says them: below a workspace they are relative to it. */
import { sessions } from "../live/sessions.ts";

export function shortPath(path: string): string {
  for (const { workspace } of sessions.value ?? []) {
    if (path === workspace) return ".";
    if (path.startsWith(`${workspace}/`)) return path.slice(workspace.length + 1);
  }
  return path;
}

/** The same inside a sentence. */
export function shortPaths(text: string): string {
  let short = text;
  for (const { workspace } of sessions.value ?? []) if (workspace.length > 1) short = short.replaceAll(`${workspace}/`, "");
  return short;
}
