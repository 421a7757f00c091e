/**
 * The files one call changes, taken together: loaded once, changed in memory, then planned and written as a whole.
 * Every writing tool goes through here, so that stale files, previews, effects and the way back after a failure are
 * the same for all of them. Decides nothing about permission and writes nothing while it plans.
 */
import { createHash } from "node:crypto";
import { dirname, relative, sep } from "node:path";
import type { Effect, FileChange, FileReader, Fingerprint, JsonObject, PathFacts, Plan, PlanContext } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { unifiedDiff } from "./diff.ts";
import type { Codec, Document } from "./match/codec.ts";
import { asBuffer, binaryFailure, readDocument } from "./match/codec.ts";
import { missingFile } from "./read-missing.ts";

/** Larger files are refused: an edit holds the old and the new bytes in memory. */
const maxEditedBytes = 50 << 20;

/** One file as it would be after the call. `null`: absent. */
export interface PlannedWrite {
  readonly facts: PathFacts;
  readonly before: Buffer | null;
  readonly expect: Fingerprint | null;
  readonly after: Buffer | null;
  /** How the content is read for the diff; absent: binary. */
  readonly codec?: Codec;
  /** Permission bits for a new file. */
  readonly mode?: number;
}

/** A file while the plan is made: what is there, and what would be. */
export interface Draft {
  readonly facts: PathFacts;
  readonly before: Buffer | null;
  readonly expect: Fingerprint | null;
  after: Buffer | null;
  /** Of the content; absent: binary, or nothing there yet. */
  codec?: Codec;
  /** Wish for a new file. */
  mode?: number;
  /** The change does not depend on what is there: then it matters whether this session ever read it. */
  blind?: boolean;
}

export type WritePlanContext = PlanContext<"files">;

export class WriteSet {
  readonly #context: WritePlanContext;
  readonly #drafts = new Map<string, Draft>();

  constructor(context: WritePlanContext) {
    this.#context = context;
  }

  /** The file at a path, loaded at its first mention; a missing one has no content. Two spellings of one path share their draft. */
  async open(path: string): Promise<Draft> {
    const { files, seen } = this.#context;
    const facts = await files.resolve(path);
    const known = this.#drafts.get(facts.real);
    if (known !== undefined) return known;
    if ((facts.hardLinks ?? 1) > 1) await this.#refuseSecondName(facts);
    const draft: Draft = facts.kind === "absent" ? await newDraft(files, facts) : await load(files, facts);
    const remembered = seen.get(facts.real);
    if (remembered !== undefined && draft.expect !== null && !isSame(remembered, draft.expect)) throw staleFailure(path);
    this.#drafts.set(facts.real, draft);
    return draft;
  }

