/**
 * Bash (B1): runs a command that cannot hang, judged beforehand by what it would do. Working directory
 * and exported variables carry over; deciding, asking and undoing are the engine's.
 */
import { z } from "zod";
import {
  type ChangeSet,
  defineTool,
  type Json,
  type Plan,
  type PlanContext,
  type Rehearsal,
  type RunContext,
  ToolFailure,
  type ToolOutput,
} from "../../contract/index.ts";
import { analyzeCommand, bindPlaceholders, type ShellAnalysis } from "../../shell/index.ts";
import { listed, summarize, tellConcealed, tellTemporary, warnOfHidden, warnOfParted, wireChange, wireUndo } from "./change-report.ts";
import { CommandOutput } from "./command-output.ts";
import { gitTrustFor } from "./git-trust.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { withSecretsWithin } from "./secrets-within.ts";
import { sentHosts } from "./sent-hosts.ts";
import { demandWorkingDirectory } from "./working-directory.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
const reportDurationMs = 5_000;
/** The supervisor's own ladder: TERM, 5 s, KILL, 2 s, and a little to read what is left. */
const ladderMs = 8_000;

const input = z.object({
  command: z.string().min(1).describe("The bash command to execute"),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(maxTimeoutMs)
    .default(defaultTimeoutMs)
    .describe("Timeout in milliseconds (default 120000, max 600000)"),
  run_in_background: z.boolean().default(false).describe("Run the command in the background and return a task_id immediately"),
  description: z.string().optional().describe("A description of what this command does"),
});

export type BashInput = z.output<typeof input>;
type Needs = "files" | "processes" | "values" | "search";

export interface BashPlan {
  readonly analysis: ShellAnalysis;
  /** The command with secure variables as quoted expansions. */
  readonly bound: ReturnType<typeof bindPlaceholders>;
}

export const bash = defineTool<BashInput, Needs, BashPlan>({
  name: "Bash",
  aliases: ["bash", "shell", "run_command"],
  description:
    "Runs a bash command in the session's working directory. The directory and exported variables carry over to the next call. " +
    "Output is bounded; long-running servers belong in the background (run_in_background), read with TaskOutput. stdin is closed: for programs that ask questions use Terminal.",
  input,
  synonyms: { cmd: "command", script: "command", timeout_ms: "timeout", background: "run_in_background" },
  example: { command: "npm test", description: "Run the tests" },
  traits: { destructive: true, searchHint: "shell command execute terminal" },
  needs: ["files", "processes", "values", "search"],
  timeoutMs: ({ timeout }) => timeout + ladderMs,
  graceMs: ladderMs,
  ownsPlaceholders: ["command"],
  plan: planCommand,
  rehearse: rehearseCommand,
  run: runCommand,
});

async function planCommand({ command, description, run_in_background }: BashInput, context: PlanContext<Needs>): Promise<Plan<BashPlan>> {
  const { session, processes, files } = context;
  const bound = bindPlaceholders(command);
  if (bound.problems.length > 0) {
    throw new ToolFailure("invalid_tool_input", `A secure variable stands where it cannot be used safely: ${bound.problems.join("; ")}.`, {
      hint: "Use it as an argument or inside quotes.",
      details: { reason: "placeholder_place" },
    });
  }
  const analysis = analyzeCommand(bound.command, {
    cwd: session.cwd,
    userHome: session.userHome,
    workspace: session.workspace,
    env: session.env,
    which: (program) => processes.which(program, session.env, session.cwd),
    ...(await gitTrustFor(bound.command, session.cwd, files)),
  });
  const effects = await withSecretsWithin(await resolveEffects(analysis.effects, files), context);
  const shown = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  return {
    summary: `${run_in_background ? "Run in background" : "Run"}: ${shown.replaceAll("\n", " ⏎ ")}${description ? ` (${description})` : ""}`,
    effects,
    confined: true,
    preview: { type: "command", command, cwd: session.cwd },
    data: { analysis, bound },
    report: { class: analysis.class, commands: analysis.commands.length },
  };
}

