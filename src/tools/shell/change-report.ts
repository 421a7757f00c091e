/** How the changes of a command are told: as data, and as a summary with the risky ones first. */
import type { FileChange, JsonObject, UndoGuarantee } from "../../contract/index.ts";

const marks = { created: "+", modified: "~", deleted: "-", mode: "m", link: "l" } as const;
const maxListed = 50;
const maxDiffCharacters = 20_000;

export function wireChange({ path, change, beforeSize, afterSize, diff }: FileChange): JsonObject {
  return {
    path,
    change,
    ...(beforeSize === undefined ? {} : { before_size: beforeSize }),
    ...(afterSize === undefined ? {} : { after_size: afterSize }),
    ...(diff === undefined ? {} : { diff }),
  };
}

/** Which guarantee held, and what it leaves out. */
export function wireUndo(undo: UndoGuarantee): JsonObject {
  return { guarantee: undo.kind, ...(undo.kind === "partial" ? { uncovered: [...undo.uncovered] } : {}) };
}

/** For people and models: paths inside the workspace as one writes them there. */
export function summarize(changes: readonly FileChange[], workspace: string): string {
  if (changes.length === 0) return "It would change no file.";
  const shown = (path: string): string => (path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path);
  const lines = changes.slice(0, maxListed).map(({ path, change }) => `  ${marks[change]} ${shown(path)}`);
  const rest = changes.length > maxListed ? [`  … and ${changes.length - maxListed} more`] : [];
  const diffs: string[] = [];
  let room = maxDiffCharacters;
  for (const { diff, path } of changes) {
    if (diff === undefined || diff.length > room) continue;
    room -= diff.length;
    const names = shown(path);
    diffs.push(diff.replace(/^--- .*\n\+\+\+ .*/, () => `--- a/${names}\n+++ b/${names}`).trimEnd());
  }
  return [`It would change ${changes.length} file(s):`, ...lines, ...rest, ...diffs].join("\n");
}
