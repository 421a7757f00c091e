/** TerminalKey (B8): presses one key in the terminal. Keys that only stop, move or redraw are told apart from those that may run something. */

import { z } from "zod";
import { defineTool, type Effect, type TerminalInputOptions, type TerminalState, ToolFailure } from "../../contract/index.ts";
import { terminalData } from "../data/command-data.ts";
import { answerOutput, carryOver } from "./terminal-answer.ts";
import { keyBytes, keyNames } from "./terminal-keys.ts";
import { code, expectation } from "./terminal-plan.ts";

const defaultTimeoutMs = 10_000;
const ladderMs = 8_000;

const input = z.object({
  key: z
    .string()
    .min(1)
    .max(32)
    .describe(
      "A letter or \\ for that control key, or enter, tab, escape, space, backspace, up, down, left, right, home, end, pageup, pagedown, f1…f12",
    ),
  timeout: z.number().int().min(1).max(600_000).default(defaultTimeoutMs).describe("Milliseconds"),
});

interface KeyPlan {
  readonly bytes: string;
  readonly expect?: NonNullable<TerminalInputOptions["expect"]>;
}

/** Stop a program (Ctrl-C, Ctrl-Z, Ctrl-\): wanted whatever runs by then. */
const stopping = new Set(["\x03", "\x1a", "\x1c"]);
const moving = /^(?:up|down|left|right|home|end|pageup|pagedown)$/;
const movingBytes = new Set(keyNames.filter((name) => moving.test(name)).map((name) => keyBytes(name)));
/** End of input, redraw, and at a prompt: to the start, to the end, clear the line, one back. */
const harmless = new Set(["\x04", "\x0c", "\x01", "\x05", "\x15", "\x7f"]);

/** What a caller gives TerminalKey. */
export type TerminalKeyGiven = z.input<typeof input>;

export const terminalKey = defineTool<z.output<typeof input>, "terminals", KeyPlan>({
  name: "TerminalKey",
  aliases: ["terminal_key", "send_key"],
  description: "Presses one key in the terminal: c interrupts, d ends input, z stops.",
  input,
  dataSchema: terminalData,
  synonyms: { ctrl: "key", name: "key", timeout_ms: "timeout" },
  example: { key: "c" },
  traits: { destructive: true, searchHint: "ctrl control key interrupt arrow enter escape terminal" },
  needs: ["terminals"],
  timeoutMs: ({ timeout }) => timeout + ladderMs,
  graceMs: ladderMs,
  async plan({ key }, { terminals }) {
    const bytes = keyBytes(key);
    if (bytes === undefined) {
      throw new ToolFailure("invalid_tool_input", `There is no key '${key}'.`, {
        hint: `Use a letter for a control key (c is Ctrl-C), or one of: ${keyNames.join(", ")}. To type text use TerminalInput.`,
        details: { reason: "unknown_key" },
      });
    }
    const state = await terminals.peek();
    return {
      summary: `Press ${key} in the terminal${state.program ? ` (${state.program})` : ""}`,
      effects: [keyEffect(bytes, state)],
      data: { bytes, ...(stopping.has(bytes) ? {} : { expect: expectation(state) }) },
    };
  },
  async run({ timeout }, { plan, terminals, signal, session, callId }) {
    if (!plan.data) throw new Error("a key is pressed only as it was planned");
    const { bytes, expect } = plan.data;
    const answer = await terminals.input(bytes, { timeoutMs: timeout, signal, callId, session, ...(expect ? { expect } : {}) });
    carryOver(answer, session);
    return answerOutput(answer, terminals);
  },
});

/** Enter at a prompt runs what stands there; any other key may be bound to anything. */
function keyEffect(bytes: string, { state, waiting, program }: TerminalState): Effect {
  // As harmless as ending a background task, and nobody should have to be asked before something is stopped.
  if (stopping.has(bytes)) return { kind: "state", area: "terminal", stops: true };
  const pager = waiting === "pager" && (bytes === "\r" || bytes === " ");
  const answer = waiting === "confirm" && bytes === "\r";
  if (harmless.has(bytes) || movingBytes.has(bytes) || pager || answer) return { kind: "state", area: "terminal" };
  return code(state === "idle" || state === "absent" ? "bash" : (program ?? "terminal"), `key ${JSON.stringify(bytes)}`);
}
