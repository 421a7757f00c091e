/**
 * What of a shell's state its session was told already, and what it should be told next: only what changed since. And the
 * session as this terminal last knew it, so that what somebody else changed there meanwhile can be told from it.
 */
import type { TerminalChanges, TerminalFollow, TerminalUse } from "../../../contract/index.ts";
import { carriedEnvironment } from "../../processes/state-report.ts";
import type { ReportedState } from "./shell-state.ts";

type KnownSession = NonNullable<TerminalUse["session"]>;

export class ToldState {
  #told: Pick<ReportedState, "cwd" | "env"> | undefined;
  #session: KnownSession | undefined;

  get session(): KnownSession | undefined {
    return this.#session;
  }

  /** A new shell begins with what its session knows. */
  begin(state: ReportedState | undefined): void {
    this.#told ??= state;
  }

  /** The shell is about to take over what its session has: that is nothing to tell. */
  follow({ cwd, env = {} }: TerminalFollow = {}): void {
    if (!this.#told || (cwd === undefined && Object.keys(env).length === 0)) return;
    const followed: Record<string, string> = { ...this.#told.env };
    for (const [name, value] of Object.entries(env)) {
      if (value === null) delete followed[name];
      else followed[name] = value;
    }
    this.#told = { cwd: cwd ?? this.#told.cwd, env: followed };
  }

  /** Told once. What somebody else changed in the session meanwhile stays as it is. */
  take(state: ReportedState | undefined, session: KnownSession | undefined): TerminalChanges | undefined {
    if (session === undefined) return undefined;
    this.#session = { cwd: session.cwd, env: session.env };
    const before = this.#told;
    if (before === undefined || state === undefined || state === before) return undefined;
    this.#told = state;
    const { env } = carriedEnvironment(session.env, before.env, state.env);
    const moved = state.cwd !== undefined && state.cwd !== before.cwd && state.cwd !== session.cwd;
    this.#session = { cwd: moved && state.cwd !== undefined ? state.cwd : session.cwd, env };
    if (!moved && env === session.env) return undefined;
    return { ...(moved && state.cwd !== undefined ? { cwd: state.cwd } : {}), ...(env === session.env ? {} : { env }) };
  }
}
