/** What of a shell's state its session was told already, and what it should be told next: only what changed since. */
import type { TerminalChanges, TerminalUse } from "../../contract/index.ts";
import { carriedEnvironment } from "../processes/state-report.ts";
import type { ReportedState } from "./shell-state.ts";

export class ToldState {
  #told: ReportedState | undefined;

  /** A new shell begins with what its session knows. */
  begin(state: ReportedState | undefined): void {
    this.#told ??= state;
  }

  /** Told once. What somebody else changed in the session meanwhile stays as it is. */
  take(state: ReportedState | undefined, session: TerminalUse["session"]): TerminalChanges | undefined {
    const before = this.#told;
    if (before === undefined || state === undefined || state === before || session === undefined) return undefined;
    this.#told = state;
    const env = carriedEnvironment(session.env, before.env, state.env);
    const moved = state.cwd !== undefined && state.cwd !== before.cwd && state.cwd !== session.cwd;
    if (!moved && env === session.env) return undefined;
    return { ...(moved && state.cwd !== undefined ? { cwd: state.cwd } : {}), ...(env === session.env ? {} : { env }) };
  }
}
