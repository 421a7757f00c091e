/** How a dry run of a command is told: what it would end with, change and print. Nothing of it counts. */
import type { CommandClass, Rehearsed, ShellOutcome, ToolOutput } from "../../contract/index.ts";
import { listed, summarize, tellConcealed, tellTemporary, wireChange } from "./change-report.ts";
import type { CollectedOutput } from "./command-output.ts";

interface Surroundings {
  readonly workspace: string;
  /** Whether it can be committed later. */
  readonly keep: boolean;
  readonly class: CommandClass;
}

export function tellRehearsal(
  outcome: ShellOutcome & Rehearsed,
  collected: CollectedOutput,
  { workspace, keep, class: kind }: Surroundings,
): ToolOutput {
  const { changeSet, concealed } = outcome;
  const { id, tier, changes, touched, leftOut, temporary } = changeSet;
  const ended = outcome.timedOut ? "was stopped at its time limit" : `would end with exit code ${outcome.exitCode}`;
  return {
    output: [
      `Dry run in an overlay (${tier}), network off: the command ${ended}.`,
      summarize(changes, workspace, touched),
      ...(temporary === undefined ? [] : [tellTemporary(temporary)]),
      ...(leftOut === undefined ? [] : [`Sockets and devices cannot be kept: ${listed(leftOut)}`]),
      ...(concealed === undefined ? [] : [`[${tellConcealed(concealed, workspace)}]`]),
      ...(collected.text === "" ? [] : ["Output:", collected.text.trimEnd()]),
      ...(keep ? [`Kept as ${id}: apply it with karyi commit ${id}, drop it with karyi discard ${id}.`] : []),
    ].join("\n"),
    data: {
      exit_code: outcome.exitCode,
      class: kind,
      stdout: collected.stdout,
      stderr: collected.stderr,
      duration_ms: outcome.durationMs,
      tier,
      ...(outcome.timedOut ? { timed_out: true } : {}),
      changes: changes.map(wireChange),
      ...(leftOut === undefined ? {} : { left_out: [...leftOut] }),
      ...(temporary === undefined ? {} : { temporary: { count: temporary.count, first: [...temporary.first] } }),
      ...(concealed === undefined ? {} : { concealed: [...concealed] }),
      ...(keep ? { change_set: id } : {}),
    },
    ...(collected.truncated === undefined ? {} : { truncated: collected.truncated }),
  };
}
