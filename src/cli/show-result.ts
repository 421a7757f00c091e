/**
 * A Result for a person: what it says on stdout, what else they want to know (changed files, how to undo, what waits) on stderr.
 * Its `output` is written for models; here the same is told in the person's language, from the data.
 */
import {
  errorText,
  type Json,
  type JsonObject,
  noOutputText,
  noteLines,
  notesIn,
  plannedText,
  type RehearsedBody,
  type Result,
  shownName,
  stderrMark,
} from "../contract/index.ts";
import { diffs, entry, list, type ToldChange, within, withinText } from "./changes-words.ts";
import type { LiveOutput } from "./live-output.ts";
import { locale, say } from "./messages.ts";
import { shortId } from "./short-id.ts";
import { colourDiff } from "./terminal-style.ts";
import { errorWords, fieldsOf, reasonWords, verdictWords } from "./words.ts";

const maxSummed = 5;

interface Stream {
  readonly isTTY?: boolean;
}

interface Surroundings {
  readonly workspace: string;
  /** What was shown while it ran. */
  readonly live?: LiveOutput | undefined;
}

export function printResult(result: Result, { workspace, live }: Surroundings): void {
  const done = result.status === "ok" || result.status === "planned";
  const stream = done ? process.stdout : process.stderr;
  // Where the result goes elsewhere than to the terminal, it goes there whole.
  const unseen = (text: string): string => (stream.isTTY && live ? live.unseen(text) : text);
  const text = tell(result, { workspace, unseen, stream });
  if (text !== "") stream.write(ended(isCommand(result) && !isDryRun(result) ? text : colourDiff(text, stream)));
  const notes = [
    ...sum(result, workspace),
    ...(fieldsOf(result.data).task_id === undefined ? [] : [say("taskEnds")]),
    ...(result.undoable ? [say("undoIs", shortId(result.callId))] : []),
    ...(result.approvalId === undefined ? [] : [say("answerWith", shortId(result.approvalId))]),
  ];
  for (const note of notes) process.stderr.write(ended(note));
}

interface Telling {
  readonly workspace: string;
  readonly stream: Stream;
  /** Without what was shown already. */
  readonly unseen: (text: string) => string;
  /** They know what the policy says. */
  readonly asking?: boolean;
}

/** A result as text, for where it stands among other things. */
export function tellResult(result: Result, telling: Omit<Telling, "unseen">): string {
  const text = tell(result, { ...telling, unseen: (text) => text });
  return colourDiff([text.trimEnd(), ...sum(result, telling.workspace)].join("\n"), telling.stream);
}

function tell(result: Result, telling: Telling): string {
  const { unseen } = telling;
  const output = inTheirLanguage(result, telling.workspace);
  const dropped = rehearsedOf(result)?.changes_total ?? 0;
  if (result.status === "denied" && result.error !== undefined && dropped > 0) {
    const changes = list(changesOf(result), telling.workspace, telling.stream, { total: dropped });
    return [
      say("wouldHaveChanged", dropped),
      ...changes,
      ...errorWords(result.error).map((line) => withinText(line, telling.workspace)),
    ].join("\n");
  }
  if (result.error !== undefined) return unseen(output);
  const data = fieldsOf(result.data);
  if (result.tool === "Undo" && Array.isArray(data.undone)) return tellUndo(result, telling);
  if (isDryRun(result) && data.changes !== undefined) return tellRehearsal(result, telling);
  if (result.status === "planned")
    return [told(result.output, plannedText, say("wouldDo")), withinText(policyLine(data), telling.workspace)].join("\n");
  if (result.tool === "CommitChanges") return say("committed", changesOf(result).length);
  if (result.tool === "DiscardChanges") return say("discarded");
  return output === noOutputText ? say("noOutput") : unseen(output);
}

function tellUndo(result: Result, { workspace, stream }: Telling): string {
  const { undone } = fieldsOf(result.data);
  const changes = changesOf(result);
  return [
    say(result.status === "planned" ? "undoWould" : "undoDone", Array.isArray(undone) ? undone.length : 0),
    ...(changes.length === 0 ? [say("undoNothing")] : list(changes, workspace, stream)),
  ].join("\n");
}

