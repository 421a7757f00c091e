/** The process port: runs bash text in its own process group, in a PID namespace where there is one. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { type Processes, type ShellOutcome, type ShellRequest, ToolFailure } from "../../contract/index.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { containment } from "./containment.ts";
import { baseEnvironment } from "./environment.ts";
import { FifoPool } from "./fifo-pool.ts";
import { KeptOutput } from "./kept-output.ts";
import { changedEnvironment, closeInit, initFd, marker, newMark, openInit, parseState } from "./state-report.ts";
import { type Ended, supervise } from "./supervise.ts";

/** What all sessions of an engine share. */
export class ProcessRoom {
  readonly #pipes = new FifoPool();
  readonly #env: Readonly<Record<string, string>>;
  readonly #plain: boolean;
  #init: number | undefined;

  /** `plain` leaves the namespace out: for machines and benchmarks where a process group is enough. */
  constructor(env: Readonly<Record<string, string | undefined>>, plain = false) {
    this.#env = baseEnvironment(env);
    this.#plain = plain;
  }

  /** With a budget, a foreground command that takes longer goes on in the background. */
  processes(background: BackgroundTasks, budgetMs?: number): Processes {
    const run = (request: ShellRequest) => (budgetMs === undefined ? this.run(request) : this.#runWithin(budgetMs, request, background));
    return {
      which: (program, env, cwd) => which(program, { ...this.#env, ...env }.PATH ?? "", cwd),
      tier: async () => "E5",
      run,
      rehearse: async () => {
        throw new ToolFailure("tool_disabled", "A dry run of a command needs an overlay, which this machine does not offer.", {
          details: { reason: "no_overlay" },
        });
      },
      background: async (request, title) =>
        background.start({
          title,
          run: async (signal, onOutput) =>
            this.#supervise({ ...request, signal, onOutput: (_, chunk) => onOutput(chunk) }).then(({ ended }) => ended),
        }),
    };
  }

  async run(request: ShellRequest): Promise<ShellOutcome> {
    return outcomeOf(await this.#supervise(request), request);
  }

  /** Starts in the foreground; at the end of the budget the running command becomes a task, output so far included. */
  async #runWithin(budgetMs: number, request: ShellRequest, background: BackgroundTasks): Promise<ShellOutcome> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    request.signal.addEventListener("abort", abort, { once: true });
    const kept = new KeptOutput();
    let handOn: ((chunk: Uint8Array) => void) | undefined;
    const running = this.#supervise({
      ...request,
      signal: stop.signal,
      onOutput: (stream, chunk) => {
        if (handOn) return handOn(chunk);
        kept.push(chunk);
        request.onOutput(stream, chunk);
      },
    });
    let timer: NodeJS.Timeout | undefined;
    const budget = new Promise<"over">((resolve) => {
      timer = setTimeout(() => resolve("over"), budgetMs);
    });
    const first = await Promise.race([running, budget]).finally(() => {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", abort);
    });
    if (first !== "over") return outcomeOf(first, request);
    const movedTo = background.start(
      {
        title: request.command,
        run: (signal, onOutput) => {
          handOn = onOutput;
          signal.addEventListener("abort", abort, { once: true });
          return running.then(({ ended }) => ended);
        },
      },
      kept,
    );
    const { kind } = await containment();
    return {
      exitCode: null,
      signal: null,
      timedOut: false,
      cancelled: false,
      durationMs: budgetMs,
      tier: "E5",
      containment: kind,
      movedTo,
    };
  }

  async #supervise(request: ShellRequest): Promise<Supervised> {
    const { kind, prefix } = this.#plain ? { kind: "group" as const, prefix: [] } : await containment();
    const mark = newMark();
    const env = { ...this.#env, ...request.env, ...request.secrets, BASH_ENV: `/dev/fd/${initFd}`, [marker]: mark };
    this.#init ??= openInit();
    try {
      const ended = await supervise({
        argv: [...prefix, "bash", "-c", request.command],
        cwd: request.cwd,
        env,
        initFd: this.#init,
        mark,
        contained: kind === "namespace",
        timeoutMs: request.timeoutMs,
        signal: request.signal,
        pipes: this.#pipes,
        onOutput: (stream, chunk) => request.onOutput(stream, chunk),
      });
      return { ended, env, kind };
    } catch (error) {
      throw startFailure(error as NodeJS.ErrnoException, request);
    }
  }

  close(): void {
    this.#pipes.close();
    if (this.#init !== undefined) closeInit(this.#init);
    this.#init = undefined;
  }
}

interface Supervised {
  readonly ended: Ended;
  readonly env: Readonly<Record<string, string>>;
  readonly kind: "namespace" | "group";
}

function outcomeOf({ ended, env, kind }: Supervised, request: ShellRequest): ShellOutcome {
  const { report, ...rest } = ended;
  const state = parseState(report);
  return {
    ...rest,
    tier: "E5",
    containment: kind,
    ...(state === undefined ? {} : { cwd: state.cwd, env: { ...request.env, ...changedEnvironment(env, state.env) } }),
  };
}

function startFailure(error: NodeJS.ErrnoException, { cwd }: ShellRequest): ToolFailure {
  if (error.code === "E2BIG")
    return new ToolFailure("invalid_tool_input", "The command is too long for the system.", {
      hint: "Write it to a file and run that.",
      details: { reason: "too_long" },
    });
  if (error.code === "ENOENT")
    return new ToolFailure("tool_error", `bash could not be started in ${cwd}.`, {
      hint: "Is bash installed, and does the directory still exist?",
      details: { reason: "not_started" },
      cause: error,
    });
  return new ToolFailure("tool_error", `The command could not be started: ${error.message}`, {
    details: { reason: "not_started" },
    cause: error,
  });
}

function which(program: string, path: string, cwd: string): string | undefined {
  if (program.includes("/")) return executable(resolve(cwd, program));
  for (const directory of path.split(delimiter)) {
    // An empty or relative entry means the working directory: whatever lies there answers to the name.
    const found = executable(join(directory === "" ? cwd : resolve(cwd, directory), program));
    if (found !== undefined) return found;
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