async function runCommand({ timeout, run_in_background }: BashInput, context: RunContext<Needs, BashPlan>): Promise<ToolOutput> {
  const { session, processes, plan, signal } = context;
  await demandWorkingDirectory(context);
  const bound = plan.data?.bound ?? { command: "", names: [], problems: [] };
  // A command that only reads needs no capture: there is nothing to take back. Nor may git run anything on its account.
  const reading = onlyReads(plan);
  const request = {
    command: bound.command,
    cwd: session.cwd,
    env: session.env,
    secrets: { ...(reading ? withoutGitHooks : {}), ...(await revealAll(bound.names, context)) },
    timeoutMs: timeout,
    reads: judgedReads(plan),
  };
  const capture = reading ? {} : { callId: context.callId };
  if (run_in_background) {
    const task = await processes.background({ ...request, ...capture }, plan.summary);
    return {
      output: `Started in the background as ${task.id}. Read it with TaskOutput {"id": "${task.id}"}, end it with TaskStop.`,
      data: { task_id: task.id },
    };
  }
  const output = new CommandOutput(context.live());
  const outcome = await processes
    .run({ ...request, ...capture, signal, onOutput: (stream, chunk) => output.push(stream, chunk) })
    .catch(async (error: unknown) => {
      throw withPrinted(error, await output.finish());
    });
  const collected = await output.finish();
  if (outcome.cwd !== undefined && outcome.cwd !== session.cwd) session.setCwd(outcome.cwd);
  if (outcome.env !== undefined && outcome.env !== request.env) session.setEnv(outcome.env);
  const data: { [key: string]: Json } = {
    exit_code: outcome.exitCode,
    stdout: collected.stdout,
    stderr: collected.stderr,
    duration_ms: outcome.durationMs,
    cwd: outcome.cwd ?? session.cwd,
    tier: outcome.tier,
    containment: outcome.containment,
    ...(outcome.changes === undefined ? {} : { changes: outcome.changes.map(wireChange) }),
    ...(outcome.leftOut === undefined ? {} : { left_out: [...outcome.leftOut] }),
    ...(outcome.undo === undefined ? {} : { undo: wireUndo(outcome.undo) }),
    ...(outcome.concealed === undefined ? {} : { concealed: [...outcome.concealed] }),
  };
  const text = withNotes(collected.text, [
    outcome.durationMs >= reportDurationMs ? `took ${(outcome.durationMs / 1000).toFixed(1)} s` : "",
    outcome.leftBehind?.length ? `too large to carry over to the next command: ${listed(outcome.leftBehind)}` : "",
    outcome.undo?.kind === "partial" ? `undo cannot give back: ${listed(outcome.undo.uncovered)}` : "",
    tellConcealed(outcome.concealed ?? [], session.workspace),
    warnOfHidden(outcome.changes ?? [], session.workspace),
    warnOfParted(outcome.changes ?? [], session.workspace),
  ]);
  const truncated = collected.truncated === undefined ? {} : { truncated: collected.truncated };
  if (outcome.movedTo) {
    const { id } = outcome.movedTo;
    return {
      output: `${text}\nStill running after ${Math.round(outcome.durationMs / 1000)} s: moved to the background as ${id}. Read it with TaskOutput, end it with TaskStop.`,
      data: { ...data, task_id: id },
      ...truncated,
    };
  }
  const failure = { output: text, data, ...truncated };
  if (outcome.timedOut) {
    throw new ToolFailure("timeout", `The command did not finish within ${timeout} ms and was ended with everything it started.`, {
      ...failure,
      hint: "Give it more time (timeout, at most 600000), or run it in the background.",
      details: { reason: "timeout", timeout_ms: timeout },
    });
  }
  if (outcome.cancelled) throw new ToolFailure("cancelled", "The command was cancelled and ended with everything it started.", failure);
  if (outcome.exitCode !== 0) {
    const how = outcome.signal === null ? `exit code ${outcome.exitCode}` : `signal ${outcome.signal}`;
    throw new ToolFailure("tool_error", `The command ended with ${how}.`, {
      ...failure,
      details: { reason: "exit_nonzero", exit_code: outcome.exitCode, signal: outcome.signal },
    });
  }
  return { output: text === "" ? "(no output)" : text, data, ...truncated };
}

