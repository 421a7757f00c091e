/**
 * Starting a command: what is asked for and what is there once it runs. This one starts it as a child of Karyi itself;
 * see `launcher.ts` for the one that does not stop the world while a large process is copied.
 */
import { closeSync, constants, openSync } from "node:fs";
import type { Readable } from "node:stream";
import type { KeptWorld } from "../sandbox/keeper-order.ts";
import { type ChildProcess, spawn } from "../spawn.ts";
import type { FifoPool } from "./fifo-pool.ts";
import { hideText } from "./hidden-file.ts";

export interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Every process of the command has it in its environment. */
  readonly mark: string;
  /** What stands before `argv` where nobody else ends the command when Karyi is killed. */
  readonly tether: readonly string[];
  /** Given to the command as descriptor 5, in a file without a name. */
  readonly hidden?: string;
  /** The world that a keeper makes for it. */
  readonly world?: KeptWorld;
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Where its world counted them. */
  readonly networkAttempts?: number;
}

/** A running command, leader of a process group of its own; descriptor 3 is `state`, 4 the init text. */
export interface Started {
  readonly pid: number;
  readonly exit: Promise<Exit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly state: Readable;
  /** Tells the command's group; without it whoever waits does so by `pid`. */
  signal?(name: NodeJS.Signals): void;
}

/** Rejects with the system's error where the command cannot be started. */
export type Starter = (start: Start) => Promise<Started>;

export function directStarter(pipes: FifoPool, initFd: () => number): Starter {
  return async ({ argv, tether, cwd, env, hidden }) => {
    const taken = await pipes.take(3);
    const file = hidden === undefined ? undefined : hideText(hidden);
    const opened: number[] = [];
    try {
      for (const { path } of taken ?? []) opened.push(openSync(path, constants.O_WRONLY));
      const streams = taken === undefined ? (["pipe", "pipe", "pipe"] as const) : [...opened];
      const extra = file === undefined ? [] : [openSync(file.path, constants.O_RDONLY)];
      opened.push(...extra);
      const [program = "", ...args] = [...tether, ...argv];
      const child = spawn(program, args, { cwd, env, ownGroup: true, stdio: ["ignore", ...streams, initFd(), ...extra] });
      const exit = exitOf(child);
      if (child.pid === undefined) await exit;
      return startedWith(child.pid ?? 0, exit, taken?.map(({ reader }) => reader) ?? nodePipes(child));
    } catch (error) {
      for (const { reader } of taken ?? []) reader.destroy();
      throw error;
    } finally {
      for (const fd of opened) closeSync(fd);
      for (const pipe of taken ?? []) pipe.handedOver();
      file?.remove();
    }
  };
}

export function startedWith(pid: number, exit: Promise<Exit>, [stdout, stderr, state]: readonly Readable[]): Started {
  if (!stdout || !stderr || !state) throw new Error("a command has three streams");
  return { pid, exit, stdout, stderr, state };
}

function nodePipes({ stdio: [, stdout, stderr, state] }: ChildProcess): Readable[] {
  return [stdout, stderr, state] as Readable[];
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
