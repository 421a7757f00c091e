/** How the changes of a command are told: as data, and as a summary with the risky ones first. */
import {
  type ChangeSet,
  type FileChange,
  type JsonObject,
  type Note,
  type NoteCode,
  noteOf,
  shownName,
  type UndoGuarantee,
} from "../../contract/index.ts";

const marks = { created: "+", modified: "~", deleted: "-", mode: "m", link: "l" } as const;
const maxListed = 50;
const maxDiffCharacters = 20_000;

export function wireChange({ path, change, beforeSize, afterSize, diff, risky, parted }: FileChange): JsonObject {
  return {
    path,
    change,
    ...(beforeSize === undefined ? {} : { before_size: beforeSize }),
    ...(afterSize === undefined ? {} : { after_size: afterSize }),
    ...(diff === undefined ? {} : { diff }),
    ...(risky === undefined ? {} : { risky }),
    ...(parted === undefined ? {} : { parted }),
  };
}

/** Which guarantee held, and what it leaves out. */
export function wireUndo(undo: UndoGuarantee): JsonObject {
  return { guarantee: undo.kind, ...(undo.kind === "partial" ? { uncovered: [...undo.uncovered] } : {}) };
}

const shownIn =
  (workspace: string) =>
  (path: string): string =>
    path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;

const gitHook = /\/\.git\/hooks\/[^/]+(?<!\.sample)$/;
const gitSetting = /\/\.git\/(config|info\/attributes)$/;

/**
 * What a command that was done left in git's own directory, where no review sees it; nothing where there is nothing to say.
 * The settings of a new repository are git's own.
 */
export function warnOfHidden(changes: readonly FileChange[], workspace: string): readonly Note[] {
  const hidden = changes.filter(
    ({ path, change }) => (change !== "deleted" && gitHook.test(path)) || (change === "modified" && gitSetting.test(path)),
  );
  return named("git_obeys", hidden.map(({ path }) => path).map(shownIn(workspace)));
}

/** Files with several names of which a captured command changed one: it wrote to a copy of its own. */
export function warnOfParted(changes: readonly FileChange[], workspace: string): readonly Note[] {
  const parted = changes.filter((change) => change.parted === true);
  return named("parted", parted.map(({ path }) => path).map(shownIn(workspace)));
}

/** A note about these paths; none if there are none. */
export function named(code: NoteCode, names: readonly string[] = []): readonly Note[] {
  return names.length === 0 ? [] : [noteOf(code, { names })];
}

/** What a dry run wrote where nothing of it stays. */
export function tellTemporary({ count, first }: NonNullable<ChangeSet["temporary"]>): string {
  return `It would also leave ${count} file(s) among the temporary ones, which a dry run does not keep: ${first.map(shownName).join(", ")}${count > first.length ? ", …" : ""}`;
}

/** Files that a command could not read, because nobody was asked about them. */
export function noteConcealed(paths: readonly string[], workspace: string): readonly Note[] {
  return named("concealed", paths.map(shownIn(workspace)));
}

/** The same of a dry run, which shows the less for it. */
export function tellConcealed(paths: readonly string[], workspace: string): string {
  const names = listed(paths.map(shownIn(workspace)));
  return `hidden from the dry run, since nobody was asked about them: ${names}; what the command would do to them is not shown, and the real run may touch them`;
}

/** The first few of many names. */
export function listed(names: readonly string[]): string {
  return `${names.slice(0, 5).map(shownName).join(", ")}${names.length > 5 ? ", …" : ""}`;
}

/** For people and models: paths inside the workspace as one writes them there. */
export function summarize(changes: readonly FileChange[], workspace: string, touched: readonly string[] = []): string {
  const shown = shownIn(workspace);
  const times = touched.length === 0 ? [] : [`It would change the time of ${touched.length} file(s): ${listed(touched.map(shown))}`];
  if (changes.length === 0) return times[0] ?? "It would change no file.";
  const lines = changes
    .slice(0, maxListed)
    .map(({ path, change, ...more }) => `  ${marks[change]} ${shownName(shown(path))}${remarks(more)}`);
  const rest = changes.length > maxListed ? [`  … and ${changes.length - maxListed} more`] : [];
  const diffs: string[] = [];
  let room = maxDiffCharacters;
  for (const { diff, path } of changes) {
    if (diff === undefined || diff.length > room) continue;
    room -= diff.length;
    const name = shown(path);
    diffs.push(diff.replace(/^--- .*\n\+\+\+ .*/, () => `--- ${shownName(`a/${name}`)}\n+++ ${shownName(`b/${name}`)}`).trimEnd());
  }
  return [`It would change ${changes.length} file(s):`, ...lines, ...rest, ...diffs, ...times].join("\n");
}

function remarks({ risky, parted }: Pick<FileChange, "risky" | "parted">): string {
  return `${risky === true ? "  (! can act later by itself)" : ""}${parted === true ? "  (its other names keep what they hold)" : ""}`;
}