  /** Two names of one file would be two drafts of the same bytes, and the later write would undo the earlier. */
  async #refuseSecondName(facts: PathFacts): Promise<void> {
    const { files } = this.#context;
    const identity = (await files.stat(facts.real))?.identity;
    for (const other of this.#drafts.values()) {
      if ((other.facts.hardLinks ?? 1) === 1 || (await files.stat(other.facts.real))?.identity !== identity) continue;
      throw new ToolFailure("invalid_tool_input", `${facts.asked} and ${other.facts.asked} are two names of the same file`, {
        hint: "Make all changes under one of the names.",
        details: { reason: "same_file", path: facts.asked, other: other.facts.asked },
      });
    }
  }

  /** The same for a file that must be there. */
  async openExisting(path: string): Promise<Draft> {
    const draft = await this.open(path);
    if (draft.after === null) throw await missingFile(draft.facts, this.#context.files);
    return draft;
  }

  /** What differs from the disk, files that stay before files that go: a crash in between leaves too much, never too little. */
  writes(): readonly PlannedWrite[] {
    const changed = [...this.#drafts.values()].filter(isChanged);
    return [...changed.filter(({ after }) => after !== null), ...changed.filter(({ after }) => after === null)].map(plannedWrite);
  }

  /** Every file looked at is read; every file that changes is written. */
  effects(): readonly Effect[] {
    const { seen } = this.#context;
    return [...this.#drafts.values()].flatMap((draft) => effectsOf(draft, seen.get(draft.facts.real) === undefined));
  }
}

function plannedWrite({ facts, before, expect, after, codec, mode }: Draft): PlannedWrite {
  return { facts, before, expect, after, ...(codec === undefined ? {} : { codec }), ...(mode === undefined ? {} : { mode }) };
}

async function newDraft(files: FileReader, facts: PathFacts): Promise<Draft> {
  await checkParents(files, facts);
  return { facts, before: null, expect: null, after: null };
}

/** Nothing can be made below a file: said while planning, so that no dry run promises it and nobody approves it. */
export async function checkParents(files: FileReader, facts: PathFacts): Promise<void> {
  if (/\/\.?$/.test(facts.asked)) {
    throw new ToolFailure("invalid_tool_input", `${facts.asked} ends in a slash, so it cannot name a file`, {
      hint: "Leave the slash out.",
      details: { reason: "not_a_directory", path: facts.asked },
    });
  }
  for (let parent = dirname(facts.real); parent !== dirname(parent); parent = dirname(parent)) {
    const stat = await files.stat(parent);
    if (stat === undefined) continue;
    if (stat.kind === "directory") return;
    throw new ToolFailure("invalid_tool_input", `${facts.asked} cannot be made: ${parent} is no directory`, {
      details: { reason: "not_a_directory", path: facts.asked, parent },
    });
  }
}

async function load(files: FileReader, facts: PathFacts): Promise<Draft> {
  const { bytes, fingerprint } = await files.readAll(facts, maxEditedBytes);
  const content = asBuffer(bytes);
  const document = await readDocument(content);
  const draft = { facts, before: content, expect: fingerprint, after: content };
  return document === undefined ? draft : { ...draft, codec: document.codec };
}

function isChanged({ before, after }: Draft): boolean {
  if (before === null || after === null) return before !== after;
  return !before.equals(after);
}

function effectsOf(draft: Draft, neverRead: boolean): readonly Effect[] {
  const { facts, before, after } = draft;
  const read: readonly Effect[] = before === null ? [] : [{ kind: "read", path: facts }];
  if (!isChanged(draft)) return read;
  const change = before === null ? "create" : after === null ? "delete" : "modify";
  const unread = draft.blind === true && before !== null && neverRead;
  return [...read, { kind: "write", path: facts, change, ...(unread ? { unread } : {}) }];
}

/** Equal content counts, whatever the clock says; without a hash, size and time must agree. */
export function isSame(remembered: Fingerprint, now: Fingerprint | null): boolean {
  if (now === null || remembered.size !== now.size) return false;
  if (remembered.hash !== undefined && now.hash !== undefined) return remembered.hash === now.hash;
  return remembered.mtimeMs === now.mtimeMs;
}

export function staleFailure(path: string): ToolFailure {
  return new ToolFailure("tool_conflict", `${path} was changed by somebody else since it was read in this session`, {
    hint: "Read the file again, then repeat the change on what is there now.",
    details: { reason: "stale_file", path },
  });
}

/** The content of a draft as text; a binary one is a failure. */
export function textOf({ facts, after, codec }: Draft): Document {
  if (after === null || codec === undefined) throw binaryFailure(facts.asked);
  return { bytes: after, codec };
}

/** How a path is named to people and in diffs: from the working directory where it is inside, else in full. */
export function displayPath(facts: PathFacts, cwd: string): string {
  const path = relative(cwd, facts.lexical);
  return path === "" || path === ".." || path.startsWith(`..${sep}`) || path.startsWith("/") ? facts.lexical : path.split(sep).join("/");
}

/** As `intends` of a plan. */
export function intentsOf(writes: readonly PlannedWrite[]): NonNullable<Plan["intends"]> {
  return writes.map(({ facts, after }) => ({
    path: facts.real,
    hash: after === null ? null : createHash("sha256").update(after).digest("hex"),
  }));
}

/** The changes with their diffs; binary and very large content is told by its size alone. */
export async function changesOf(writes: readonly PlannedWrite[], cwd: string): Promise<readonly FileChange[]> {
  return Promise.all(writes.map((write) => changeOf(write, cwd)));
}

async function changeOf({ facts, before, after, codec }: PlannedWrite, cwd: string): Promise<FileChange> {
  const name = displayPath(facts, cwd);
  const document = (bytes: Buffer | null): Document | undefined => (bytes === null || codec === undefined ? undefined : { bytes, codec });
  const diff = codec === undefined ? undefined : await unifiedDiff({ before: name, after: name }, document(before), document(after));
  return {
    path: facts.real,
    change: before === null ? "created" : after === null ? "deleted" : "modified",
    ...(before === null ? {} : { beforeSize: before.length }),
    ...(after === null ? {} : { afterSize: after.length }),
    ...(diff === undefined ? {} : { diff }),
  };
}

/** All diffs in one text, a line of sizes for what has none. */
export function previewOf(changes: readonly FileChange[]): string {
  return changes.map((change) => change.diff ?? `${change.change} ${change.path}: ${sizes(change)}\n`).join("");
}

function sizes({ beforeSize, afterSize }: FileChange): string {
  if (beforeSize === undefined) return `${afterSize ?? 0} bytes`;
  return afterSize === undefined ? `${beforeSize} bytes` : `${beforeSize} to ${afterSize} bytes`;
}

/** As `data.changes` of a result: names in snake_case. */
export function changesData(changes: readonly FileChange[]): readonly JsonObject[] {
  return changes.map(({ path, change, beforeSize, afterSize, diff }) => ({
    path,
    change,
    ...(beforeSize === undefined ? {} : { before_size: beforeSize }),
    ...(afterSize === undefined ? {} : { after_size: afterSize }),
    ...(diff === undefined ? {} : { diff }),
  }));
}
