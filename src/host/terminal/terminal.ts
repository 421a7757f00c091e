/**
 * The terminal of a session (B8): one persistent shell on a pty. Runs commands and hands over what is typed,
 * and answers when the command ended, waits for somebody to type, or took too long; a shell that ended is
 * replaced by a new one with the same directory and variables. One call at a time, but for what is typed at the
 * program of a call that still waits. A password comes from a person through `askSecret` or not at all, and is
 * hidden wherever it would be shown again.
 */
import {
  type NestedShell,
  type TerminalAnswer,
  type TerminalState,
  type Terminals,
  type TerminalUse,
  ToolFailure,
} from "../../contract/index.ts";
import { type CallEnd, TerminalCall } from "./call.ts";
import { busy, changed, closedFailure, notRun } from "./failures.ts";
import { HiddenText } from "./hidden-text.ts";
import { RecentBytes } from "./recent-bytes.ts";
import { type Outcome, settleCall } from "./settle-call.ts";
import { nestedShell } from "./shell/nested-shell.ts";
import { ShellLife } from "./shell/shell-life.ts";
import { ToldState } from "./shell/told-state.ts";
import type { SessionTerminal, TerminalOptions, TerminalSize } from "./terminal-types.ts";
import { VirtualScreen } from "./vt/virtual-screen.ts";
import { ForegroundWatch } from "./waiting/foreground-watch.ts";
import { makeSane } from "./waiting/line-discipline.ts";

