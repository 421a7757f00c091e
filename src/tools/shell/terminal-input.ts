/**
 * TerminalInput (B8): types text into the terminal exactly as given, no line end added. At a prompt it is a
 * command; in a program it goes to that program. A password prompt takes nothing from here but a secure
 * variable by name, so that no secret passes through a model.
 */

import { z } from "zod";
import { defineTool, type TerminalInputOptions, ToolFailure, variableName } from "../../contract/index.ts";
import { terminalData } from "../data/command-data.ts";
import { answerOutput, carryOver } from "./terminal-answer.ts";
import { decodeKeys } from "./terminal-keys.ts";
import { expectation, planTyping } from "./terminal-plan.ts";

const defaultTimeoutMs = 30_000;
const maxTimeoutMs = 600_000;
const ladderMs = 8_000;
const maxText = 16_384;

const input = z.object({
  text: z.string().max(maxText).describe("Text to type; \\n \\t \\r \\e \\xNN \\uNNNN and \\\\ are decoded.. Empty: only wait"),
  timeout: z.number().int().min(1).max(maxTimeoutMs).default(defaultTimeoutMs).describe("Milliseconds"),
});

interface InputPlan {
  readonly text: string;
  /** Name of the secure variable that is typed instead. */
  readonly secret?: string;
  readonly keepsEnvironment: boolean;
  readonly expect: NonNullable<TerminalInputOptions["expect"]>;
}

const onePlaceholder = new RegExp(`^\\$KARYI\\{(${variableName})\\}([\\r\\n]*)$`);

/** What a caller gives TerminalInput. */
export type TerminalInputGiven = z.input<typeof input>;

export const terminalInput = defineTool<z.output<typeof input>, "files" | "processes" | "terminals" | "values" | "search", InputPlan>({
  name: "TerminalInput",
  aliases: ["terminal_input", "send_input"],
  description: "Types text into the terminal's program or at its prompt. No newline is added: end a line with \\n.",
  input,
  dataSchema: terminalData,
  synonyms: { input: "text", keys: "text", timeout_ms: "timeout" },
  example: { text: "y\\n" },
  traits: { destructive: true, searchHint: "type answer prompt stdin interactive send keys" },
  needs: ["files", "processes", "terminals", "values", "search"],
  timeoutMs: ({ timeout }) => timeout + ladderMs,
  graceMs: ladderMs,
  ownsPlaceholders: ["text"],
  async plan({ text }, context) {
    const decoded = decodeKeys(text);
    const state = await context.terminals.peek();
    const expect = expectation(state);
    const preview = { type: "text" as const, text: JSON.stringify(decoded) };
    const where = expect.state === "idle" ? "at the prompt" : `into ${state.program ?? "the running program"}`;
    const names = context.values.placeholders(decoded);
    if (names.length > 0) {
      const [, secret, end = ""] = onePlaceholder.exec(decoded) ?? [];
      if (secret === undefined || expect.state !== "waiting") {
        throw new ToolFailure("invalid_tool_input", "A secure variable can only be typed by itself, into a program that waits for input.", {
          hint: 'Use {"text": "$KARYI{NAME}\\n"} when a program asks for it; in commands use Terminal or Bash.',
          details: { reason: "placeholder_place" },
        });
      }
      return {
        summary: `Type the secure variable ${secret} ${where}`,
        effects: [{ kind: "unknown", reason: `a secure variable is given to ${state.program ?? "the running program"}` }],
        preview,
        data: { text: end, secret, expect, keepsEnvironment: false },
      };
    }
    const typed = decoded.replaceAll("$$KARYI{", "$KARYI{");
    const summary = `Type ${where}: ${JSON.stringify(typed).slice(0, 200)}`;
    if (typed === "") {
      return { summary, effects: [{ kind: "state", area: "terminal" }], preview, data: { text: typed, expect, keepsEnvironment: true } };
    }
    const { effects, keepsEnvironment } = await planTyping(typed, state, context);
    return { summary, effects, preview, data: { text: typed, expect, keepsEnvironment } };
  },
  async run({ timeout }, { plan, terminals, values, signal, session, callId }) {
    if (!plan.data) throw new Error("text is typed only as it was planned");
    const { text, secret, expect, keepsEnvironment } = plan.data;
    const value = secret === undefined ? "" : await values.reveal(secret, { tool: "TerminalInput", hosts: [] });
    const answer = await terminals.input(value + text, {
      timeoutMs: timeout,
      signal,
      callId,
      session,
      keepsEnvironment,
      // Waiting types nothing, so it may happen in any state.
      ...(value + text === "" ? {} : { expect }),
      ...(secret === undefined ? {} : { secret: true }),
    });
    carryOver(answer, session);
    const result = await answerOutput(answer, terminals);
    if (signal.aborted) throw new ToolFailure("cancelled", "The call was cancelled and the program ended.", result);
    return result;
  },
});
