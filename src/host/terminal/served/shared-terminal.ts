/**
 * One terminal and whoever calls it, in this process or in others. What its program asks and tells goes to the caller of
 * the moment and to nobody else. Situations are numbered so that those of two terminals are never taken for one another.
 */
import { randomInt } from "node:crypto";
import type { TerminalAnswer, TerminalState, Terminals } from "../../../contract/index.ts";
import { createTerminal } from "../terminal.ts";
import type { SessionTerminal, TerminalOptions, TerminalSize, TerminalView } from "../terminal-types.ts";

export type TerminalCaller = Pick<TerminalOptions, "onEvent" | "askSecret">;
export type ShellBeginning = Pick<TerminalOptions, "cwd" | "env">;

const numbers = 2 ** 40;

/** Before a terminal is used, its situation is that of one that is not there yet. */
export const absentTerminal: TerminalState = { state: "absent", epoch: 0 };

export class SharedTerminal implements TerminalView {
  readonly #terminal: SessionTerminal;
  readonly #firstNumber = randomInt(1, numbers);
  #caller: TerminalCaller | undefined;
  #tellRestart = false;

  constructor(shell: ShellBeginning) {
    this.#terminal = createTerminal({
      ...shell,
      onEvent: (event) => this.#caller?.onEvent?.(event),
      askSecret: async (question, signal) => this.#caller?.askSecret?.(question, signal),
    });
  }

  /** It takes the place of one that was lost: the next answer says so. */
  tellRestart(): void {
    this.#tellRestart = true;
  }

  /** Starts the shell for somebody who is on the way. */
  warmUp(): void {
    this.watch(() => {})();
  }

  of(caller: TerminalCaller): Terminals {
    return {
      peek: async () => {
        const { epoch, ...state } = await this.#terminal.peek();
        return epoch === undefined ? state : { ...state, epoch: this.#outside(epoch) };
      },
      run: (command, options) =>
        this.#called(caller, () =>
          this.#terminal.run(command, options.epoch === undefined ? options : { ...options, epoch: this.#inside(options.epoch) }),
        ),
      input: (text, options) =>
        this.#called(caller, () => {
          const { expect } = options;
          if (expect?.epoch === undefined) return this.#terminal.input(text, options);
          return this.#terminal.input(text, { ...options, expect: { ...expect, epoch: this.#inside(expect.epoch) } });
        }),
      screen: () => this.#terminal.screen(),
    };
  }

  get size(): TerminalSize {
    return this.#terminal.size;
  }

  paint(): string {
    return this.#terminal.paint();
  }

  watch(onBytes: (bytes: Uint8Array) => void): () => void {
    return this.#terminal.watch(onBytes);
  }

  type(bytes: Uint8Array): void {
    this.#terminal.type(bytes);
  }

  resize(rows: number, columns: number): void {
    this.#terminal.resize(rows, columns);
  }

  close(): void {
    this.#terminal.close();
  }

  /** One call at a time: who comes meanwhile is refused by the terminal, and hears nothing of the first. */
  async #called(caller: TerminalCaller, call: () => Promise<TerminalAnswer>): Promise<TerminalAnswer> {
    const isFirst = this.#caller === undefined;
    if (isFirst) this.#caller = caller;
    try {
      const answer = await call();
      if (!this.#tellRestart) return answer;
      this.#tellRestart = false;
      return { ...answer, restarted: true };
    } finally {
      if (isFirst) this.#caller = undefined;
    }
  }

  #outside(epoch: number): number {
    return epoch === 0 ? 0 : this.#firstNumber + epoch;
  }

  #inside(epoch: number): number {
    return epoch === 0 ? 0 : epoch - this.#firstNumber;
  }
}
