/**
 * The terminal of a session (B8): one persistent shell on a pty. Runs commands and hands over what is typed,
 * and answers when the command ended, waits for somebody to type, or took too long; a shell that ended is
 * replaced by a new one with the same directory and variables. One call at a time. A password comes from a
 * person through `askSecret` or not at all, and is hidden wherever it would be shown again.
 */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { type TerminalAnswer, type TerminalState, type Terminals, type TerminalUse, ToolFailure } from "../../contract/index.ts";
import { TerminalCall } from "./call.ts";
import { busy, changed, closedFailure, notStarted } from "./failures.ts";
import { ForegroundWatch, firstLookMs } from "./foreground-watch.ts";
import { HiddenText } from "./hidden-text.ts";
import { makeSane } from "./line-discipline.ts";
import { LiveShell } from "./live-shell.ts";
import type { Mark } from "./marks.ts";
import { RecentBytes } from "./recent-bytes.ts";
import type { SessionTerminal, TerminalOptions } from "./terminal-types.ts";
import { ToldState } from "./told-state.ts";
import { VirtualScreen } from "./vt/virtual-screen.ts";
import type { Waiting } from "./wait-detector.ts";

const startMs = 20_000;
const slowestLookMs = 200;
const interruptMs = 1_000;
const maxSecrets = 3;
/** End of line, then kill the line: whatever stands at the prompt is gone. */
const clearLine = "\x05\x15";

