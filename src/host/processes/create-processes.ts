/** The process port: runs bash text in its own process group, in a PID namespace where there is one. */
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { type Processes, type ShellOutcome, type ShellRequest, ToolFailure } from "../../contract/index.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { containment } from "./containment.ts";
import { baseEnvironment } from "./environment.ts";
import { FifoPool } from "./fifo-pool.ts";
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

  processes(background: BackgroundTasks): Processes {
    const run = (request: ShellRequest) => this.run(request);
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
    const { ended, env, kind } = await this.#supervise(request);
    const state = parseState(ended.report);
    return {
      exitCode: ended.exitCode,
      signal: ended.signal,
      timedOut: ended.timedOut,
      cancelled: ended.cancelled,
      durationMs: ended.durationMs,
      tier: "E5",
      containment: kind,
      ...(state === undefined ? {} : { cwd: state.cwd, env: { ...request.env, ...changedEnvironment(env, state.env) } }),
    };
  }

  async #supervise(request: ShellRequest): Promise<{ ended: Ended; env: Record<string, string>; kind: "namespace" | "group" }> {
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

async function which(program: string, path: string, cwd: string): Promise<string | undefined> {
  if (program.includes("/")) return (await executable(resolve(cwd, program))) ? resolve(cwd, program) : undefined;
  for (const directory of path.split(delimiter)) {
    // An empty or relative entry means the working directory: whatever lies there answers to the name.
    const base = directory === "" ? cwd : isAbsolute(directory) ? directory : resolve(cwd, directory);
    if (await executable(join(base, program))) return join(base, program);
  }
  return undefined;
}

async function executable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
