/**
 * The client of a keeper: hands it worlds and commands, and hears how they end. A keeper is small and waits beside Karyi, so starting
 * a command copies no large process. If it dies, its commands are over; if it does not answer, it is ended, and they with it.
 */
import { closeSync, constants, openSync } from "node:fs";
import { constants as system } from "node:os";
import { basename } from "node:path";
import type { Readable, Writable } from "node:stream";
import { getSystemErrorName } from "node:util";
import type { FifoPool } from "../processes/fifo-pool.ts";
import { type Exit, type Start, type Started, startedWith } from "../processes/starting.ts";
import { program } from "../programs.ts";
import { type ChildProcess, spawn } from "../spawn.ts";
import { baseOrder, killOrder, runOrder, type Step } from "./keeper-order.ts";
import { keeperText } from "./keeper-program.ts";

/** Making a world takes milliseconds: whoever needs so long will not answer at all. */
const answerMs = 20_000;

interface Pending {
  started(pid: number): void;
  failed(error: NodeJS.ErrnoException): void;
  ended(exit: Exit): void;
  networkAttempts: number;
}

export class Keeper {
  readonly #child: ChildProcess;
  readonly #orders: Writable;
  readonly #pipes: FifoPool;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<void>;
  #alive = true;
  #why = "the keeper ended";
  #next = 0;
  #rest = "";

  private constructor(pipes: FifoPool, initFd: number, directoryFd: number, base: readonly Step[]) {
    this.#pipes = pipes;
    const text = keeperText();
    const perl = program("perl");
    if (text === undefined || perl === undefined) throw new Error("a keeper needs perl and a machine whose system calls are known");
    // No variable of Karyi's surroundings reaches it: what a command gets is in its order.
    this.#child = spawn(perl, ["-e", text, process.getuid?.() === 0 ? "1" : ""], {
      cwd: "/",
      env: {},
      ownGroup: true,
      stdio: ["pipe", "pipe", "ignore", directoryFd, initFd],
    });
    const news = this.#child.stdout as Readable;
    this.#orders = this.#child.stdin as Writable;
    this.#ready = new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(), answerMs);
      timer.unref();
      news.setEncoding("utf8");
      news.on("data", (heard: string) =>
        this.#read(heard, () => {
          clearTimeout(timer);
          resolve();
        }),
      );
      const gone = () => {
        clearTimeout(timer);
        this.#gone();
        reject(new Error(this.#why));
      };
      this.#child.once("error", gone);
      // What it said before its end is read first.
      this.#child.once("close", gone);
      this.#orders.once("error", () => this.close());
    });
    this.#ready.catch(() => {});
    this.#orders.write(baseOrder(base));
    // It must not keep Karyi alive: while a command runs, the streams of that command do.
    this.#child.unref();
    for (const stream of [news, this.#orders] as { unref?(): void }[]) stream.unref?.();
  }

  /** Rejects with what it said where it cannot do its work here. */
  static async open(pipes: FifoPool, initFd: number, base: readonly Step[]): Promise<Keeper> {
    const directory = await pipes.directory();
    if (directory === undefined) throw new Error("named pipes cannot be made");
    const fd = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      const keeper = new Keeper(pipes, initFd, fd, base);
      keeper.#child.ref();
      await keeper.#ready.finally(() => keeper.#child.unref());
      return keeper;
    } finally {
      closeSync(fd);
    }
  }

  get dead(): boolean {
    return !this.#alive;
  }

  async start({ argv, cwd, env, world }: Start): Promise<Started> {
    const pipes = await this.#pipes.take(3);
    if (pipes === undefined || world === undefined || !this.#alive) throw new Error(this.#why);
    const id = this.#next++;
    const timer = setTimeout(() => this.close(), answerMs);
    let failed: Pending["failed"] = () => {};
    let ended: Pending["ended"] = () => {};
    const exit = new Promise<Exit>((resolve, reject) => {
      ended = resolve;
      failed = reject;
    });
    // Whoever waits for the end hears of it there, and nowhere else.
    exit.catch(() => {});
    try {
      const pid = await new Promise<number>((started, notStarted) => {
        const pending: Pending = {
          started,
          failed: (error) => {
            notStarted(error);
            failed(error);
          },
          ended: (how) => ended({ ...how, networkAttempts: pending.networkAttempts }),
          networkAttempts: 0,
        };
        this.#pending.set(id, pending);
        this.#orders.write(runOrder({ id, pipes: pipes.map(({ path }) => basename(path)), world, cwd, argv, env }));
      });
      const signal = (name: NodeJS.Signals) => void (this.#alive && this.#orders.write(killOrder(id, system.signals[name])));
      const readers = pipes.map(({ reader }) => reader);
      return { ...startedWith(pid, exit, readers), signal };
    } catch (error) {
      for (const { reader } of pipes) reader.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      for (const pipe of pipes) pipe.handedOver();
    }
  }

  /** Ends it, and with it whatever it started and still runs. */
  close(): void {
    this.#alive = false;
    this.#orders.end();
    this.#child.kill("SIGKILL");
  }

  #read(text: string, onReady: () => void): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#hear(line, onReady);
  }

  #hear(line: string, onReady: () => void): void {
    const [kind, id, first = "", second = ""] = line.split(" ");
    if (kind === "ready") return onReady();
    if (kind === "broken") {
      this.#why = line.slice("broken !karyi-setup ".length);
      return;
    }
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return;
    if (kind === "started") pending.started(Number(first));
    else if (kind === "net") pending.networkAttempts = Number(first);
    else if (kind === "failed") pending.failed(systemError(Number(first)));
    else if (kind === "exit") {
      this.#pending.delete(Number(id));
      pending.ended(second === "0" ? { exitCode: Number(first), signal: null } : { exitCode: null, signal: signalName(Number(second)) });
    }
  }

  #gone(): void {
    this.#alive = false;
    for (const { failed } of this.#pending.values()) failed(new Error(this.#why));
    this.#pending.clear();
  }
}

function systemError(errno: number): NodeJS.ErrnoException {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error(`the command's shell could not be started: ${code}`), { code, errno });
}

function signalName(number: number): string {
  return Object.entries(system.signals).find(([, value]) => value === number)?.[0] ?? "SIGKILL";
}