const lineEnd = /\r\n|[\r\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys that a shell answers without a line end
const endsShellInput = /[\x03\x04]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: cursor keys as a terminal sends them
const plainArrow = /^\x1b\[[ABCDHF]$/;

export function createTerminal(options: TerminalOptions): SessionTerminal {
  return new Terminal(options);
}

interface Outcome {
  readonly waiting?: Waiting;
  readonly timedOut?: boolean;
}

class Terminal implements SessionTerminal {
  readonly #options: TerminalOptions;
  readonly #screen: VirtualScreen;
  readonly #foreground: ForegroundWatch;
  readonly #recent = new RecentBytes();
  readonly #watchers = new Set<(bytes: Uint8Array) => void>();
  readonly #hidden = new HiddenText();
  readonly #told = new ToldState();
  #shell: LiveShell | undefined;
  #starting: Promise<LiveShell> | undefined;
  #ready: ((problem?: Error) => void) | undefined;
  /** There was a shell before: the next one goes on where it ended. */
  #began = false;
  #idle = false;
  #cwd: string;
  #env: Readonly<Record<string, string>>;
  #call: TerminalCall | undefined;
  /** The command to show in place of the line that runs it. */
  #echo: string | undefined;
  /** What a program did not read of it may stand at the next prompt. */
  #typedSince = false;
  #takenOver = false;
  #epoch = 0;
  #restarted = false;
  #closed = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#env = options.env;
    this.#screen = new VirtualScreen(options.rows ?? 24, options.columns ?? 80, (text) => {
      if (!this.#idle) this.#type(text);
    });
    this.#foreground = new ForegroundWatch(this.#screen);
  }

  async peek(): Promise<TerminalState> {
    if (!this.#shell) return { state: "absent", cwd: this.#cwd, epoch: this.#epoch };
    if (this.#idle) {
      const state = this.#shell.state();
      return { state: "idle", cwd: this.#cwd, epoch: this.#epoch, ...(state ? { env: state.env, defined: state.defined } : {}) };
    }
    if (!this.#call) await this.#detect(this.#foreground.waiting ? 400 : 250);
    if (this.#idle || !this.#shell) return this.peek();
    const { kind, program } = this.#foreground.waiting ?? {};
    return {
      state: kind ? "waiting" : "running",
      cwd: this.#cwd,
      epoch: this.#epoch,
      ...(kind ? { waiting: kind } : {}),
      ...(program ? { program } : {}),
    };
  }

  async run(command: string, options: Parameters<Terminals["run"]>[1]): Promise<TerminalAnswer> {
    if (command.includes("\0")) throw new ToolFailure("invalid_tool_input", "A command cannot hold a NUL character.");
    const shell = await this.#begin(new TerminalCall(true, (text) => options.onOutput(this.#hide(text))), options);
    if (!this.#idle || (options.epoch ?? this.#epoch) !== this.#epoch) {
      this.#call = undefined;
      throw this.#idle ? changed("idle") : busy(this.#foreground.waiting);
    }
    this.#epoch += 1;
    this.#screen.addressed = false;
    this.#echo = command;
    const line = shell.files.prepare(command, options.secrets);
    this.#hidden.add(Object.values(options.secrets ?? {}));
    // Where nothing was typed since the last command, nothing can stand at the prompt.
    shell.write(`${this.#typedSince ? clearLine : ""}${line}\n`);
    this.#typedSince = false;
    return this.#answer(options, /\bstty\b/.test(command));
  }

  async input(text: string, options: Parameters<Terminals["input"]>[1]): Promise<TerminalAnswer> {
    const call = new TerminalCall(false);
    await this.#begin(call, options);
    const { expect } = options;
    if (!this.#idle) await this.#detect(expect?.state === "running" ? 0 : 300);
    const state = this.#idle ? "idle" : this.#foreground.waiting ? "waiting" : "running";
    const waiting = state === "waiting" ? this.#foreground.waiting?.kind : undefined;
    if (expect && (expect.state !== state || expect.waiting !== waiting || (expect.epoch ?? this.#epoch) !== this.#epoch)) {
      this.#call = undefined;
      throw changed(state);
    }
    this.#epoch += 1;
    if (options.secret) this.#hidden.add([text.replace(/[\r\n]+$/, "")]);
    this.#foreground.typed();
    if (this.#idle) {
      for (let tries = 0; tries < 20 && this.#idle && !this.#foreground.atPrompt(); tries++) await call.ended(10);
      this.#type(clearLine + text);
      call.lines = text.split(lineEnd).length - 1;
      if (call.lines > 0 || endsShellInput.test(text)) return this.#answer(options, false);
      // Without a line end nothing starts: it stands at the prompt.
      await call.ended(60);
      this.#call = undefined;
      return this.#report(call, options, {});
    }
    const arrow = this.#screen.applicationCursor && plainArrow.test(text);
    this.#type(arrow ? text.replace("[", "O") : text);
    return this.#answer(options, false);
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
    void this.#ensure().catch(() => {});
    return () => this.#watchers.delete(onBytes);
  }

  type(bytes: Uint8Array): void {
    if (!this.#takenOver) this.#options.onEvent?.({ type: "taken_over" });
    this.#takenOver = true;
    this.#epoch += 1;
    this.#hidden.typed(Buffer.from(bytes).toString("utf8"), this.#foreground.waiting?.kind === "password");
    this.#foreground.typed();
    this.#type(Buffer.from(bytes).toString("utf8"));
  }

  resize(rows: number, columns: number): void {
    if (rows < 2 || columns < 2 || rows > 1000 || columns > 1000) return;
    this.#screen.resize(rows, columns);
    this.#shell?.resize(rows, columns);
  }

  close(): void {
    this.#closed = true;
    const shell = this.#shell;
    this.#shell = undefined;
    this.#idle = false;
    shell?.dispose();
    this.#call?.finish({ kind: "gone", exitCode: 129 });
    this.#ready?.(closedFailure());
  }

  async #begin(call: TerminalCall, { session }: TerminalUse): Promise<LiveShell> {
    if (this.#call) throw busy(undefined);
    this.#call = call;
    if (session && !this.#began) {
      this.#cwd = session.cwd;
      this.#env = { ...this.#env, ...session.env };
    }
    try {
      return await this.#ensure();
    } catch (error) {
      this.#call = undefined;
      throw error;
    }
  }

  #ensure(): Promise<LiveShell> {
    if (this.#closed) return Promise.reject(closedFailure());
    if (this.#shell && !this.#starting) return Promise.resolve(this.#shell);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<LiveShell> {
    const cwd = [this.#cwd, this.#options.cwd, "/"].find((directory) => existsSync(directory)) ?? "/";
    this.#cwd = cwd;
    const shell = await LiveShell.start({
      cwd,
      env: this.#env,
      shell: this.#options.shell ?? "bash",
      screen: this.#screen,
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
    this.#foreground.follow(shell.pid, shell.terminal);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#ready = (problem) => (problem ? reject(problem) : resolve());
        timer = setTimeout(() => reject(notStarted()), startMs);
      });
    } catch (error) {
      this.#shell = undefined;
      shell.dispose();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#ready = undefined;
    }
    return shell;
  }

  #onBytes(bytes: Buffer): void {
    this.#foreground.printed();
    if (this.#echo !== undefined) return;
    this.#show(bytes);
    if (!this.#ready) this.#call?.push(bytes);
  }

  #show(bytes: Buffer): void {
    this.#screen.write(bytes);
    this.#recent.push(bytes);
    for (const watcher of this.#watchers) watcher(bytes);
  }

  #onMark(mark: Mark): void {
    this.#foreground.printed();
    if (!this.#ready) this.#epoch += 1;
    if (mark.kind === "start") {
      this.#idle = false;
      if (this.#echo !== undefined) {
        const shown = this.#echo.length > 2_000 ? `${this.#echo.slice(0, 2_000)}…` : this.#echo;
        this.#echo = undefined;
        const prompt = this.#screen.column === 0 ? `${basename(this.#cwd)}$ ` : "";
        this.#show(Buffer.from(`${prompt}${shown.replace(/\n+$/, "").replaceAll("\n", "\r\n")}\r\n`));
      }
      this.#call?.start();
      return;
    }
    if (this.#screen.alternate) this.#show(Buffer.from("\x1b[?1049l\x1b[?25h\x1b[m"));
    this.#screen.endProgram();
    this.#cwd = mark.cwd ?? this.#shell?.cwd() ?? this.#cwd;
    // A prompt that was on its way before the command began is not the command's end.
    if (this.#echo !== undefined) return;
    this.#idle = true;
    this.#foreground.forget();
    this.#hidden.endTyping();
    this.#shell?.files.forget();
    // The first prompt of a shell ends no command.
    if (this.#ready) {
      this.#began = true;
      this.#told.begin(this.#shell?.state());
      this.#ready();
    } else this.#call?.finish({ kind: "prompt", exitCode: mark.exitCode });
  }

  #onExit(exitCode: number): void {
    const shell = this.#shell;
    if (!shell) return;
    const state = shell.state();
    if (state) {
      this.#env = { ...state.env };
      this.#cwd = state.cwd ?? this.#cwd;
    }
    this.#shell = undefined;
    this.#idle = false;
    this.#echo = undefined;
    this.#foreground.forget();
    shell.dispose();
    if (this.#ready) {
      this.#ready(notStarted());
      return;
    }
    this.#restarted = true;
    this.#epoch += 1;
    this.#options.onEvent?.({ type: "restarted", exitCode });
    if (this.#call) this.#call.finish({ kind: "gone", exitCode });
    else if (this.#watchers.size > 0) void this.#ensure().catch(() => {});
  }

  #type(text: string): void {
    this.#typedSince = true;
    this.#shell?.write(text);
  }

  #detect(withinMs: number): Promise<Waiting | undefined> {
    return this.#foreground.detect(withinMs, () => this.#idle || !this.#shell);
  }

  async #answer(options: TerminalUse, touchesModes: boolean): Promise<TerminalAnswer> {
    const call = this.#call;
    if (!call) throw closedFailure();
    const wake = () => call.wake();
    options.signal.addEventListener("abort", wake, { once: true });
    try {
      const outcome = await this.#settle(call, Date.now() + options.timeoutMs, options);
      if (call.end && (touchesModes || call.end.exitCode >= 128) && this.#shell) await makeSane(this.#shell.terminal);
      if (call.end?.kind === "gone" && !this.#closed) await this.#ensure();
      return this.#report(call, options, outcome);
    } finally {
      options.signal.removeEventListener("abort", wake);
      if (this.#call === call) this.#call = undefined;
    }
  }

  async #settle(call: TerminalCall, deadline: number, { signal, callId }: TerminalUse): Promise<Outcome> {
    let asked = 0;
    let until = deadline;
    let pauseMs = firstLookMs;
    while (!call.end || (await this.#goesOn(call))) {
      if (signal.aborted) return this.#interrupt(call);
      if (Date.now() >= until) return { timedOut: true };
      await call.ended(Math.min(pauseMs, until - Date.now()));
      if (call.end || signal.aborted || !call.started) continue;
      pauseMs = Math.min(slowestLookMs, pauseMs * 1.3);
      if (this.#foreground.justPrinted) pauseMs = firstLookMs;
      const waiting = await this.#foreground.look();
      if (!waiting || call.end || this.#idle) continue;
      this.#foreground.waiting = waiting;
      if (waiting.kind === "password" && this.#options.askSecret && asked < maxSecrets) {
        const askedAt = Date.now();
        asked += 1;
        const secret = await this.#options.askSecret(waiting.question, signal);
        until += Date.now() - askedAt;
        if (secret !== undefined && !call.end && !signal.aborted && (await this.#stillAsks(waiting))) {
          this.#hidden.add([secret]);
          this.#foreground.typed(waiting.reader);
          this.#type(`${secret}\n`);
          pauseMs = firstLookMs;
          continue;
        }
        if (call.end) continue;
      }
      this.#options.onEvent?.({
        type: "input_required",
        kind: waiting.kind,
        program: waiting.program,
        question: this.#hide(waiting.question),
        ...(callId === undefined ? {} : { callId }),
      });
      return { waiting };
    }
    return {};
  }

  /** Several lines typed at a prompt run one after the other. */
  async #goesOn(call: TerminalCall): Promise<boolean> {
    if (call.lines < 2 || call.end?.kind !== "prompt") return false;
    call.lines -= 1;
    await new Promise((resolve) => setTimeout(resolve, 80));
    return !call.end;
  }

  /** Before a secret is typed: the same program still hides what is typed; a shell prompt would show and run it. */
  async #stillAsks(asked: Waiting): Promise<boolean> {
    this.#foreground.waiting = undefined;
    const now = await this.#detect(500);
    return !this.#idle && now?.kind === "password" && now.program === asked.program;
  }

  /** A cancelled call leaves nothing of its program running. */
  async #interrupt(call: TerminalCall): Promise<Record<string, never>> {
    this.#type("\x03");
    await call.ended(interruptMs);
    if (!call.end && this.#shell) {
      this.#shell.endGroup(this.#foreground.group());
      await call.ended(interruptMs);
    }
    return {};
  }

  #report(call: TerminalCall, { session }: TerminalUse, { waiting, timedOut }: Outcome): TerminalAnswer {
    const { text, omitted, total } = call.output.finish();
    const carried = this.#idle ? this.#told.take(this.#shell?.state(), session) : undefined;
    const takenOver = this.#takenOver;
    const restarted = this.#restarted;
    this.#takenOver = false;
    this.#restarted = false;
    return {
      output: this.#hide(text),
      cwd: this.#cwd,
      ...(call.end ? { exitCode: call.end.exitCode } : {}),
      ...(waiting ? { waiting: waiting.kind, program: waiting.program } : {}),
      ...(timedOut ? { timedOut } : {}),
      ...(restarted ? { restarted } : {}),
      ...(takenOver ? { takenOver } : {}),
      ...(carried ? { carried } : {}),
      ...(omitted > 0 ? { omittedBytes: omitted, totalBytes: total } : {}),
    };
  }

  #hide(text: string): string {
    const shown = this.#shell?.files.hide(text) ?? text;
    return this.#hidden.hide(shown);
  }
}
