/** What a tool says it would do, before anything is done: permission card, dry run and lock set at once. */
import type { Effect } from "./effect.ts";
import type { JsonObject } from "./json.ts";

export interface DiffPreview {
  readonly type: "diff";
  /** Unified diff. */
  readonly text: string;
}

export interface CommandPreview {
  readonly type: "command";
  readonly command: string;
  readonly cwd: string;
}

export interface TextPreview {
  readonly type: "text";
  readonly text: string;
}

export type Preview = DiffPreview | CommandPreview | TextPreview;

/** One file a call would change or did change; `data.changes` of every writing tool. */
export interface FileChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted" | "mode" | "link";
  readonly beforeSize?: number;
  readonly afterSize?: number;
  /** Unified diff of a text file. */
  readonly diff?: string;
  /** It can act later by itself: a git hook, a package script, a CI file, a shell's start-up file. */
  readonly risky?: true;
  /** It had further names (hard links): they keep what they held, and are tied to it no longer. */
  readonly parted?: true;
}

export interface Plan<Data = unknown> {
  /** One line: what would happen. */
  readonly summary: string;
  readonly effects: readonly Effect[];
  /** What it runs, it runs in the sandbox where there is one. Without this word it does not: `auto` allows nothing on its account. */
  readonly confined?: true;
  readonly preview?: Preview;
  readonly changes?: readonly FileChange[];
  /** Carried to `run`, so that what was approved is what runs. Stays inside the process. */
  readonly data?: Data;
  /** What a dry run answers as `data`, beside `changes`. */
  readonly report?: JsonObject;
}
