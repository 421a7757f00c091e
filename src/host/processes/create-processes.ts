/** What all sessions of an engine share to run commands: who starts them, the environment they begin with, and the sandbox. */
import type { Processes, ShellOutcome, ShellRequest } from "../../contract/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import { baseEnvironment } from "./environment.ts";
import { type CommandConfinement, SessionProcesses } from "./session-processes.ts";
import { Starters } from "./starters.ts";

export interface ProcessRoomOptions extends CommandConfinement {
  /** Leaves the namespace out: for machines and benchmarks where a process group is enough. */
  readonly plain?: boolean;
  readonly sandbox?: Sandbox;
}

/** The part of the options that belongs to a session. */
export type SessionConfinement = Omit<CommandConfinement, "capture" | "require" | "maxLayerBytes">;

export class ProcessRoom {
  readonly #starters: Starters;
  readonly #env: Readonly<Record<string, string>>;
  readonly #options: ProcessRoomOptions;

  constructor(env: Readonly<Record<string, string | undefined>>, options: ProcessRoomOptions = {}, starters = new Starters()) {
    this.#env = baseEnvironment(env);
    this.#options = options;
    this.#starters = starters;
  }

  /** The same room under the policy of one session; `policy` may answer differently at each command. */
  under(policy: SessionConfinement): ProcessRoom {
    const { sandbox, capture, require, plain, maxLayerBytes } = this.#options;
    const fixed = Object.fromEntries(
      Object.entries({ sandbox, capture, require, plain, maxLayerBytes }).filter(([, value]) => value !== undefined),
    );
    return new ProcessRoom(this.#env, Object.assign(Object.create(policy), fixed), this.#starters);
  }

  /** With a budget, a foreground command that takes longer goes on in the background. `roots`: the workspace and further roots. */
  processes(background: BackgroundTasks, budgetMs?: number, roots: readonly string[] = []): Processes {
    return this.#session(roots, background, budgetMs);
  }

  run(request: ShellRequest, roots: readonly string[] = []): Promise<ShellOutcome> {
    return this.#session(roots).run(request);
  }

  /** For what never runs in a sandbox. */
  demandNoSandbox(what: string): void {
    this.#session([]).demandNoSandbox(what);
  }

  close(): void {
    this.#starters.close();
  }

  #session(roots: readonly string[], background?: BackgroundTasks, budgetMs?: number): SessionProcesses {
    const { plain = false, sandbox } = this.#options;
    const place = { starters: this.#starters, env: this.#env, plain, sandbox, roots, background, budgetMs };
    return new SessionProcesses(place, this.#options);
  }
}
