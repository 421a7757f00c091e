/**
 * A Result for a person: what it says on stdout, what else they want to know (changed files, how to undo, what waits) on stderr.
 * Its `output` is written for models; here the same is told in the person's language, from the data.
 */
import { type FileChange, type Json, type JsonObject, type Result, shownName } from "../contract/index.ts";
import type { LiveOutput } from "./live-output.ts";
import { say } from "./messages.ts";
import { colourDiff, styled } from "./terminal-style.ts";
import { visible } from "./visible.ts";
import { errorWords, fieldsOf, reasonWords, verdictWords } from "./words.ts";

const marks = { created: "+", modified: "~", deleted: "-", mode: "m", link: "l" } as const;
const colours = { created: "green", modified: "yellow", deleted: "red", mode: "yellow", link: "yellow" } as const;
const maxListed = 50;
const maxSummed = 5;
const maxDiffCharacters = 20_000;
const concealedNote = "[hidden from this command, since nobody was asked about them: ";

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
    ...(result.undoable ? [say("undoIs", result.callId)] : []),
    ...(result.approvalId === undefined ? [] : [say("answerWith", result.approvalId)]),
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
  const output = withConcealedWords(result, telling.workspace);
  if (result.error !== undefined) return unseen(withErrorWords(result, output));
  const data = fieldsOf(result.data);
  if (result.tool === "Undo" && Array.isArray(data.undone)) return tellUndo(result, telling);
  if (isDryRun(result) && data.changes !== undefined) return tellRehearsal(result, telling);
  if (result.status === "planned") return [result.output.replace(/^Would do: /, () => say("wouldDo")), policyLine(data)].join("\n");
  if (result.tool === "CommitChanges") return say("committed", changesOf(result).length);
  if (result.tool === "DiscardChanges") return say("discarded");
  return output === "(no output)" ? say("noOutput") : unseen(output);
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
    ...(asking ? [] : [policyLine(data)]),
    ...(typeof data.change_set === "string" ? [say("keptAs", data.change_set)] : []),
  ].join("\n");
}

/** What the policy would say if it were done for real. */
function policyLine({ decision, rule, reason }: JsonObject): string {
  return say("policySays", verdictWords(decision as "allow"), reasonWords(String(rule), String(reason)));
}

/** The engine puts the error below what was printed; there it is said in the person's language. */
function withErrorWords({ error }: Result, output: string): string {
  if (error === undefined) return output;
  const english = [`Error (${error.code}): ${error.message}`, ...(error.hint === undefined ? [] : [`Hint: ${error.hint}`])].join("\n");
  return output.replace(english, () => errorWords(error).join("\n"));
}

/** The tool puts what it hid below what was printed: the last such line is its own, whatever the command printed. */
function withConcealedWords({ output, data }: Result, workspace: string): string {
  const { concealed } = fieldsOf(data);
  const start = Array.isArray(concealed) ? output.lastIndexOf(concealedNote) : -1;
  if (!Array.isArray(concealed) || start === -1) return output;
  const [, ...below] = output.slice(start).split("\n");
  return `${output.slice(0, start)}${[`[${say("hiddenFromCommand", concealedNames(concealed, workspace))}]`, ...below].join("\n")}`;
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

function list(changes: readonly ToldChange[], workspace: string, stream: Stream): string[] {
  const rest = changes.length - maxListed;
  return [...changes.slice(0, maxListed).map((change) => entry(change, workspace, stream)), ...(rest > 0 ? [say("andMore", rest)] : [])];
}

function entry({ path, change, risky, parted }: ToldChange, workspace: string, stream: Stream): string {
  const remarks = `${risky === true ? `  ${say("riskyFile")}` : ""}${parted === true ? `  ${say("partedFile")}` : ""}`;
  return `  ${styled(colours[change], marks[change], stream)} ${shownName(within(path, workspace))}${remarks}`;
}

function diffs(changes: readonly ToldChange[], workspace: string): string[] {
  let room = maxDiffCharacters;
  return changes.flatMap(({ diff, path }) => {
    if (diff === undefined || diff.length > room) return [];
    room -= diff.length;
    const name = within(path, workspace);
    return [visible(diff.replace(/^--- .*\n\+\+\+ .*/, () => `--- ${shownName(`a/${name}`)}\n+++ ${shownName(`b/${name}`)}`).trimEnd())];
  });
}

function within(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

function isCommand(result: Result): boolean {
  return fieldsOf(result.data).exit_code !== undefined || result.tool === "CommitChanges";
}

function isDryRun(result: Result): boolean {
  return result.status === "planned" && fieldsOf(result.data).exit_code !== undefined;
}

/** As `data` tells it; sizes have other names there, and nobody here asks for them. */
type ToldChange = Pick<FileChange, "path" | "change" | "diff" | "risky" | "parted">;

function changesOf(result: Result): readonly ToldChange[] {
  const { changes } = fieldsOf(result.data);
  // JSON that our own tools made.
  return Array.isArray(changes) ? (changes as unknown as readonly ToldChange[]) : [];
}

function prefixed(stderr: string): string {
  return stderr.replace(/^(?=[^\n])/gm, "[stderr] ");
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
