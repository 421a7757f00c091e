/**
 * Where the programs of the sandbox are. Looked for in the system's own directories only: the session's PATH may lead into
 * the workspace, and what builds the sandbox runs before anything is confined.
 */
import { accessSync, constants } from "node:fs";
import { join } from "node:path";

const systemDirectories = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/run/current-system/sw/bin"];

export const systemPath = systemDirectories.join(":");

const known = new Map<string, string | undefined>();

export function program(name: string): string | undefined {
  if (!known.has(name)) known.set(name, systemDirectories.map((directory) => join(directory, name)).find(isExecutable));
  return known.get(name);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
