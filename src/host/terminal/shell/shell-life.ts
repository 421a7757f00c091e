/**
 * The life of a terminal's shell: its start, its turns between command and prompt, and its end, after which a new one goes on
 * with the same directory and variables. A shell that shows a prompt without having reported is mended; one that cannot be
 * mended, or whose state cannot be known any more, is replaced. Knows nothing of calls.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { ToolFailure } from "../../../contract/index.ts";
import { closedFailure, notStarted } from "../failures.ts";
import type { VirtualScreen } from "../vt/virtual-screen.ts";
import { LiveShell } from "./live-shell.ts";
import type { Mark } from "./marks.ts";
import type { CommandNeeds } from "./shell-files.ts";
import type { ReportedState } from "./shell-state.ts";

const startMs = 20_000;
/** A hook that has said how a command ended is at its prompt within a moment. */
const promptMs = 10_000;
const mendMs = 5_000;
/** How long a prompt that was drawn may take to be read at. */
const lookMs = 40;
const looks = 25;
/** End of line, then kill the line: whatever stands at the prompt is gone. */
const clearLine = "\x05\x15";

export interface ShellLifeOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: string;
  readonly screen: VirtualScreen;
  /** Another shell, with its process and its terminal's name. */
  onShell(pid: number, terminal: string): void;
  /** Something came from the shell, shown or not. */
  onSign(): void;
  /** What people see; `isOutput`: a program printed it. */
  onShown(bytes: Buffer, isOutput: boolean): void;
  onStart(): void;
  onEnd(exitCode: number): void;
  /** The shell ended, and with it what ran in it. */
  onGone(exitCode: number): void;
  /** It could not go on after a command that had ended. */
  onReplaced(exitCode: number): void;
  /** Whether the shell itself reads the terminal, and not a program that draws prompts like it. */
  isReading(): boolean;
}

type Turn =
  /** No shell, or one that is not ready yet. */
  | "none"
  /** A line that runs a command was typed and has not begun. */
  | "typed"
  | "running"
  /** The command ended; the hook still writes the state. */
  | "ended"
  | "idle";

export class ShellLife {
  readonly #options: ShellLifeOptions;
  #shell: LiveShell | undefined;
  #starting: Promise<LiveShell> | undefined;
  #ready: ((problem?: Error) => void) | undefined;
  #turn: Turn = "none";
  #cwd: string;
  #env: Readonly<Record<string, string>>;
  #state: ReportedState | undefined;
  /** The command to show in place of the line that runs it. */
  #echo: string | undefined;
  /** What a program did not read of it may stand at the next prompt. */
  #typedSince = false;
  #told = true;
  #short = true;
  #mending: { step: "repair" | "leave"; readonly timer: NodeJS.Timeout } | undefined;
  #suspicion: NodeJS.Timeout | undefined;
  #doubted = false;
  #waiters: (() => void)[] = [];
  #began = false;
  #closed = false;
  /** Grows whenever a command starts or ends, or the shell is another. */
  epoch = 0;

  constructor(options: ShellLifeOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#env = options.env;
  }

  get shell(): LiveShell | undefined {
    return this.#shell;
  }

  get cwd(): string {
    return this.#cwd;
  }

  /** No shell stood at its first prompt yet, or the last one is gone. */
  get isAbsent(): boolean {
    return this.#turn === "none";
  }

  get isIdle(): boolean {
    return this.#turn === "idle";
  }

  /** The command is over, whether or not the prompt stands. */
  get isOver(): boolean {
    return this.#turn === "idle" || this.#turn === "ended" || this.#turn === "none";
  }

