/**
 * What a captured command did to one path, in the form a commit applies: exact, ordered, and with what stood there when it
 * was looked at, so that a later change by somebody else is noticed.
 */
import type { Stats } from "node:fs";
import type { Attributes } from "../../contract/index.ts";

/** What was at a path of the workspace; `undefined` stands for nothing. */
export interface Seen {
  readonly ino: number;
  readonly size: number;
  readonly mode: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** How many names it had. */
  readonly nlink: number;
}

interface Step {
  /** Relative to the root. */
  readonly path: string;
  readonly seen?: Seen;
}

export interface Dress {
  readonly uid: number;
  readonly gid: number;
  /** When the command changed it last, in nanoseconds since 1970. */
  readonly mtimeNs: string;
}

interface ModedDress extends Dress {
  readonly mode: number;
}

export type Operation =
  | (Step & { readonly kind: "remove" })
  /** `names`: all it held; anything else was put there since. */
  | (Step & { readonly kind: "rmdir"; readonly names: readonly string[] })
  | (Step & ModedDress & { readonly kind: "mkdir" })
  /** `linkTo`: the same file under another name, relative to the root. */
  | (Step & ModedDress & { readonly kind: "file"; readonly size: number; readonly linkTo?: string })
  | (Step & Dress & { readonly kind: "link"; readonly target: string })
  | (Step & ModedDress & { readonly kind: "pipe" })
  | (Step & ModedDress & { readonly kind: "mode"; readonly directory: boolean })
  /** Same bytes, same mode, touched; of a directory: something in it changed. */
  | (Step & { readonly kind: "times"; readonly directory: boolean; readonly mtimeNs: string });

export interface RootChanges {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly upper: string;
  /** Removals first, inner before outer; then what is new, outer before inner. */
  readonly operations: readonly Operation[];
  /** Sockets and devices: nothing of them can be kept. */
  readonly leftOut: readonly string[];
  /** Changed by somebody else while the command ran. */
  readonly conflicts: readonly string[];
  /** By path: extended attributes before and after, where there are any. */
  readonly attributes?: Readonly<Record<string, AttributeChange>>;
}

/** Absent: none, or nothing is there. */
export interface AttributeChange {
  readonly before?: Attributes;
  readonly after?: Attributes;
}

export function seenOf({ ino, size, mode, mtimeMs, ctimeMs, nlink }: Stats): Seen {
  return { ino, size, mode, mtimeMs, ctimeMs, nlink };
}

const typeBits = 0o170000;
const directoryType = 0o040000;

export const isDirectoryMode = (mode: number): boolean => (mode & typeBits) === directoryType;

/** Of a directory only that it is one and its mode count: its times change with every entry. */
export function stillSeen(seen: Seen | undefined, now: Stats | undefined): boolean {
  if (seen === undefined || now === undefined) return seen === undefined && now === undefined;
  if (seen.mode !== now.mode) return false;
  if (isDirectoryMode(seen.mode)) return true;
  return seen.ino === now.ino && seen.size === now.size && seen.mtimeMs === now.mtimeMs && seen.ctimeMs === now.ctimeMs;
}
