/**
 * Terminal (B8): runs a command in the session's persistent terminal, where programs may ask questions. Judged
 * beforehand exactly like a command of Bash. A program that waits for input is no error: the result says so.
 */

import { z } from "zod";
import { defineTool, type TerminalFollow, ToolFailure } from "../../contract/index.ts";
import { bindPlaceholders } from "../../shell/index.ts";
import { terminalData } from "../data/command-data.ts";
import { maskSpread } from "./spread-values.ts";
import { answerOutput, carryOver } from "./terminal-answer.ts";
import { followed, followOf, keepsEnvironment, planTerminalCommand, refuseBusy } from "./terminal-plan.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
/** Interrupt, a second, kill, a second, and a new shell. */
const ladderMs = 8_000;

const input = z.object({
  command: z.string().min(1).describe("The command"),
  timeout: z.number().int().min(1).max(maxTimeoutMs).default(defaultTimeoutMs).describe("Milliseconds to wait; then it goes on running"),
});

type TerminalInput = z.output<typeof input>;
type Needs = "files" | "processes" | "terminals" | "values" | "search";

interface TerminalPlan {
  readonly command: string;
  /** The situation this was decided in. */
  readonly epoch?: number;
  readonly follow?: TerminalFollow;
  readonly keepsEnvironment: boolean;
  readonly secrets: readonly { readonly name: string; readonly variable: string }[];
}

/** What a caller gives Terminal. */
export type TerminalGiven = z.input<typeof input>;

export const terminal = defineTool<TerminalInput, Needs, TerminalPlan>({
  name: "Terminal",
  aliases: ["terminal", "run_in_terminal"],
  description:
    "Runs a command in a persistent terminal, for programs that ask questions or draw on the screen. " +
    "When a program waits, the result names what for (input_required); answer with TerminalInput or TerminalKey, look with TerminalScreen.",
  input,
  dataSchema: terminalData,
  synonyms: { cmd: "command", script: "command", timeout_ms: "timeout" },
  example: { command: "npm init" },
  traits: { destructive: true, searchHint: "interactive terminal pty tty command prompt repl editor pager" },
  needs: ["files", "processes", "terminals", "values", "search"],
  timeoutMs: ({ timeout }) => timeout + ladderMs,
  graceMs: ladderMs,
  ownsPlaceholders: ["command"],
  async plan({ command }, context) {
    const state = await context.terminals.peek();
    refuseBusy(state);
    const bound = bindPlaceholders(command);
    if (bound.problems.length > 0) {
      throw new ToolFailure(
        "invalid_tool_input",
        `A secure variable stands where it cannot be used safely: ${bound.problems.join("; ")}.`,
        {
          hint: "Use it as an argument or inside quotes.",
          details: { reason: "placeholder_place" },
        },
      );
    }
    const follow = followOf(state, context.session);
    const { effects, analysis, cwd } = await planTerminalCommand(bound.command, follow ? followed(state, follow) : state, context);
    const shown = command.length > 200 ? `${command.slice(0, 200)}…` : command;
    return {
      summary: `Run in the terminal: ${shown.replaceAll("\n", " ⏎ ")}`,
      effects,
      preview: { type: "command", command, cwd },
      class: analysis.class,
      data: {
        command: bound.command,
        secrets: bound.names,
        keepsEnvironment: keepsEnvironment(analysis),
        ...(follow ? { follow } : {}),
        ...(state.epoch === undefined ? {} : { epoch: state.epoch }),
      },
      // Only a dry run shows it.
      get report() {
        return { class: analysis.class, commands: analysis.commands.length };
      },
    };
  },
  async run({ timeout }, context) {
    const { plan, terminals, signal, values, session, callId } = context;
    if (!plan.data) throw new Error("a terminal command runs only as it was planned");
    const { command, epoch, follow } = plan.data;
    const secrets = await Promise.all(
      plan.data.secrets.map(async ({ name, variable }) => [variable, await values.reveal(name, { tool: "Terminal", hosts: [] })] as const),
    );
    const named = plan.data.secrets.map(({ name }, index) => ({ name, value: secrets[index]?.[1] ?? "" }));
    const used = [...named, ...(await values.heldIn(Object.values(session.env)))];
    const answer = await terminals.run(command, {
      timeoutMs: timeout,
      signal,
      callId,
      session,
      keepsEnvironment: plan.data.keepsEnvironment,
      ...(secrets.length > 0 ? { secrets: Object.fromEntries(secrets) } : {}),
      ...(follow ? { follow } : {}),
      ...(epoch === undefined ? {} : { epoch }),
      // What a program makes of a value is known when it is done.
      onOutput: (text) => (used.length > 0 ? undefined : context.progress(text)),
    });
    carryOver(answer, session);
    const result = await answerOutput({ ...answer, output: maskSpread(answer.output, used) }, terminals, plan.class);
    if (signal.aborted) throw new ToolFailure("cancelled", "The command was cancelled and its program ended.", result);
    if (answer.exitCode !== undefined && answer.exitCode !== 0) {
      throw new ToolFailure("tool_error", `The command ended with exit code ${answer.exitCode}.`, {
        ...result,
        details: { reason: "exit_nonzero", exit_code: answer.exitCode },
      });
    }
    return result;
  },
});