function tellRehearsal(result: Result, { workspace, stream, unseen, asking }: Telling): string {
  const data = fieldsOf(result.data);
  const changes = changesOf(result);
  const temporary = data.temporary as { readonly count: number; readonly first: readonly string[] } | undefined;
  const output = unseen(`${String(data.stdout ?? "")}${prefixed(String(data.stderr ?? ""))}`);
  return [
    data.timed_out === true ? say("rehearsedTooLong", String(data.tier)) : say("rehearsed", String(data.tier), String(data.exit_code)),
    changes.length === 0 ? say("wouldChangeNothing") : say("wouldChange", changes.length),
    ...list(changes, workspace, stream),
    ...diffs(changes, workspace),
    ...(temporary === undefined ? [] : [say("wouldLeave", temporary.count, temporary.first.map(shownName).join(", "))]),
    ...(Array.isArray(data.left_out) ? [say("leftOut", data.left_out.map((path) => shownName(String(path))).join(", "))] : []),
    ...(Array.isArray(data.concealed) ? [say("hiddenFromDryRun", concealedNames(data.concealed, workspace))] : []),
    ...(output.trim() === "" ? [] : [say("outputIs"), output.trimEnd()]),
    ...(result.truncated === undefined ? [] : [say("wholeOutput", result.truncated.ref)]),
    ...(asking ? [] : [rehearsedOf(result) === undefined ? withinText(policyLine(data), workspace) : say("planDropped")]),
    ...(typeof data.change_set === "string" ? [say("keptAs", data.change_set)] : []),
  ].join("\n");
}

/** What the policy would say if it were done for real. */
function policyLine({ decision, rule, reason }: JsonObject): string {
  return say("policySays", verdictWords(decision as "allow"), reasonWords({ rule: String(rule), reason: String(reason) }));
}

/** Notes and error stand below what was printed, rendered from the same data: here they are rendered for the person. */
function inTheirLanguage({ output, data, error }: Result, workspace: string): string {
  const notes = notesIn(data);
  const shown = (path: string) => within(path, workspace);
  const withError = error === undefined ? output : told(output, errorText(error), withinText(errorWords(error).join("\n"), workspace));
  return notes.length === 0 ? withError : told(withError, noteLines(notes, "en"), noteLines(notes, locale, shown));
}

/** `text` with `words` in the last place where `rendered` stands: above it is whatever the tool printed. */
function told(text: string, rendered: string, words: string): string {
  const at = text.lastIndexOf(rendered);
  return at === -1 ? text : `${text.slice(0, at)}${words}${text.slice(at + rendered.length)}`;
}

function concealedNames(paths: readonly Json[], workspace: string): string {
  const names = paths.slice(0, maxSummed).map((path) => shownName(within(String(path), workspace)));
  return `${names.join(", ")}${paths.length > names.length ? ", …" : ""}`;
}

/** What a command that was done changed: its own output does not say. */
function sum(result: Result, workspace: string): string[] {
  const changes = changesOf(result);
  if (result.status === "planned" || !isCommand(result) || changes.length === 0) return [];
  const some = changes.slice(0, maxSummed).map((change) => entry(change, workspace, process.stderr));
  const rest = changes.length - some.length;
  return [say("changed", changes.length), ...some, ...(rest > 0 ? [say("andMore", rest)] : [])];
}

function isCommand(result: Result): boolean {
  return fieldsOf(result.data).exit_code !== undefined || result.tool === "CommitChanges";
}

function isDryRun(result: Result): boolean {
  return result.status === "planned" && fieldsOf(result.data).exit_code !== undefined;
}

function rehearsedOf({ data }: Result): RehearsedBody | undefined {
  // JSON that the engine made.
  return fieldsOf(data).rehearsed as unknown as RehearsedBody | undefined;
}

function changesOf(result: Result): readonly ToldChange[] {
  const { changes } = fieldsOf(result.data);
  // JSON that our own tools made.
  return Array.isArray(changes) ? (changes as unknown as readonly ToldChange[]) : [];
}

function prefixed(stderr: string): string {
  return stderr.replace(/^(?=[^\n])/gm, stderrMark);
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
