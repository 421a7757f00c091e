/**
 * Who starts the next command: Karyi itself at first, the launcher once it is worth its start and ready. Owns what both need:
 * the pipes and the init text.
 */
import { closeSync } from "node:fs";
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

  close(): void {
    this.#closed = true;
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
