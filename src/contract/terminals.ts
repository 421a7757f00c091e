/** The terminal port: one persistent pty a session (B8). */

export type WaitKind = "confirm" | "password" | "pager" | "editor" | "repl" | "fullscreen" | "input";

export interface TerminalAnswer {
  /** Output of this command, colours stripped. */
  readonly output: string;
  /** Absent while the program still runs or waits. */
  readonly exitCode?: number;
  readonly cwd?: string;
  /** The foreground program waits for input of this kind. */
  readonly waiting?: WaitKind;
  /** The shell itself ended (`exit`, `exec`, a kill) and a new one was started. */
  readonly restarted?: boolean;
  readonly timedOut?: boolean;
  /** A person typed into the terminal meanwhile. */
  readonly takenOver?: boolean;
}

export interface Terminals {
  /** What is in the foreground now, without touching it. */
  peek(): Promise<{ readonly state: "idle" | "running" | "waiting" | "absent"; readonly waiting?: WaitKind; readonly cwd?: string }>;
  run(
    command: string,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal; onOutput(text: string): void },
  ): Promise<TerminalAnswer>;
  input(text: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<TerminalAnswer>;
  screen(): Promise<{ readonly lines: readonly string[]; readonly row: number; readonly column: number }>;
}
