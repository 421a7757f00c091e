/** What a search was pointed at, looked at once before it starts, so that a wrong path is a clear error and not an empty answer. */
import { accessSync, constants, statSync } from "node:fs";
import { ToolFailure } from "../../contract/index.ts";
import { systemPath } from "../files/byte-name.ts";

export interface SearchTarget {
  readonly kind: "file" | "directory";
  readonly size: number;
}

export function lookAtTarget(path: string): SearchTarget {
  try {
    const system = systemPath(path);
    const stat = statSync(system, { throwIfNoEntry: false });
    if (stat === undefined) {
      throw new ToolFailure("tool_not_found", `There is nothing at ${path}.`, { details: { reason: "file_not_found" } });
    }
    if (stat.isDirectory()) {
      accessSync(system, constants.R_OK | constants.X_OK);
      return { kind: "directory", size: 0 };
    }
    if (!stat.isFile()) {
      throw new ToolFailure("invalid_tool_input", `${path} is neither a file nor a directory.`, { details: { reason: "not_a_file" } });
    }
    accessSync(system, constants.R_OK);
    return { kind: "file", size: stat.size };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR" || code === "ENAMETOOLONG") {
      throw new ToolFailure("tool_not_found", `There is nothing at ${path}.`, { details: { reason: "file_not_found" } });
    }
    throw new ToolFailure("tool_error", `${path} cannot be read.`, {
      details: { reason: code === "EACCES" || code === "EPERM" ? "no_permission" : "unreadable" },
      cause: error,
    });
  }
}
