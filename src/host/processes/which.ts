/** Where a command finds a program: along PATH, as the shell looks. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

export function which(program: string, path: string, cwd: string): string | undefined {
  if (program.includes("/")) return executable(resolve(cwd, program));
  for (const directory of path.split(delimiter)) {
    // An empty or relative entry means the working directory: whatever lies there answers to the name.
    const found = executable(join(directory === "" ? cwd : resolve(cwd, directory), program));
    if (found !== undefined) return found;
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    // Most directories do not have it: asked so, that is no exception.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}
