/**
 * Where the programs are that start a command: its shell, and what builds the world around it. Looked for in the system's own
 * directories only: the session's PATH may lead into the workspace, or nowhere at all, and these run before anything is judged or confined.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

const systemDirectories = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/run/current-system/sw/bin"];

export const systemPath = systemDirectories.join(":");

const known = new Map<string, string | undefined>();

export function program(name: string): string | undefined {
  if (!known.has(name)) known.set(name, systemDirectories.map((directory) => join(directory, name)).find(isExecutable));
  return known.get(name);
}

/** Where the system has none of its own, the one that Karyi itself would find. */
export function bashProgram(): string {
  const found = (process.env.PATH ?? "").split(delimiter).map((directory) => join(directory, "bash"));
  return program("bash") ?? found.find((path) => isAbsolute(path) && isExecutable(path)) ?? "bash";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
