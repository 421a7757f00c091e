/**
 * The terminal of a session, wherever it lives. There is one: a process that needs it uses the one that is served already,
 * and otherwise either holds it itself (no process more, and it ends with this one) or has it kept by a process of
 * its own (for one that ends after a call). Looking at a terminal starts none.
 */
import { type Terminals, type TerminalUse, ToolFailure } from "../../../contract/index.ts";
import { closedFailure } from "../failures.ts";
import { joinTerminal } from "./attach-join.ts";
import type { Welcome } from "./attach-protocol.ts";
import { type ServedTerminal, serveTerminal } from "./attach-server.ts";
import { builtKeeper, type KeeperProgram, keeperLimits, startKeeper } from "./keeper.ts";
import type { KeeperLimits } from "./keeper-order.ts";
import { RemoteTerminal } from "./remote-terminal.ts";
import { absentTerminal, SharedTerminal, type ShellBeginning, type TerminalCaller } from "./shared-terminal.ts";

/** Where a terminal that is not there yet will live: in this process, or kept by one of its own. */
export type TerminalPlace = "own" | "kept" | { readonly program: KeeperProgram; readonly limits: KeeperLimits };

export interface ReachOptions {
  /** Of the session's socket. */
  readonly path: string;
  readonly place: TerminalPlace;
  readonly caller: TerminalCaller;
  /** What a new shell begins with, given what the call knows of its session. */
  begin(session: TerminalUse["session"]): ShellBeginning;
  log(message: string, cause?: unknown): void;
}

interface OwnTerminal {
  readonly terminal: SharedTerminal;
  readonly calls: Terminals;
  readonly served: ServedTerminal | undefined;
}

export class ReachedTerminal implements Terminals {
  readonly #options: ReachOptions;
  #own: OwnTerminal | undefined;
  #remote: RemoteTerminal | undefined;
  #opening: Promise<Terminals> | undefined;
  #closed = false;

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  peek: Terminals["peek"] = async () => (await this.#live())?.peek() ?? absentTerminal;
  screen: Terminals["screen"] = async () => (await this.#live())?.screen() ?? { lines: [], row: 0, column: 0 };
  run: Terminals["run"] = async (command, options) => (await this.#open(options.session)).run(command, options);
  input: Terminals["input"] = async (text, options) => (await this.#open(options.session)).input(text, options);

  /** Leaves it, and ends it where this process holds it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening?.catch(() => {});
    this.#remote?.close();
    await this.#endOwn();
  }

  async #live(): Promise<Terminals | undefined> {
    if (this.#opening) return this.#opening;
    if (this.#own) return this.#own.calls;
    if (this.#remote?.isLost) this.#remote = undefined;
    if (this.#closed) throw closedFailure();
    return this.#remote ?? (await this.#join());
  }

  async #join(): Promise<Terminals | undefined> {
    const joined = await RemoteTerminal.join(this.#options.path, this.#options.caller);
    // Of two that joined at once one is enough.
    if (this.#remote && !this.#remote.isLost) joined?.close();
    else this.#remote = joined;
    return this.#remote;
  }

  async #open(session: TerminalUse["session"]): Promise<Terminals> {
    const live = await this.#live();
    if (live) return live;
    this.#opening ??= this.#start(session).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #start(session: TerminalUse["session"]): Promise<Terminals> {
    const { place, path, begin } = this.#options;
    if (place === "own") return this.#hold(session);
    const { program, limits } = place === "kept" ? { program: builtKeeper, limits: keeperLimits } : place;
    await startKeeper(program, { path, shell: begin(session), limits });
    const joined = await this.#join();
    if (joined) return joined;
    throw new ToolFailure("tool_error", "The process that keeps the terminal ended at once.", { details: { reason: "not_started" } });
  }

  async #hold(session: TerminalUse["session"]): Promise<Terminals> {
    const { begin, caller, log, path } = this.#options;
    const terminal = new SharedTerminal(begin(session));
    let served: ServedTerminal | undefined;
    try {
      served = await serveTerminal(terminal, path, { kept: false, onCloseAsked: () => void this.#endOwn() });
    } catch (error) {
      if (error instanceof ToolFailure && error.details?.reason === "already_served") {
        const other = await this.#join();
        if (other) {
          terminal.close();
          return other;
        }
      }
      log("The terminal cannot be attached to", error);
    }
    const calls = terminal.of(caller);
    this.#own = { terminal, calls, served };
    return calls;
  }

  async #endOwn(): Promise<void> {
    const own = this.#own;
    this.#own = undefined;
    await (own?.served ? own.served.end() : own?.terminal.close());
  }
}

/** Who serves a terminal and what runs in it; `undefined` where nobody does. */
export async function lookAtTerminal(path: string): Promise<Welcome | undefined> {
  const joined = await joinTerminal(path, "look");
  joined?.end();
  return joined?.welcome;
}

/** Ends a terminal and everything in it, whoever serves it and whichever version that is; false where there was none. */
export async function endTerminal(path: string): Promise<boolean> {
  const joined = await joinTerminal(path, "close");
  await joined?.closed;
  return joined !== undefined;
}
