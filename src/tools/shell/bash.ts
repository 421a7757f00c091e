/**
 * Bash (B1): runs a command that cannot hang, judged beforehand by what it would do. Working directory
 * and exported variables carry over; deciding, asking and undoing are the engine's.
 */

import { z } from "zod";
import {
  defineTool,
  hasLayer,
  type LiveText,
  type Plan,
  type PlanContext,
  type PrintedPage,
  type Rehearsal,
  type RehearsedCall,
  type RunContext,
  type ShellOutcome,
  type ShellRequest,
  ToolFailure,
  type ToolOutput,
  undoOf,
} from "../../contract/index.ts";
import { analyzeCommand, bindPlaceholders, type ShellAnalysis } from "../../shell/index.ts";
import { bashData } from "../data/command-data.ts";
import { summarize } from "./change-report.ts";
import { endingOf } from "./command-ending.ts";
import { type CollectedOutput, CommandOutput } from "./command-output.ts";
import { gitPlaces, gitTrustFor } from "./git-trust.ts";
import { cachesHolding } from "./known-caches.ts";
import { demandSame, namedRuns } from "./named-runs.ts";
import { tellRehearsal } from "./rehearsal-report.ts";
import { resolveEffects } from "./resolve-effects.ts";
import { withSecretsWithin } from "./secrets-within.ts";
import { plainCommands, sentHosts } from "./sent-hosts.ts";
import { maskSpread, maskSpreadPage, type UsedValue } from "./spread-values.ts";
import { withheldFrom } from "./withheld.ts";
import { demandWorkingDirectory } from "./working-directory.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** The supervisor's own ladder: TERM, 5 s, KILL, 2 s, and a little to read what is left. */
const ladderMs = 8_000;

const input = z.object({
  command: z.string().min(1).describe("The command"),
  timeout: z.number().int().min(1).max(maxTimeoutMs).default(defaultTimeoutMs).describe("Milliseconds"),
  run_in_background: z.boolean().default(false).describe("Return a task_id at once"),
  description: z.string().optional().describe("What it does, for the person"),
});

export type BashInput = z.output<typeof input>;
type Needs = "files" | "processes" | "values" | "search";

export interface BashPlan {
  readonly analysis: ShellAnalysis;
  /** The command with secure variables as quoted expansions. */
  readonly bound: ReturnType<typeof bindPlaceholders>;
}

/** What a caller gives Bash. */
export type BashGiven = z.input<typeof input>;

export const bash = defineTool<BashInput, Needs, BashPlan>({
  name: "Bash",
  aliases: ["bash", "shell", "run_command"],
  description:
    "Runs a bash command. The working directory and exported variables carry over to the next call. " +
    "Run servers in the background and read them with TaskOutput. stdin is closed: for programs that ask use Terminal.",
  input,
  dataSchema: bashData,
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
    left: session.env,
    which: (program) => processes.which(program, session.env, session.cwd),
    ...(await gitTrustFor(bound.command, session.cwd, files)),
  });
  const effects = await withSecretsWithin(await resolveEffects(analysis.effects, files), context);
  const [tier, runs] = await Promise.all([processes.tier(), namedRuns(analysis, effects, files)]);
  const shown = command.length > 200 ? `${command.slice(0, 200)}…` : command;
  return {
    summary: `${run_in_background ? "Run in background" : "Run"}: ${shown.replaceAll("\n", " ⏎ ")}${description ? ` (${description})` : ""}`,
    effects,
    ...(hasLayer(tier) ? { confined: true as const } : {}),
    // A value must not be used before somebody saw what for, and nothing of a rehearsal goes on in the background.
    ...(run_in_background || bound.names.length > 0 || onlyReads({ effects }) || !hasLayer(tier) ? {} : { rehearsable: true as const }),
    ...(runs.length === 0 ? {} : { runs }),
    preview: { type: "command", command, cwd: session.cwd },
    class: analysis.class,
    data: { analysis, bound },
    report: { class: analysis.class, commands: analysis.commands.length },
  };
}

async function runCommand({ timeout, run_in_background }: BashInput, context: RunContext<Needs, BashPlan>): Promise<ToolOutput> {
  const { session, processes, plan, signal } = context;
  const { class: kind = "general" } = plan;
  await demandWorkingDirectory(context);
  await demandSame(plan.runs, context.files);
  const bound = plan.data?.bound ?? { command: "", names: [], problems: [] };
  // A command that only reads needs no capture: there is nothing to take back. Nor may git run anything on its account.
  const reading = onlyReads(plan);
  const { secrets, used } = await revealAll(bound.names, context);
  const request = {
    command: bound.command,
    cwd: session.cwd,
    env: session.env,
    secrets,
    timeoutMs: timeout,
    reads: judgedReads(plan),
    ...touchedBy(plan),
    ...(context.network === undefined ? {} : { network: context.network }),
    ...(used.length === 0 ? {} : { maskPage: (page: PrintedPage) => maskSpreadPage(page, used) }),
  };
  const capture = reading ? ({ purpose: "read", git: gitPlaces(bound.command, session.cwd) } as const) : { callId: context.callId };
  if (run_in_background) {
    const task = await processes.background({ ...request, ...capture }, plan.summary);
    return {
      output: `Started in the background as ${task.id}. Read it with TaskOutput {"id": "${task.id}"}, end it with TaskStop.`,
      data: { task_id: task.id, class: kind },
    };
  }
  const output = new CommandOutput(used.length > 0 ? unheard : context.live(), kind);
  const outcome = await processes
    .run({ ...request, ...capture, signal, onOutput: (stream, chunk) => output.push(stream, chunk) })
    .catch(async (error: unknown) => {
      throw withPrinted(error, spreadMasked(await output.finish(), used));
    });
  const printed = spreadMasked(await output.finish(), used);
  // What goes on is not done: the task shows it from its beginning, and holds back what may begin a value.
  const collected = outcome.movedTo !== undefined && used.length > 0 ? nothing : printed;
  carryOver(outcome, session);
  const { command, reads } = request;
  const withheld =
    outcome.lacks === undefined ? [] : await withheldFrom(outcome, { command, reads, printed: collected.text }, context.files);
  const surroundings = { cwd: session.cwd, workspace: session.workspace, timeoutMs: timeout, class: kind, withheld };
  const ending = endingOf(outcome, collected, surroundings);
  if (ending.kind === "failure") throw ending.failure;
  return ending.output;
}

