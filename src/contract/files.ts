/**
 * The file port. Readers cannot change anything; the writer a tool receives is bound to its
 * approved plan: a path the plan did not name is refused, and every change is journaled first.
 * Paths given to it are absolute or relative to the session's working directory.
 */
import type { Fingerprint, PathFacts, PathKind } from "./path.ts";

export interface FileStat {
  readonly kind: PathKind;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly uid: number;
  readonly gid: number;
  readonly hardLinks: number;
  /** Device and inode: two paths with the same identity are the same file. */
  readonly identity: string;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: PathKind | "link";
  readonly size: number;
  readonly mtimeMs: number;
}

/** An opened regular file: the same inode however the name is swapped meanwhile. */
export interface OpenFile {
  readonly stat: FileStat;
  /** Up to `length` bytes from `position`; shorter only at the end of the file. `reuse`: bytes of an earlier read that nobody needs any more. */
  read(position: number, length: number, reuse?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface FileReader {
  /** Never throws: an unreachable path has kind `unreadable`. `machine`: as somebody sees it who has no temporary directories of a session. */
  resolve(path: string, whose?: "machine"): Promise<PathFacts>;
  /** `undefined` when nothing is there. Follows links. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Opens a regular file and checks that it is still the one `resolve` saw; anything else is a ToolFailure that says why. */
  open(facts: PathFacts): Promise<OpenFile>;
  /** The whole file; refuses (`tool_error`, reason `too_large`) above `maxBytes`. */
  readAll(facts: PathFacts, maxBytes?: number): Promise<{ bytes: Uint8Array; fingerprint: Fingerprint }>;
  /** In the order of the names. Not recursive. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
}

export interface ReplaceOptions {
  /** The content the change was computed from; another one on disk is `tool_conflict`, reason `stale_file`. `null`: must not exist. */
  readonly expect: Fingerprint | null;
  /** Permission bits for a new file; an existing file keeps its own. */
  readonly mode?: number;
}

export interface FileWriter extends FileReader {
  /** Atomic: after a crash the old or the new bytes are there, never a mixture. Creates parents. Answers the new fingerprint. */
  replace(facts: PathFacts, bytes: Uint8Array, options: ReplaceOptions): Promise<Fingerprint>;
  /** Removes a file. */
  remove(facts: PathFacts, expect: Fingerprint): Promise<void>;
}
