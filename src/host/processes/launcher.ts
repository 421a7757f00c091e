/**
 * Starts commands through a small process of its own. To start a program a process is copied first, and copying a large one
 * (an engine with its caches: 10 ms and more) stops everything it does; the launcher is small, waits beside Karyi and
 * takes orders. It also ends what it started when Karyi is killed. Where it cannot run, or no longer answers,
 * there is none, and commands are started directly.
 */
import type { Readable, Writable } from "node:stream";
import { type ChildProcess, spawn } from "../spawn.ts";
import type { FifoPool } from "./fifo-pool.ts";
import { hideText } from "./hidden-file.ts";
import { type LaunchNews, type LaunchOrder, launcherText } from "./launcher-program.ts";
import { type Exit, type Start, type Started, startedWith } from "./starting.ts";
import { markText } from "./state-report.ts";

/** Starting a program takes milliseconds: whoever needs so long will not answer at all. */
const answerMs = 20_000;

interface Pending {
  started(pid: number): void;
  failed(error: NodeJS.ErrnoException): void;
  ended(exit: Exit): void;
}

export class Launcher {
  readonly #child: ChildProcess;
  readonly #orders: Writable;
  readonly #pipes: FifoPool;
  readonly #pending = new Map<number, Pending>();
  readonly #ready: Promise<void>;
  #alive = true;
  #isReady = false;
  #next = 0;
  #rest = "";

  constructor(pipes: FifoPool, initFd: number) {
    this.#pipes = pipes;
    // No variable of Karyi's surroundings reaches it: what a command gets is in its order.
    this.#child = spawn(process.execPath, ["--max-semi-space-size=1", "-e", launcherText()], {
      cwd: "/",
      env: {},
      ownGroup: true,
      stdio: ["pipe", "pipe", "ignore", "ignore", initFd],
    });
    const news = this.#child.stdout as Readable;
    this.#orders = this.#child.stdin as Writable;
    this.#ready = new Promise((resolve) => {
      const timer = setTimeout(() => this.close(), answerMs);
      timer.unref();
      const settle = (usable: boolean) => {
        clearTimeout(timer);
        this.#isReady = usable;
        resolve();
      };
      news.setEncoding("utf8");
      news.on("data", (text: string) => this.#read(text, () => settle(true)));
      const gone = () => {
        settle(false);
        this.#gone();
      };
      this.#child.once("error", gone);
      this.#child.once("exit", gone);
      this.#orders.once("error", gone);
    });
    // It must not keep Karyi alive: while a command runs, the streams of that command do.
    this.#child.unref();
    for (const stream of [news, this.#orders] as { unref?(): void }[]) stream.unref?.();
  }

  /** Whoever waits for it keeps Karyi alive, or Karyi would be over in the middle of its work. */
  async untilReady(): Promise<void> {
    this.#child.ref();
    await this.#ready;
    this.#child.unref();
  }

  /** Not before it is ready, and not after it died. */
  get usable(): boolean {
    return this.#alive && this.#isReady;
  }

  get dead(): boolean {
    return !this.#alive;
  }

  async start({ argv, cwd, env, hidden, mark }: Start): Promise<Started> {
    const pipes = await this.#pipes.take(3);
    if (pipes === undefined || !this.usable) throw new Error("no launcher");
    const file = hidden === undefined ? undefined : hideText(hidden);
    const id = this.#next++;
    let pending: Pending | undefined;
    let timer: NodeJS.Timeout | undefined;
    const exit = new Promise<Exit>((ended) => {
      pending = { ended, started: () => {}, failed: () => {} };
    });
    try {
      const pid = await new Promise<number>((started, failed) => {
        if (pending) this.#pending.set(id, { ...pending, started, failed });
        timer = setTimeout(() => this.close(), answerMs);
        const paths = pipes.map(({ path }) => path);
        const order: LaunchOrder = { id, argv, cwd, env, mark: markText(mark), paths, ...(file ? { hidden: file.path } : {}) };
        this.#orders.write(`${JSON.stringify(order)}\n`);
      });
      return startedWith(
        pid,
        exit,
        pipes.map(({ reader }) => reader),
      );
    } catch (error) {
      for (const { reader } of pipes) reader.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      for (const pipe of pipes) pipe.handedOver();
      file?.remove();
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
    for (const line of lines) this.#hear(JSON.parse(line) as LaunchNews, onReady);
  }

  #hear(news: LaunchNews, onReady: () => void): void {
    if (news.kind === "ready") return onReady();
    const pending = this.#pending.get(news.id);
    if (news.kind === "started") pending?.started(news.pid);
    else {
      this.#pending.delete(news.id);
      if (news.kind === "failed") pending?.failed(Object.assign(new Error(news.message), { code: news.code }));
      else pending?.ended(news);
    }
  }

  /** Nobody will tell any more how those commands end: they are ended by their group, as after a kill. */
  #gone(): void {
    this.#alive = false;
    for (const { failed, ended } of this.#pending.values()) {
      failed(new Error("the launcher ended"));
      ended({ exitCode: null, signal: "SIGKILL" });
    }
    this.#pending.clear();
  }
}
