/** What a command changed or would change, for a person: one line a path, and the diffs with names as one writes them there. */
import { type FileChange, shownName } from "../contract/index.ts";
import { say } from "./messages.ts";
import { styled } from "./terminal-style.ts";
import { visible } from "./visible.ts";

const marks = { created: "+", modified: "~", deleted: "-", mode: "m", link: "l" } as const;
const colours = { created: "green", modified: "yellow", deleted: "red", mode: "yellow", link: "yellow" } as const;
const maxListed = 50;
const maxDiffCharacters = 20_000;

interface Stream {
  readonly isTTY?: boolean;
}

/** As `data` tells it; sizes have other names there, and nobody here asks for them. */
export type ToldChange = Pick<FileChange, "path" | "change" | "diff" | "risky" | "parted">;

/** `total`: how many there are, where only the first ones are known. */
export function list(
  changes: readonly ToldChange[],
  workspace: string,
  stream: Stream,
  { most = maxListed, total = changes.length }: { readonly most?: number; readonly total?: number } = {},
): string[] {
  const shown = changes.slice(0, most);
  const rest = total - shown.length;
  return [...shown.map((change) => entry(change, workspace, stream)), ...(rest > 0 ? [say("andMore", rest)] : [])];
}

export function entry({ path, change, risky, parted }: ToldChange, workspace: string, stream: Stream): string {
  const remarks = `${risky === true ? `  ${say("riskyFile")}` : ""}${parted === true ? `  ${say("partedFile")}` : ""}`;
  return `  ${styled(colours[change], marks[change], stream)} ${shownName(within(path, workspace))}${remarks}`;
}

export function diffs(changes: readonly ToldChange[], workspace: string, mostCharacters = maxDiffCharacters): string[] {
  let room = mostCharacters;
  return changes.flatMap(({ diff, path }) => {
    if (diff === undefined || diff.length > room) return [];
    room -= diff.length;
    const name = within(path, workspace);
    return [visible(diff.replace(/^--- .*\n\+\+\+ .*/, () => `--- ${shownName(`a/${name}`)}\n+++ ${shownName(`b/${name}`)}`).trimEnd())];
  });
}

/** Paths of the workspace in a text that was made for everybody, by their names in it. */
export function withinText(text: string, workspace: string): string {
  return text
    .split(`${workspace}/`)
    .reduce((before, after) => (/(^|[\s("'[,:])$/.test(before) ? before + after : `${before}${workspace}/${after}`));
}

export function within(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}
