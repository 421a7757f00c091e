/** Why the terminal cannot do what it was asked, in words a model can act on. */
import { ToolFailure } from "../../contract/index.ts";
import type { Waiting } from "./waiting/wait-detector.ts";

export function busy(waiting: Waiting | undefined): ToolFailure {
  const what = waiting ? `${waiting.program} waits for input (${waiting.kind})` : "a program is still running";
  return new ToolFailure("tool_conflict", `The terminal is busy: ${what}.`, {
    hint: 'Answer it with TerminalInput, look with TerminalScreen, or end it with TerminalKey {"key": "c"}.',
    details: { reason: "terminal_busy", ...(waiting ? { waiting: waiting.kind, program: waiting.program } : {}) },
  });
}

export function changed(state: string): ToolFailure {
  return new ToolFailure("tool_conflict", "What runs in the terminal changed since this was decided; nothing was typed.", {
    hint: "Look with TerminalScreen and decide again.",
    details: { reason: "terminal_changed", state },
  });
}

export function notRun(): ToolFailure {
  return new ToolFailure("tool_conflict", "The terminal's shell ended before the command began, so it did not run.", {
    hint: "A new shell with the same directory and variables is there: run it again.",
    details: { reason: "shell_ended" },
  });
}

export function notStarted(): ToolFailure {
  return new ToolFailure("tool_error", "The terminal's shell ended before it was ready.", { details: { reason: "not_started" } });
}

export function closedFailure(): ToolFailure {
  return new ToolFailure("tool_error", "The terminal was closed.", { details: { reason: "terminal_closed" } });
}
