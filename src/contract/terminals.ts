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
  /** Name of the program that waits. */
  readonly program?: string;
  /** The shell itself ended (`exit`, `exec`, a kill) and a new one was started. */
  readonly restarted?: boolean;
  readonly timedOut?: boolean;
  /** A person typed into the terminal meanwhile. */
  readonly takenOver?: boolean;
  /** What changed in the shell since the last answer and the session should take over; absent where nothing did. */
  readonly carried?: TerminalChanges;
  /** Of an output too long to be kept whole. */
  readonly omittedBytes?: number;
  readonly totalBytes?: number;
}

export interface TerminalChanges {
  readonly cwd?: string;
  /** All exported variables of the session as they are now. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a shell takes over from its session before a command: where it goes, and variables it exports or, with `null`, removes. */
export interface TerminalFollow {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | null>>;
}

/** What every use of the terminal brings along. */
export interface TerminalUse {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly callId?: string;
  /** The session as it is: a shell that is not there yet begins here, and what changes is told against it. */
  readonly session?: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}

/** A shell at its prompt that was started in the terminal: a line typed there is a command. */
export interface NestedShell {
  readonly pid: number;
  readonly language: "bash" | "sh";
  readonly cwd: string;
  /** What it was started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Something was typed since that may have changed what names mean in it. */
  readonly altered?: boolean;
}

export interface TerminalState {
  readonly state: "idle" | "running" | "waiting" | "absent";
  readonly waiting?: WaitKind;
  /** Name of the program in the foreground. */
  readonly program?: string;
  readonly cwd?: string;
  /** Grows whenever a command starts or ends or somebody types: the same number is the same situation. */
  readonly epoch?: number;
  /** Of an idle shell: its exported variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of an idle shell: names of its functions and aliases, which stand before programs of the same name. */
  readonly defined?: readonly string[];
  /** Of a terminal that waits: what waits is a shell, and this one. */
  readonly nested?: NestedShell;
  /** The session as the terminal last knew it; what it has now was changed by somebody else. */
  readonly told?: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}

export interface TerminalInputOptions extends TerminalUse {
  /** What the decision to type was based on; anything else in the foreground is a conflict and nothing is typed. */
  readonly expect?: Pick<TerminalState, "state" | "waiting" | "epoch" | "nested">;
  /** What is typed is a command that is known to define and export nothing. */
  readonly keepsEnvironment?: boolean;
  /** The text is a secret: it is hidden wherever the terminal would show it again. */
  readonly secret?: boolean;
}

export interface Terminals {
  /** What is in the foreground now, without touching it. */
  peek(): Promise<TerminalState>;
  run(
    command: string,
    options: TerminalUse & {
      /** Of the situation the decision to run was based on; another one is a conflict and nothing runs. */
      readonly epoch?: number;
      /** Exported for this one command, removed after it; never logged. */
      readonly secrets?: Readonly<Record<string, string>>;
      /** Done before the command; where it cannot be done, the command does not run. */
      readonly follow?: TerminalFollow;
      /** The command is known to export nothing, so the answer need not wait until the shell has written what it exports. */
      readonly keepsEnvironment?: boolean;
      onOutput(text: string): void;
    },
  ): Promise<TerminalAnswer>;
  input(text: string, options: TerminalInputOptions): Promise<TerminalAnswer>;
  screen(): Promise<{ readonly lines: readonly string[]; readonly row: number; readonly column: number }>;
}
