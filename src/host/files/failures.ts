/**
 * Owns the words for what can go wrong with a path: one errno, one reason, one code, wherever it was met.
 * Refuses to hide a cause: whatever is not known here keeps its errno in the details.
 */
import { sep } from "node:path";
import type { PathFacts, PathKind } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** True when nothing stands at the path: no such name, or a parent that is no directory. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

export function notFound(path: string): ToolFailure {
  return new ToolFailure("tool_not_found", `No such file: ${path}`, { details: { reason: "file_not_found", path } });
}

function isDirectory(path: string): ToolFailure {
  return new ToolFailure("invalid_tool_input", `${path} is a directory, not a file`, {
    hint: "Use List to see what is in it.",
    details: { reason: "is_directory", path },
  });
}

export function pathChanged(path: string, now?: string): ToolFailure {
  return new ToolFailure(
    "tool_forbidden_path",
    `${path} is no longer the file that was looked at: a link or directory on the way was swapped`,
    {
      hint: "Look at the path again before using it.",
      details: { reason: "path_changed", path, ...(now === undefined ? {} : { now }) },
    },
  );
}

export function staleFile(path: string): ToolFailure {
  return new ToolFailure("tool_conflict", `${path} was changed by somebody else since it was read`, {
    hint: "Read the file again and repeat the change on its present content.",
    details: { reason: "stale_file", path },
  });
}

export function alreadyExists(path: string): ToolFailure {
  return new ToolFailure("tool_conflict", `${path} already exists`, {
    hint: "Read the file first, then change it.",
    details: { reason: "already_exists", path },
  });
}

export function tooLarge(path: string, size: number, maxBytes: number): ToolFailure {
  return new ToolFailure("tool_error", `${path} has ${size} bytes, more than the ${maxBytes} that can be handled at once`, {
    details: { reason: "too_large", path, size, max_bytes: maxBytes },
  });
}

const specialNames: Readonly<Partial<Record<PathKind, string>>> = {
  fifo: "a FIFO (named pipe)",
  socket: "a socket",
  device: "a device",
};

/** The failure for a path that cannot be used as a regular file, by what stands there. */
export function unusable(facts: Pick<PathFacts, "asked" | "kind">): ToolFailure {
  if (facts.kind === "absent") return notFound(facts.asked);
  if (facts.kind === "directory") return isDirectory(facts.asked);
  const special = specialNames[facts.kind];
  if (special === undefined) return unreachable(facts.asked);
  return new ToolFailure("invalid_tool_input", `${facts.asked} is ${special}, not a regular file`, {
    details: { reason: "not_a_file", path: facts.asked, kind: facts.kind },
  });
}

function unreachable(path: string): ToolFailure {
  if (!isSpeakable(path)) {
    return new ToolFailure("invalid_tool_input", "The path contains a NUL byte or half a character and cannot name a file", {
      details: { reason: "bad_path" },
    });
  }
  return new ToolFailure("tool_error", `${path} cannot be reached`, { details: { reason: "unreachable", path } });
}

/** A spelling that ends in a slash means a directory, whatever stands there. */
export function namesDirectory(spelled: string): boolean {
  return /\/\.?$/.test(spelled) || (sep === "\\" && spelled.endsWith(sep));
}

/** The failure for a file that was spelled like a directory. */
export function spelledAsDirectory(path: string, exists: boolean): ToolFailure {
  return new ToolFailure(
    "invalid_tool_input",
    exists ? `${path} ends in a slash, but it is a file` : `${path} ends in a slash, so it cannot name a file`,
    {
      hint: "Leave the slash out.",
      details: { reason: "not_a_directory", path },
    },
  );
}

/** A path the kernel can be asked for as written: a lone surrogate would silently name another file. */
export function isSpeakable(path: string): boolean {
  return !path.includes("\0") && !/\p{Surrogate}/u.test(path);
}

const reasons: Readonly<Record<string, readonly [reason: string, says: string]>> = {
  EACCES: ["no_permission", "permission denied"],
  EPERM: ["no_permission", "operation not permitted"],
  EROFS: ["no_permission", "the file system is read-only"],
  ELOOP: ["link_loop", "too many links, or a link where none may be"],
  ENAMETOOLONG: ["bad_path", "the name is too long"],
  ENOSPC: ["disk_full", "no space left on the device"],
  EDQUOT: ["disk_full", "the disk quota is used up"],
  EMFILE: ["busy", "too many open files"],
  ENFILE: ["busy", "too many open files"],
  ETXTBSY: ["busy", "the program is being executed"],
  EIO: ["io_error", "input/output error"],
};

/** Any error of a file operation as the one failure a caller should see. */
export function fileFailure(error: unknown, path: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = errnoOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return notFound(path);
  if (code === "EISDIR") return isDirectory(path);
  if (code === "ENXIO" || code === "ENODEV") return unusable({ asked: path, kind: "device" });
  const known = code === undefined ? undefined : reasons[code];
  if (known !== undefined) {
    const [reason, says] = known;
    return new ToolFailure("tool_error", `${path}: ${says}`, { details: { reason, path, errno: code }, cause: error });
  }
  return new ToolFailure("tool_error", `${path}: ${code ?? "unexpected failure"}`, {
    details: { reason: "io_error", path, ...(code === undefined ? {} : { errno: code }) },
    cause: error,
  });
}