/** Runs it for real against a copy-on-write view: exit code, output, and every file it would change. */
async function rehearseCommand(
  { timeout }: BashInput,
  context: RunContext<Needs, BashPlan>,
  { network, keep }: Rehearsal,
): Promise<ToolOutput & { changeSet: ChangeSet }> {
  const { session, processes, plan, signal } = context;
  await demandWorkingDirectory(context);
  const bound = plan.data?.bound ?? { command: "", names: [], problems: [] };
  const output = new CommandOutput(context.live());
  const secrets = await revealAll(bound.names, context);
  const outcome = await processes.rehearse(
    {
      command: bound.command,
      cwd: session.cwd,
      env: session.env,
      secrets,
      timeoutMs: timeout,
      reads: judgedReads(plan),
      signal,
      onOutput: (stream, chunk) => output.push(stream, chunk),
    },
    network,
    keep,
  );
  const collected = await output.finish();
  const { changeSet } = outcome;
  const ended = outcome.timedOut ? "was stopped at its time limit" : `would end with exit code ${outcome.exitCode}`;
  return {
    output: [
      `Dry run in an overlay (${changeSet.tier}), network off: the command ${ended}.`,
      summarize(changeSet.changes, session.workspace),
      ...(changeSet.temporary === undefined ? [] : [tellTemporary(changeSet.temporary)]),
      ...(changeSet.leftOut === undefined ? [] : [`Sockets and devices cannot be kept: ${listed(changeSet.leftOut)}`]),
      ...(outcome.concealed === undefined ? [] : [`[${tellConcealed(outcome.concealed, session.workspace, "dry run")}]`]),
      ...(collected.text === "" ? [] : ["Output:", collected.text.trimEnd()]),
      ...(keep ? [`Kept as ${changeSet.id}: apply it with karyi commit ${changeSet.id}, drop it with karyi discard ${changeSet.id}.`] : []),
    ].join("\n"),
    data: {
      exit_code: outcome.exitCode,
      stdout: collected.stdout,
      stderr: collected.stderr,
      duration_ms: outcome.durationMs,
      tier: changeSet.tier,
      ...(outcome.timedOut ? { timed_out: true } : {}),
      changes: changeSet.changes.map(wireChange),
      ...(changeSet.leftOut === undefined ? {} : { left_out: [...changeSet.leftOut] }),
      ...(changeSet.temporary === undefined
        ? {}
        : { temporary: { count: changeSet.temporary.count, first: [...changeSet.temporary.first] } }),
      ...(outcome.concealed === undefined ? {} : { concealed: [...outcome.concealed] }),
      ...(keep ? { change_set: changeSet.id } : {}),
    },
    changeSet,
    ...(collected.truncated === undefined ? {} : { truncated: collected.truncated }),
  };
}

/** A command whose changes could not be made did run: what it printed is told. */
function withPrinted(error: unknown, { text }: { readonly text: string }): unknown {
  if (!(error instanceof ToolFailure) || error.output !== undefined || text === "") return error;
  const { code, message, hint, details, unchanged } = error;
  return new ToolFailure(code, message, {
    unchanged,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    output: text,
    cause: error,
  });
}

/** Also `git status` writes its index anew where that is stale, and then runs a hook of the repository. */
const withoutGitHooks = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.hooksPath", GIT_CONFIG_VALUE_0: "/dev/null" };

/** Below what was printed, each on a line of its own. */
function withNotes(text: string, notes: readonly string[]): string {
  const lines = notes.filter((note) => note !== "").map((note) => `[${note}]`);
  if (lines.length === 0) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${lines.join("\n")}`;
}

function onlyReads({ effects }: Plan): boolean {
  return effects.every((effect) => effect.kind === "read" || (effect.kind === "run" && effect.understood));
}

/** Whoever decided about the call decided about these: they are there for the command even where others are hidden. */
function judgedReads({ effects }: Plan): readonly string[] {
  return effects.flatMap((effect) => (effect.kind === "read" ? [effect.path.real] : []));
}

async function revealAll(names: BashPlan["bound"]["names"], context: RunContext<Needs, BashPlan>): Promise<Record<string, string>> {
  if (names.length === 0) return {};
  const { data, effects } = context.plan;
  const hosts = data === undefined ? [] : sentHosts(data.analysis, effects);
  const entries = await Promise.all(
    names.map(async ({ name, variable }) => [variable, await context.values.reveal(name, { tool: "Bash", hosts })] as const),
  );
  return Object.fromEntries(entries);
}
