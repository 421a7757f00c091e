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

/** The class of a command (B4): how its output is cut and how it is shown. */
export type CommandClass = "search" | "read" | "list" | "write" | "silent" | "general";

/** Of a long output the head tells most if the command searches, reads or lists; of every other one its end counts too (B4). */
export function keptHeadShare(kind: CommandClass | undefined): number {
  return kind === "search" || kind === "read" || kind === "list" ? 1 : 0.8;
}

/**
 * What a call would do, made without side effects. The policy judges `effects`, a person sees `summary` and `preview`.
 *
 * @example
 * const { plan, decision } = await session.explain("Write", { file_path: "notes.txt", content: "hello" });
 * console.log(plan.summary, decision.verdict);
 */
export interface Plan<Data = unknown> {
  /** One line: what would happen. */
  readonly summary: string;
  readonly effects: readonly Effect[];
  /** True if every program this plan starts runs inside the sandbox. Mode `auto` allows programs only if it is set. */
  readonly confined?: true;
  /** Files that the call names and runs, with a digest of each: they are part of what is approved. */
  readonly runs?: readonly { readonly path: string; readonly digest: string }[];
  /** True if the tool can run this plan in an overlay and hand over what it changed (B9). */
  readonly rehearsable?: true;
  /** Of a plan that runs a command. */
  readonly class?: CommandClass;
  readonly preview?: Preview;
  readonly changes?: readonly FileChange[];
  /** What the written files will hold: sha256 of the bytes, `null` for nothing. After a crash it shows how far the call came. */
  readonly intends?: readonly { readonly path: string; readonly hash: string | null }[];
  /** Carried to `run`, so that what was approved is what runs. Stays inside the process. */
  readonly data?: Data;
  /** What a dry run answers as `data`, beside `changes`. */
  readonly report?: JsonObject;
}
