/**
 * How a command that ended is told: as data, and as text for a model with notes below what was printed. The same for a command
 * that ran and for one whose rehearsal counts. Refuses to know which of the two it was.
 */
import {
  type CommandClass,
  type Ending,
  type Json,
  type JsonObject,
  type Note,
  noOutputText,
  noteOf,
  type ShellOutcome,
  ToolFailure,
  type Withheld,
  withNotes,
} from "../../contract/index.ts";
import { named, noteConcealed, warnOfHidden, warnOfParted, wireChange, wireUndo } from "./change-report.ts";
import type { CollectedOutput } from "./command-output.ts";

const reportDurationMs = 5_000;

export interface Surroundings {
  readonly cwd: string;
  readonly workspace: string;
  readonly timeoutMs: number;
  readonly class: CommandClass;
  /** What it named and was not there where nobody is asked. */
  readonly withheld?: readonly Withheld[];
}

export function endingOf(
  outcome: ShellOutcome,
  collected: CollectedOutput,
  { cwd, workspace, timeoutMs, class: kind, withheld = [] }: Surroundings,
): Ending {
  const { networkAttempts = 0 } = outcome;
  const data: { [key: string]: Json } = {
    exit_code: outcome.exitCode,
    class: kind,
    stdout: collected.stdout,
    stderr: collected.stderr,
    duration_ms: outcome.durationMs,
    cwd: outcome.cwd ?? cwd,
    tier: outcome.tier,
    containment: outcome.containment,
    ...(outcome.changes === undefined ? {} : { changes: outcome.changes.map(wireChange) }),
    ...(outcome.leftOut === undefined ? {} : { left_out: [...outcome.leftOut] }),
    ...(outcome.undo === undefined ? {} : { undo: wireUndo(outcome.undo) }),
    ...(outcome.concealed === undefined ? {} : { concealed: [...outcome.concealed] }),
    ...(networkAttempts === 0 ? {} : { network_attempts: networkAttempts }),
    ...(networkAttempts === 0 && withheld.length === 0 ? {} : { withheld: wireWithheld(networkAttempts, withheld) }),
  };
  const notes: readonly Note[] = [
    ...(outcome.durationMs >= reportDurationMs ? [noteOf("took", { count: Number((outcome.durationMs / 1000).toFixed(1)) })] : []),
    ...named("left_behind", outcome.leftBehind),
    ...named("undo_partial", outcome.undo?.kind === "partial" ? outcome.undo.uncovered : []),
    ...named("sockets_dropped", outcome.leftOut),
    ...(networkAttempts > 0 ? [noteOf("network_off", { count: networkAttempts })] : []),
    ...named("not_there", namesOf(withheld, outcome.concealed)),
    ...noteConcealed(outcome.concealed ?? [], workspace),
    ...warnOfHidden(outcome.changes ?? [], workspace),
    ...warnOfParted(outcome.changes ?? [], workspace),
  ];
  if (notes.length > 0) data.notes = notes.map((note): JsonObject => ({ ...note }));
  const text = withNotes(collected.text, notes);
  const truncated = collected.truncated === undefined ? {} : { truncated: collected.truncated };
  if (outcome.movedTo) {
    const { id } = outcome.movedTo;
    const moved = `Still running after ${Math.round(outcome.durationMs / 1000)} s: moved to the background as ${id}. Read it with TaskOutput, end it with TaskStop.`;
    return { kind: "output", output: { output: `${text}\n${moved}`, data: { ...data, task_id: id }, ...truncated } };
  }
  const failure = failureOf(outcome, timeoutMs, { output: text, data, ...truncated });
  if (failure !== undefined) return { kind: "failure", failure };
  return { kind: "output", output: { output: text === "" ? noOutputText : text, data, ...truncated } };
}

/** A rehearsal tells it in its own words, with the question whether it may have it. */
function wireWithheld(networkAttempts: number, withheld: readonly Withheld[]): Json[] {
  return [...(networkAttempts > 0 ? [{ kind: "network" }] : []), ...withheld.map(({ kind, name }) => ({ kind, name }))];
}

/** What is hidden within the roots is told by itself. */
function namesOf(withheld: readonly Withheld[], concealed: readonly string[] = []): readonly string[] {
  return withheld.map(({ name }) => name).filter((name) => !concealed.includes(name));
}

function failureOf(
  { timedOut, cancelled, exitCode, signal }: ShellOutcome,
  timeoutMs: number,
  told: Pick<ConstructorParameters<typeof ToolFailure>[2] & object, "output" | "data" | "truncated">,
): ToolFailure | undefined {
  if (timedOut) {
    return new ToolFailure("timeout", `The command did not finish within ${timeoutMs} ms and was ended with everything it started.`, {
      ...told,
      hint: "Give it more time (timeout, at most 600000), or run it in the background.",
      details: { reason: "timeout", timeout_ms: timeoutMs },
    });
  }
  if (cancelled) return new ToolFailure("cancelled", "The command was cancelled and ended with everything it started.", told);
  if (exitCode === 0) return undefined;
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  return new ToolFailure("tool_error", `The command ended with ${how}.`, {
    ...told,
    details: { reason: "exit_nonzero", exit_code: exitCode, signal },
  });
}