  /** Its prompt seems to stand without a report: where it reads, it is about to be mended. */
  get isDoubted(): boolean {
    return this.#doubted;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Nobody used this terminal yet: its first shell begins here. */
  beginAt(cwd: string, env: Readonly<Record<string, string>>): void {
    if (this.#began) return;
    this.#cwd = cwd;
    this.#env = { ...this.#env, ...env };
  }

  /** What the shell reported at this prompt; read when it is first asked for, since an answer that comes early needs none of it. */
  get state(): ReportedState | undefined {
    if (this.#turn !== "idle") return undefined;
    this.#state ??= this.#shell?.files.state();
    return this.#state;
  }

  ensure(): Promise<LiveShell> {
    if (this.#closed) return Promise.reject(closedFailure());
    if (this.#shell && !this.#starting) return Promise.resolve(this.#shell);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /**
   * Waits for the prompt of a command that ended. A shell that does not come back to it, whose state cannot be read, or where
   * something else stands before what runs a command, is replaced.
   */
  async settled(): Promise<void> {
    await this.#prompt();
    if (this.#turn === "idle" && (this.state?.defined.includes(".") ?? true)) this.#replace();
  }

  async #prompt(): Promise<void> {
    if (this.#turn !== "ended") return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiters.push(resolve);
      timer = setTimeout(() => {
        if (this.#turn === "ended") this.#replace();
        resolve();
      }, promptMs);
    });
    clearTimeout(timer);
  }

  run(command: string, needs: Pick<CommandNeeds, "secrets" | "cwd" | "env">): void {
    const shell = this.#shell;
    if (!shell) return;
    this.epoch += 1;
    this.#options.screen.addressed = false;
    this.#echo = command;
    this.#turn = "typed";
    const line = shell.files.prepare(command, { ...needs, untold: !this.#told, unaliased: !this.#short });
    // Where nothing was typed since the last command, nothing can stand at the prompt.
    shell.write(`${this.#typedSince ? clearLine : ""}${line}\n`);
    this.#typedSince = false;
  }

  type(text: string): void {
    this.#typedSince = true;
    this.#shell?.write(text);
  }

  /** Types at the prompt, instead of what stands there. */
  typeAtPrompt(text: string): void {
    this.type(clearLine + text);
  }

  close(): void {
    this.#closed = true;
    const shell = this.#shell;
    this.#forget();
    shell?.dispose();
    this.#ready?.(closedFailure());
  }

  async #start(): Promise<LiveShell> {
    const cwd = [this.#cwd, this.#options.cwd, "/"].find((directory) => existsSync(directory)) ?? "/";
    this.#cwd = cwd;
    const shell = await LiveShell.start({
      cwd,
      env: this.#env,
      shell: this.#options.shell,
      screen: this.#options.screen,
      onBytes: (bytes) => this.#onBytes(bytes),
      onMark: (mark) => this.#onMark(mark),
      onExit: (exitCode) => this.#onExit(exitCode),
    }).catch((error: unknown) => {
      throw new ToolFailure("tool_error", "The terminal's shell could not be started.", {
        details: { reason: "not_started" },
        cause: error,
      });
    });
    if (this.#closed) {
      shell.dispose();
      throw closedFailure();
    }
    this.#shell = shell;
    this.#options.onShell(shell.pid, shell.terminal);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#ready = (problem) => (problem ? reject(problem) : resolve());
        timer = setTimeout(() => reject(notStarted()), startMs);
      });
    } catch (error) {
      this.#forget();
      shell.dispose();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#ready = undefined;
    }
    this.#began = true;
    return shell;
  }

  #onBytes(bytes: Buffer): void {
    this.#options.onSign();
    // The line that runs or mends is nothing to show.
    if (this.#turn === "typed" || this.#mending) return;
    this.#options.onShown(bytes, this.#turn !== "none");
  }

  #onMark(mark: Mark): void {
    this.#options.onSign();
    switch (mark.kind) {
      case "start":
        return this.#onStart();
      case "end":
        return this.#onEnd(mark.exitCode, mark.cwd);
      case "ready":
        return this.#onReady(mark);
      case "prompt":
        // One after a line that has not begun yet is the prompt before it.
        if (this.#turn === "running") this.#suspect();
    }
  }

  #onStart(): void {
    if (this.#mending || this.#turn === "none") return;
    this.epoch += 1;
    this.#turn = "running";
    if (this.#echo !== undefined) {
      const shown = this.#echo.length > 2_000 ? `${this.#echo.slice(0, 2_000)}…` : this.#echo;
      this.#echo = undefined;
      const prompt = this.#options.screen.column === 0 ? `${basename(this.#cwd)}$ ` : "";
      this.#options.onShown(Buffer.from(`${prompt}${shown.replace(/\n+$/, "").replaceAll("\n", "\r\n")}\r\n`), false);
    }
    this.#options.onStart();
  }

  #onEnd(exitCode: number, cwd: string | undefined): void {
    const { screen } = this.#options;
    if (screen.alternate) this.#options.onShown(Buffer.from("\x1b[?1049l\x1b[?25h\x1b[m"), false);
    screen.endProgram();
    this.#cwd = cwd ?? this.#shell?.cwd() ?? this.#cwd;
    // A prompt that was on its way before the command began is not the command's end.
    if (this.#turn === "typed" || this.#turn === "none") return;
    this.epoch += 1;
    this.#turn = "ended";
    this.#mended();
    this.#shell?.files.forget();
    this.#options.onEnd(exitCode);
  }

  #onReady({ saved, told, short }: Mark & { readonly kind: "ready" }): void {
    if (this.#turn === "typed" || this.#turn === "running") return;
    const isFirst = this.#turn === "none";
    this.#told = told;
    this.#short = short;
    this.#turn = "idle";
    this.#state = undefined;
    if (isFirst) this.#ready?.(saved ? undefined : notStarted());
    else if (!saved) this.#replace();
    this.#wake();
  }

  #onExit(exitCode: number): void {
    const shell = this.#shell;
    if (!shell) return;
    const turn = this.#turn;
    this.#leave(shell);
    if (turn === "none") this.#ready?.(notStarted());
    else if (turn === "ended") this.#options.onReplaced(exitCode);
    else this.#options.onGone(exitCode);
    this.#wake();
  }

  /** It ends here and now; the next one has its directory and variables as far as they are known. */
  #replace(): void {
    const shell = this.#shell;
    if (!shell) return;
    this.#leave(shell);
    this.#options.onReplaced(137);
    this.#wake();
  }

  #leave(shell: LiveShell): void {
    const state = shell.files.lastState;
    if (state) {
      this.#env = { ...state.env };
      this.#cwd = state.cwd ?? this.#cwd;
    }
    this.epoch += 1;
    this.#forget();
    shell.dispose();
  }

  #forget(): void {
    this.#shell = undefined;
    this.#turn = "none";
    this.#echo = undefined;
    this.#mended();
  }

  /**
   * A prompt was drawn in the middle of a command: if the shell then reads there, its hook is gone. Whoever only printed it goes
   * on. Twice, since what the hook said may be on its way at the first look.
   */
  #suspect(look = 0, wasReading = false): void {
    clearTimeout(this.#suspicion);
    this.#doubted = true;
    this.#suspicion = setTimeout(() => {
      if (this.#turn !== "running") return;
      const isReading = this.#options.isReading();
      if (isReading && wasReading) this.#mend();
      else if (look < looks) this.#suspect(look + 1, isReading);
      else this.#doubted = false;
    }, lookMs);
  }

  /** A prompt stands and nothing was reported: the hook is loaded again; if that is no use the shell leaves, or is ended. */
  #mend(): void {
    const shell = this.#shell;
    if (!shell) return;
    const step = this.#mending?.step;
    if (step === "leave") return this.#kill(shell);
    clearTimeout(this.#mending?.timer);
    this.#mending = { step: step === undefined ? "repair" : "leave", timer: setTimeout(() => this.#kill(shell), mendMs) };
    shell.write(`${clearLine}${step === undefined ? shell.files.repair : shell.files.leave}\n`);
  }

  #kill(shell: LiveShell): void {
    if (shell === this.#shell) shell.endGroup(shell.pid);
  }

  #mended(): void {
    this.#doubted = false;
    clearTimeout(this.#suspicion);
    clearTimeout(this.#mending?.timer);
    this.#mending = undefined;
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
