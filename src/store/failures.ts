/**
 * What SQLite's error codes mean to a caller of the store. Owns the only reading of those codes;
 * anything it does not know stays the exception it was, so that a defect is not dressed up as an
 * expected failure.
 */
import { statfsSync } from "node:fs";
import { ToolFailure } from "../contract/index.ts";

/** Below this a failed write is explained by the disk being full, whatever the code says. */
const fullBelowBytes = 1024 * 1024;

const primary = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

/** The driver's `all` hands the text over without the code; these texts are SQLite's own and do not change. */
const codeOfText = new Map<string, number>([
  ["database is locked", primary.busy],
  ["database table is locked", primary.locked],
  ["attempt to write a readonly database", primary.readOnly],
  ["disk I/O error", primary.ioError],
  ["database disk image is malformed", primary.corrupt],
  ["database or disk is full", primary.full],
  ["unable to open database file", primary.cannotOpen],
  ["file is not a database", primary.notADatabase],
]);

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_SQLITE_ERROR") return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode & 0xff;
  return codeOfText.get(error.message);
}

/** Somebody else holds the lock for the moment. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === primary.busy || code === primary.locked;
}

/** The bytes of the file are not a database (any more). */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === primary.corrupt || code === primary.notADatabase;
}

export function failureOf(error: unknown, directory: string): unknown {
  if (error instanceof ToolFailure) return error;
  if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) return diskFull(directory, error);
  if (isErrno(error, unusableCodes)) {
    return new ToolFailure("tool_error", `Karyi's home ${directory} cannot be used: ${error.message}.`, {
      hint: "Give this user the directory, or choose another one with --home or KARYI_HOME.",
      details: { reason: "home_unusable" },
      cause: error,
    });
  }
  switch (primaryCode(error)) {
    case primary.full:
      return diskFull(directory, error);
    case primary.ioError:
    case primary.cannotOpen:
      return isFull(directory) ? diskFull(directory, error) : diskError(directory, error);
    case primary.readOnly:
      return readOnlyFailure(directory, error);
    case primary.busy:
    case primary.locked:
      return new ToolFailure("tool_error", `Karyi's state in ${directory} stayed locked by another process for too long.`, {
        hint: "Try again; if it stays so, look for a Karyi process that is stopped or hangs.",
        details: { reason: "store_busy" },
        cause: error,
      });
    case primary.corrupt:
    case primary.notADatabase:
      return damaged(directory, error);
    default:
      return error;
  }
}

export function readOnlyFailure(directory: string, cause?: unknown): ToolFailure {
  return new ToolFailure("tool_error", `Karyi's state in ${directory} cannot be written: it is read-only.`, {
    hint: "Give this user write permission on the directory, or use another --home.",
    details: { reason: "store_readonly" },
    cause,
  });
}

const unusableCodes = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "EISDIR", "ELOOP", "ENAMETOOLONG"]);

function isErrno(error: unknown, codes: ReadonlySet<string>): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string" && codes.has(error.code);
}

function damaged(directory: string, cause: unknown): ToolFailure {
  return new ToolFailure("tool_error", `Karyi's state database in ${directory} is damaged; nothing more is written to it.`, {
    hint: "End every Karyi process that uses this home and start again: the damaged file is set aside and a new one begun.",
    details: { reason: "store_damaged" },
    cause,
  });
}

export function storeFailure(reason: string, message: string, hint: string): ToolFailure {
  return new ToolFailure("tool_error", message, { hint, details: { reason } });
}

function diskFull(directory: string, cause: unknown): ToolFailure {
  return new ToolFailure("tool_error", `The disk that holds ${directory} is full; nothing of this step was recorded.`, {
    hint: "Free space (karyi gc removes old outputs and history) and try again. What was recorded before is intact.",
    details: { reason: "disk_full" },
    cause,
  });
}

function diskError(directory: string, cause: unknown): ToolFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ToolFailure("tool_error", `The disk that holds ${directory} reported an error: ${why}.`, {
    hint: "Check the disk and the permissions of the directory. What was recorded before is intact.",
    details: { reason: "disk_error" },
    cause,
  });
}

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < fullBelowBytes;
  } catch {
    return false;
  }
}
