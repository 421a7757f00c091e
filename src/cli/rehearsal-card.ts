/**
 * A card whose command was rehearsed, for a person: how it ended, what it printed, what it would change, what it was not given.
 * As many lines as the screen has room for; what is left out is counted, and where to see it is said.
 */
import { type ApprovalCard, noOutputText, type RehearsedBody, shownName } from "../contract/index.ts";
import { diffs, list, within } from "./changes-words.ts";
import { say } from "./messages.ts";
import { shortId } from "./short-id.ts";
import { colourDiff } from "./terminal-style.ts";
import { visible } from "./visible.ts";

interface Screen {
  readonly isTTY?: boolean;
  /** Of a terminal; absent: as long as it is. */
  readonly rows?: number;
}

/** Title, reason, answers and a little air. */
const rowsAround = 14;
const leastRows = 8;

export function rehearsalLines(card: ApprovalCard, workspace: string, screen: Screen): string[] {
  const { rehearsal, output = "", changes = [] } = card;
  if (rehearsal === undefined) return [];
  const room = screen.rows === undefined ? Number.POSITIVE_INFINITY : Math.max(leastRows, screen.rows - rowsAround);
  // Of what is cut the end is shown: lines that say nothing would be all of it.
  const printed = visible(output.replace(/(\n(\[stderr\])?[ \t]*)+$/, ""));
  const lacking = rehearsal.change_set === null;
  const shown = lacking ? [] : list(changes, workspace, screen, { most: Math.floor(room / 3), total: rehearsal.changes_total });
  const diff = lacking ? [] : diffs(changes, workspace, Number.POSITIVE_INFINITY).join("\n").split("\n");
  const told = printed === "" || printed === noOutputText ? [] : cutBefore(printed.split("\n"), Math.floor(room / 3), card.approvalId);
  const left = room - shown.length - told.length;
  return [
    say("rehearsedFirst", String(rehearsal.exit_code)),
    ...(told.length === 0 ? [] : [say("outputIs"), ...told]),
    ...withheldLines(rehearsal, workspace),
    ...(lacking ? [say("notItsResult")] : [say("wouldChange", rehearsal.changes_total), ...shown]),
    ...(diff.join("") === "" ? [] : colourDiff(cut(diff, left, card.approvalId).join("\n"), screen).split("\n")),
  ];
}

/** In a line, for a list. */
export function rehearsalSum({ exit_code, changes_total, withheld, change_set }: RehearsedBody): string {
  const ended = say("sumExit", String(exit_code));
  return change_set === null ? `${ended}, ${say("sumWithheld", withheld.length)}` : `${ended}, ${say("sumChanges", changes_total)}`;
}

/** What it wanted and was not given. */
function withheldLines({ network_attempts, withheld }: Pick<RehearsedBody, "network_attempts" | "withheld">, workspace: string): string[] {
  const names = withheld.flatMap(({ name }) => (name === undefined ? [] : [shownName(within(name, workspace))]));
  return [
    ...(network_attempts > 0 ? [say("networkWanted", network_attempts)] : []),
    ...(names.length > 0 ? [say("wasNotShown", `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`)] : []),
  ];
}

/** The last lines, for there a test or a build says how it went, and how many came before. */
function cutBefore(lines: readonly string[], most: number, approvalId: string): readonly string[] {
  if (lines.length <= most) return lines;
  const shown = Math.max(1, most - 1);
  return [say("linesBefore", lines.length - shown, shortId(approvalId)), ...lines.slice(-shown)];
}

/** The first lines, and how many follow. */
function cut(lines: readonly string[], most: number, approvalId: string): readonly string[] {
  if (lines.length <= most) return lines;
  const shown = Math.max(1, most - 1);
  return [...lines.slice(0, shown), say("moreLines", lines.length - shown, shortId(approvalId))];
}