const lineEnd = /\r\n|[\r\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that a shell answers without a line end
const endsShellInput = /[\x03\x04]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: cursor keys as a terminal sends them
const plainArrow = /^\x1b\[[ABCDHF]$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that stop a program
const stopsProgram = /^[\x03\x1a\x1c]$/;

/** Within this time it is seen whether a key ended the program of another call. */
const besideMs = 500;

/** How often it is looked at what a person types into, within a line. */
const relookMs = 1_000;

export function createTerminal(options: TerminalOptions): SessionTerminal {
  return new Terminal(options);
}

class Terminal implements SessionTerminal {
  readonly #options: TerminalOptions;
  readonly #screen: VirtualScreen;
  readonly #foreground: ForegroundWatch;
  readonly #life: ShellLife;
  readonly #recent = new RecentBytes();
  readonly #watchers = new Set<(bytes: Uint8Array) => void>();
  readonly #hidden = new HiddenText();
  readonly #told = new ToldState();
  #call: TerminalCall | undefined;
  /** Those who typed at the program of `#call` while it waits. */
  readonly #beside = new Set<TerminalCall>();
  #takenOver = false;
  #restarted = false;
  /** What a person types goes one after the other. */
  #typing: Promise<void> = Promise.resolve();
  #typed = { inLine: false, lookedAt: 0 };
  /** Since the last prompt something was typed that may have changed a shell started there. */
  #altered = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#screen = new VirtualScreen(options.rows ?? 24, options.columns ?? 80, (text) => {
      if (!this.#life.isIdle) this.#life.type(text);
    });
    this.#foreground = new ForegroundWatch(this.#screen);
    this.#life = new ShellLife({
      cwd: options.cwd,
      env: options.env,
      shell: options.shell ?? "bash",
      screen: this.#screen,
      onShell: (pid, terminal) => this.#foreground.follow(pid, terminal),
      onSign: () => this.#foreground.printed(),
      onShown: (bytes, isOutput) => this.#show(bytes, isOutput),
      onStart: () => this.#call?.start(),
      onEnd: (exitCode) => {
        this.#foreground.forget();
        this.#hidden.endTyping();
        this.#altered = false;
        this.#finish({ kind: "prompt", exitCode });
      },
      onGone: (exitCode) => {
        this.#onRestart(exitCode);
        this.#finish({ kind: "gone", exitCode });
      },
      onReplaced: (exitCode) => this.#onRestart(exitCode),
      isReading: () => this.#foreground.atPrompt(),
    });
  }

  async peek(): Promise<TerminalState> {
    const life = this.#life;
    const told = this.#told.session;
    const base = () => ({ cwd: life.cwd, epoch: life.epoch, ...(told ? { told } : {}) });
    await life.settled();
    // Also while the shell starts: looking again and again until then would leave no turn in which its first mark is read.
    if (life.isAbsent) return { state: "absent", ...base() };
    const idle = (): TerminalState => {
      const state = life.state;
      return { state: "idle", ...base(), ...(state ? { env: state.env, defined: state.defined } : {}) };
    };
    if (life.isIdle) return idle();
    if (!this.#call) await this.#foreground.detect(this.#foreground.waiting ? 400 : 250, () => life.isOver);
    if (life.isOver) return this.peek();
    const { kind, program } = this.#foreground.waiting ?? {};
    const nested = this.#nested();
    return {
      state: kind ? "waiting" : "running",
      ...base(),
      ...(kind ? { waiting: kind } : {}),
      ...(program ? { program } : {}),
      ...(nested ? { nested } : {}),
    };
  }

  async run(command: string, options: Parameters<Terminals["run"]>[1]): Promise<TerminalAnswer> {
    if (command.includes("\0")) throw new ToolFailure("invalid_tool_input", "A command cannot hold a NUL character.");
    const life = this.#life;
    await this.#begin(new TerminalCall(true, (text) => options.onOutput(this.#hide(text))), options);
    if (!life.isIdle || (options.epoch ?? life.epoch) !== life.epoch) {
      this.#call = undefined;
      throw life.isIdle ? changed("idle") : busy(this.#foreground.waiting);
    }
    const { secrets, follow, keepsEnvironment = false } = options;
    const cwd = life.cwd;
    this.#hidden.add(Object.values(secrets ?? {}));
    this.#told.follow(follow);
    life.run(command, { ...(secrets ? { secrets } : {}), ...follow });
    return this.#answer(options, {
      touchesModes: /\bstty\b/.test(command),
      // What else it may change is written when the prompt stands, and nobody needs to wait for that.
      mayAnswerEarly: () => keepsEnvironment && life.cwd === cwd,
    });
  }

  async input(text: string, options: Parameters<Terminals["input"]>[1]): Promise<TerminalAnswer> {
    if (this.#call?.started && !this.#life.isIdle) return this.#inputBeside(text, options);
    const life = this.#life;
    const call = new TerminalCall(false);
    await this.#begin(call, options);
    const { expect } = options;
    if (!life.isIdle) await this.#foreground.detect(expect?.state === "running" ? 0 : 300, () => life.isOver);
    await life.settled();
    const state = life.isIdle ? "idle" : this.#foreground.waiting ? "waiting" : "running";
    const waiting = state === "waiting" ? this.#foreground.waiting?.kind : undefined;
    const nested = expect?.nested ? this.#nested() : undefined;
    const isSame = expect?.state === state && expect.waiting === waiting && (expect.epoch ?? life.epoch) === life.epoch;
    if (expect && !(isSame && expect.nested?.pid === nested?.pid && expect.nested?.cwd === nested?.cwd)) {
      this.#call = undefined;
      throw changed(state);
    }
    life.epoch += 1;
    this.#altered ||= !life.isIdle && options.keepsEnvironment !== true;
    if (options.secret) this.#hidden.add([text.replace(/[\r\n]+$/, "")]);
    this.#foreground.typed();
    if (life.isIdle) {
      for (let tries = 0; tries < 20 && life.isIdle && !this.#foreground.atPrompt(); tries++) await call.ended(10);
      life.typeAtPrompt(text);
      call.lines = text.split(lineEnd).length - 1;
      if (call.lines > 0 || endsShellInput.test(text)) return this.#answer(options);
      // Without a line end nothing starts: it stands at the prompt.
      await call.ended(60);
      this.#call = undefined;
      return this.#report(call, options, {});
    }
    const arrow = this.#screen.applicationCursor && plainArrow.test(text);
    life.type(arrow ? text.replace("[", "O") : text);
    return this.#answer(options);
  }

  /** The call that started the program goes on waiting; this one tells what came within a moment. */
  async #inputBeside(
    text: string,
    { expect, timeoutMs, signal, keepsEnvironment }: Parameters<Terminals["input"]>[1],
  ): Promise<TerminalAnswer> {
    const life = this.#life;
    // The person is asked for it just now.
    if (text !== "" && !stopsProgram.test(text) && (await this.#foreground.asksPassword())) throw busy(this.#foreground.waiting);
    if (expect && (expect.state !== "running" || life.isIdle || (expect.epoch ?? life.epoch) !== life.epoch)) {
      throw changed(life.isIdle ? "idle" : "running");
    }
    const call = new TerminalCall(false);
    const wake = () => call.wake();
    this.#beside.add(call);
    signal.addEventListener("abort", wake, { once: true });
    try {
      if (text !== "") {
        life.epoch += 1;
        this.#altered ||= keepsEnvironment !== true;
        this.#foreground.typed();
        life.type(text);
      }
      await call.ended(text === "" ? timeoutMs : Math.min(timeoutMs, besideMs));
    } finally {
      signal.removeEventListener("abort", wake);
      this.#beside.delete(call);
    }
    const { text: output, omitted, total } = call.output.finish();
    return {
      output: this.#hide(output),
      cwd: life.cwd,
      ...(call.end ? { exitCode: call.end.exitCode } : { timedOut: true }),
      ...(omitted > 0 ? { omittedBytes: omitted, totalBytes: total } : {}),
    };
  }

  async screen(): ReturnType<Terminals["screen"]> {
    const view = this.#screen.view();
    return { ...view, lines: view.lines.map((line) => this.#hide(line)) };
  }

  paint(): string {
    return this.#screen.paint();
  }

  recent(): Uint8Array {
    return this.#recent.bytes();
  }

  watch(onBytes: (bytes: Uint8Array) => void): () => void {
    this.#watchers.add(onBytes);
    void this.#life.ensure().catch(() => {});
    return () => this.#watchers.delete(onBytes);
  }

  type(bytes: Uint8Array): void {
    if (!this.#takenOver) this.#options.onEvent?.({ type: "taken_over" });
    this.#takenOver = true;
    this.#altered ||= !this.#life.isIdle;
    this.#life.epoch += 1;
    const text = Buffer.from(bytes).toString("utf8");
    this.#typing = this.#typing.then(() => this.#typeFor(text)).catch(() => {});
  }

  /** Before a program can read it, it is known whether that program asks for a password. */
  async #typeFor(text: string): Promise<void> {
    const { inLine, lookedAt } = this.#typed;
    const looks = !this.#life.isIdle && !(inLine && Date.now() - lookedAt < relookMs);
    this.#hidden.typed(text, looks && (await this.#foreground.asksPassword()));
    this.#typed = { inLine: !this.#life.isIdle && !/[\r\n]$/.test(text), lookedAt: looks ? Date.now() : lookedAt };
    this.#foreground.typed();
    this.#life.type(text);
  }

  get size(): TerminalSize {
    return { rows: this.#screen.rows, columns: this.#screen.columns };
  }

  resize(rows: number, columns: number): void {
    if (rows < 2 || columns < 2 || rows > 1000 || columns > 1000) return;
    this.#screen.resize(rows, columns);
    this.#life.shell?.resize(rows, columns);
  }

  close(): void {
    this.#life.close();
    this.#finish({ kind: "gone", exitCode: 129 });
  }

  #finish(end: CallEnd): void {
    this.#call?.finish(end);
    for (const call of this.#beside) call.finish(end);
  }

  /** The terminal's own shell is none: where it waits in the middle of a command, a line typed is no command. */
  #nested(): NestedShell | undefined {
    const { kind, reader, relayed } = this.#foreground.waiting ?? {};
    if (kind !== "repl" || !reader || relayed || reader.pid === this.#life.shell?.pid) return undefined;
    const found = nestedShell(reader.pid);
    return found && this.#altered ? { ...found, altered: true } : found;
  }

  async #begin(call: TerminalCall, { session }: TerminalUse): Promise<void> {
    if (this.#call) throw busy(undefined);
    this.#call = call;
    if (session) this.#life.beginAt(session.cwd, session.env);
    try {
      await this.#ensure();
    } catch (error) {
      this.#call = undefined;
      throw error;
    }
  }

  /** A shell at its prompt, or one with a program in the foreground. */
  async #ensure(): Promise<void> {
    await this.#life.settled();
    await this.#life.ensure();
    this.#told.begin(this.#life.state);
  }

  #show(bytes: Buffer, isOutput: boolean): void {
    this.#screen.write(bytes);
    this.#recent.push(bytes);
    for (const watcher of this.#watchers) watcher(bytes);
    if (!isOutput) return;
    this.#call?.push(bytes);
    for (const call of this.#beside) call.push(bytes);
  }

  #onRestart(exitCode: number): void {
    this.#foreground.forget();
    this.#restarted = true;
    this.#options.onEvent?.({ type: "restarted", exitCode });
    if (!this.#call && this.#watchers.size > 0) void this.#life.ensure().catch(() => {});
  }

  async #answer(options: TerminalUse, { touchesModes = false, mayAnswerEarly = (): boolean => false } = {}): Promise<TerminalAnswer> {
    const call = this.#call;
    if (!call) throw closedFailure();
    const life = this.#life;
    try {
      const outcome = await settleCall(
        { life, foreground: this.#foreground, hidden: this.#hidden, options: this.#options, hide: (text) => this.#hide(text) },
        call,
        options,
      );
      // What a program left unread may start another command at the prompt: that one is no part of this call.
      const { end } = call;
      const isEarly = end?.kind === "prompt" && mayAnswerEarly();
      if (end && !isEarly) await this.#comeBack(end.exitCode, touchesModes);
      const answer = this.#report(call, options, { ...outcome, ...(end ? { end } : {}) }, isEarly);
      // Of a shell that was killed the last bytes may be lost, and with them that the command began.
      if (end?.kind === "gone" && !call.started && end.exitCode < 128 && !options.signal.aborted) throw notRun();
      return answer;
    } finally {
      if (this.#call === call) this.#call = undefined;
    }
  }

  /** The prompt stands, its state is written, and the terminal's modes are as they should be. */
  async #comeBack(exitCode: number, touchesModes: boolean): Promise<void> {
    if (this.#life.isClosed) return;
    await this.#ensure();
    if ((touchesModes || exitCode >= 128) && this.#life.shell) await makeSane(this.#life.shell.terminal);
  }

  #report(
    call: TerminalCall,
    { session }: TerminalUse,
    { waiting, timedOut, end }: Outcome & { readonly end?: CallEnd },
    isEarly = false,
  ): TerminalAnswer {
    const { text, omitted, total } = call.output.finish();
    const carried = this.#told.take(isEarly ? undefined : this.#life.state, session);
    const takenOver = this.#takenOver;
    const restarted = this.#restarted;
    this.#takenOver = false;
    this.#restarted = false;
    return {
      output: this.#hide(text),
      cwd: this.#life.cwd,
      ...(end ? { exitCode: end.exitCode } : {}),
      ...(waiting ? { waiting: waiting.kind, program: waiting.program } : {}),
      ...(timedOut ? { timedOut } : {}),
      ...(restarted ? { restarted } : {}),
      ...(takenOver ? { takenOver } : {}),
      ...(carried ? { carried } : {}),
      ...(omitted > 0 ? { omittedBytes: omitted, totalBytes: total } : {}),
    };
  }

  #hide(text: string): string {
    const shown = this.#life.shell?.files.hide(text) ?? text;
    return this.#hidden.hide(shown);
  }
}
