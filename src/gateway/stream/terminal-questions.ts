/**
 * Programs in terminals that wait for input, until somebody goes on in that terminal: a further call of the agent, or a
 * person who types. Owns only what this process heard, because a terminal is never waited at by two servers.
 */
import type { KaryiEvent } from "../../contract/index.ts";

export interface TerminalQuestion {
  readonly id: string;
  /** Internal id. */
  readonly sessionId: string;
  readonly callId?: string;
  /** `confirm`, `input`, `password`, `pager`, `editor` … */
  readonly input: string;
  readonly program: string;
  readonly question: string;
  readonly createdAt: number;
}

/** Calls that go on in a terminal. */
const typing = new Set(["Terminal", "TerminalInput", "TerminalKey"]);

export class TerminalQuestions {
  readonly #open = new Map<string, TerminalQuestion>();

  hear(event: KaryiEvent): void {
    const { sessionId, callId } = event;
    if (event.type === "input_required") {
      const { kind, program, question } = event.body;
      const asked = { id: `${sessionId}:${event.seq}`, sessionId, input: kind, program, question, createdAt: event.time };
      this.#open.set(sessionId, callId === undefined ? asked : { ...asked, callId });
    } else if (event.type === "tool_call" && typing.has(event.body.tool) && this.#open.get(sessionId)?.callId !== callId) {
      this.#open.delete(sessionId);
    }
  }

  /** A person typed into the terminal, or it ended. True if something waited there. */
  goOn(sessionId: string): boolean {
    return this.#open.delete(sessionId);
  }

  list(): readonly TerminalQuestion[] {
    return [...this.#open.values()];
  }
}
