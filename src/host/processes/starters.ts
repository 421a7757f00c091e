/**
 * Who starts the next command: its session's keeper where that makes its world, else Karyi itself at first, and the launcher once it
 * is worth its start and ready. Owns what all of them need: the pipes and the init text.
 */
import { closeSync } from "node:fs";
import { Keeper } from "../sandbox/keeper.ts";
import type { KeptWorld } from "../sandbox/keeper-order.ts";
import { FifoPool } from "./fifo-pool.ts";
import { Launcher } from "./launcher.ts";
import { directStarter, type Starter } from "./starting.ts";
import { openInit } from "./state-report.ts";

/** A process that runs only a command or two is done before a launcher would be ready. */
const worthwhile = 3;
/** One that dies again and again is of no use here. */
const maxLaunchers = 3;

/** Inside another program that brings its own Node, the executable is that program. */
const isPlainNode = process.versions.electron === undefined && process.versions.bun === undefined;

export class Starters {
  readonly #pipes = new FifoPool();
  readonly #direct = directStarter(this.#pipes, () => this.#initFd());
  #init: number | undefined;
  #launcher: Launcher | undefined;
  readonly #keepers = new Map<string, Promise<Keeper>>();
  #launchers = 0;
  #taken = 0;
  #closed = false;

  /** `lasting`: the command outlives its call, so it must be ended even when Karyi is killed. */
  async take(lasting: boolean): Promise<Starter> {
    this.#taken += 1;
    if (!lasting && this.#taken < worthwhile) return this.#direct;
    const launcher = this.#launch();
    if (lasting) await launcher?.untilReady();
    return launcher?.usable === true && (await this.#pipes.available()) ? (start) => launcher.start(start) : this.#direct;
  }

  /** `session`: whose keeper it is; worlds of one session may share a network. */
  async kept(session: string, world: KeptWorld): Promise<Starter> {
    const known = this.#keepers.get(session);
    const keeper = await known?.catch(() => undefined);
    if (keeper?.dead === false) return (start) => keeper.start(start);
    // Another command may have opened one meanwhile.
    if (this.#keepers.get(session) !== known) return this.kept(session, world);
    if (this.#closed) throw new Error("commands are not started any more");
    const opening = Keeper.open(this.#pipes, this.#initFd(), world.base);
    this.#keepers.set(session, opening);
    const opened = await opening;
    if (this.#closed) opened.close();
    return (start) => opened.start(start);
  }

  close(): void {
    this.#closed = true;
    for (const keeper of this.#keepers.values())
      keeper.then(
        (running) => running.close(),
        () => {},
      );
    this.#keepers.clear();
    this.#launcher?.close();
    this.#pipes.close();
    if (this.#init !== undefined) closeSync(this.#init);
    this.#init = undefined;
  }

  #launch(): Launcher | undefined {
    if (this.#closed || (this.#launcher !== undefined && !this.#launcher.dead)) return this.#launcher;
    if (this.#launchers >= maxLaunchers || !isPlainNode) return undefined;
    this.#launchers += 1;
    this.#launcher = new Launcher(this.#pipes, this.#initFd());
    return this.#launcher;
  }

  #initFd(): number {
    this.#init ??= openInit();
    return this.#init;
  }
}
