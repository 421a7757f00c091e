/**
 * What is known about a path at the moment it was looked at.
 * Produced by the host, judged by the policy: the policy itself never touches the disk.
 */

export type PathKind = "file" | "directory" | "fifo" | "socket" | "device" | "absent" | "unreadable";

export interface PathFacts {
  /** As the caller wrote it. */
  readonly asked: string;
  /** `asked` made absolute against the working directory, `.` and `..` still in it. */
  readonly spelled: string;
  /** `spelled` with `.` and `..` removed by text alone. */
  readonly lexical: string;
  /** Every link resolved; of what does not exist yet, the nearest existing parent resolved plus the rest. */
  readonly real: string;
  /** What stands at `real`. */
  readonly kind: PathKind;
  /** Number of names of a regular file; above 1 the bytes may belong to a file elsewhere. */
  readonly hardLinks?: number;
}

/** Identity of a file's content at one moment; equal fingerprints mean "nobody changed it". */
export interface Fingerprint {
  readonly size: number;
  readonly mtimeMs: number;
  /** sha256 of the bytes in hex; absent where the file was too large to hash whole. */
  readonly hash?: string;
}