/** Directory and exported variables after the command are the session's from then on. */
function carryOver(outcome: ShellOutcome, session: RunContext["session"]): void {
  if (outcome.cwd !== undefined && outcome.cwd !== session.cwd) session.setCwd(outcome.cwd);
  if (outcome.env !== undefined && outcome.env !== session.env) session.setEnv(outcome.env);
}

/** Runs it for real against a copy-on-write view: exit code, output, and every file it would change. */
async function rehearseCommand(
  { timeout }: BashInput,
  context: RunContext<Needs, BashPlan>,
  { network, keep }: Rehearsal,
): Promise<RehearsedCall> {
  const { session, processes, plan, signal } = context;
  const { class: kind = "general" } = plan;
  await demandWorkingDirectory(context);
  const { cwd, workspace, env } = session;
  const bound = plan.data?.bound ?? { command: "", names: [], problems: [] };
  const { secrets, used } = await revealAll(bound.names, context);
  const output = new CommandOutput(used.length > 0 ? unheard : context.live(), kind);
  const request = { command: bound.command, cwd, env, secrets, timeoutMs: timeout, reads: judgedReads(plan), signal };
  const outcome = await processes
    .rehearse({ ...request, onOutput: (stream, chunk) => output.push(stream, chunk) }, network, keep)
    .catch(async (error: unknown) => {
      throw withPrinted(error, spreadMasked(await output.finish(), used));
    });
  const collected = spreadMasked(await output.finish(), used);
  carryOver(outcome, session);
  const { changeSet, exitCode, networkAttempts } = outcome;
  const { lacks: _lacks, ...whole } = outcome;
  const wanting = { command: bound.command, printed: collected.text };
  const withheld = await withheldFrom(exitCode === 0 ? whole : outcome, wanting, context.files);
  const touched = changeSet.touched ?? [];
  const caches = cachesHolding([...changeSet.changes.map(({ path }) => path), ...touched], session.roots);
  const { networkAttempts: _told, ...ended } = outcome;
  const counted: ShellOutcome = {
    ...ended,
    changes: caches === undefined ? changeSet.changes : [],
    ...(changeSet.leftOut === undefined ? {} : { leftOut: changeSet.leftOut }),
    undo: undoOf(changeSet),
  };
  return {
    exitCode,
    changeSet,
    networkAttempts,
    withheld,
    ending: endingOf(counted, collected, { cwd, workspace, timeoutMs: timeout, class: kind }),
    told: tellRehearsal(outcome, collected, { workspace, keep: keep === true, class: kind }),
    summary: summarize(changeSet.changes, workspace, touched),
    ...(caches === undefined ? {} : { caches }),
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

function onlyReads({ effects }: Pick<Plan, "effects">): boolean {
  return effects.every((effect) => effect.kind === "read" || (effect.kind === "run" && effect.understood));
}

/** Whoever decided about the call decided about these: they are there for the command even where others are hidden. */
function judgedReads({ effects }: Plan): readonly string[] {
  return effects.flatMap((effect) => (effect.kind === "read" ? [effect.path.real] : []));
}

/** Nothing where more than files may be touched. */
function touchedBy({ effects }: Plan): Pick<ShellRequest, "touches"> {
  const isUnderstood = effects.every(
    ({ kind, ...effect }) => kind === "read" || kind === "write" || ("understood" in effect && effect.understood),
  );
  if (!isUnderstood) return {};
  const touches = effects.flatMap((effect) => (effect.kind === "read" || effect.kind === "write" ? [effect.path] : []));
  return { touches: touches.map(({ lexical, real }) => ({ lexical, real })) };
}

interface Revealed {
  readonly secrets: Readonly<Record<string, string>>;
  readonly used: readonly UsedValue[];
}

async function revealAll(names: BashPlan["bound"]["names"], context: RunContext<Needs, BashPlan>): Promise<Revealed> {
  const held = await context.values.heldIn(Object.values(context.session.env));
  if (names.length === 0) return { secrets: {}, used: held };
  const { data, effects } = context.plan;
  const hosts = data === undefined ? [] : sentHosts(data.analysis, effects);
  const commands = data === undefined ? undefined : plainCommands(data.analysis, context.session.env);
  const used = await Promise.all(
    names.map(async ({ name, variable }) => ({
      name,
      variable,
      value: await context.values.reveal(name, { tool: "Bash", hosts, commands }),
    })),
  );
  return { secrets: Object.fromEntries(used.map(({ variable, value }) => [variable, value])), used: [...used, ...held] };
}

/** Nobody hears a command with a value while it runs: what it makes of the value is known when it is done. */
const unheard: LiveText = { push: () => undefined, keep: () => {}, close: async () => undefined };

const nothing: CollectedOutput = { stdout: "", stderr: "", text: "" };

function spreadMasked(collected: CollectedOutput, used: readonly UsedValue[]): CollectedOutput {
  if (used.length === 0) return collected;
  const { stdout, stderr, text } = collected;
  return { ...collected, stdout: maskSpread(stdout, used), stderr: maskSpread(stderr, used), text: maskSpread(text, used) };
}
