/**
 * Named pipes for the output of commands. Node's own "pipe" is a socket, and a socket cannot be opened
 * again through /dev/stdout or /dev/stderr, which many scripts do. One `mkfifo` makes a whole batch, before it
 * is needed, so a command pays nothing for it. Where there is no `mkfifo`, commands get Node's pipes.
 * A pipe serves one command and loses its name when that has begun: no other can write into it.
 */
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { outputOf, plainEnvironment } from "../spawn.ts";
import { makePrivateDirectory } from "./private-directory.ts";

/** A process that runs one command needs few; one that runs many should seldom have to make them. */
const firstBatch = 24;
const batchSize = 192;
/** Below this, more are made while the rest is used. */
const lowMark = 12;

export interface Pipe {
  /** Where whoever starts the command opens the writing end. */
  readonly path: string;
  readonly reader: Socket;
  /** The command has its end: from now on the pipe ends when the last writer does. */
  handedOver(): void;
}

export class FifoPool {
  #directory: string | undefined;
  #ready: string[] = [];
  #made = 0;
  #refilling: Promise<void> | undefined;
  #unavailable = false;

  /** `undefined` where named pipes cannot be made. */
  async take(count: number): Promise<Pipe[] | undefined> {
    while (!this.#unavailable && this.#ready.length < count) await this.#refill();
    if (this.#unavailable) return undefined;
    const paths = this.#ready.splice(-count);
    if (this.#ready.length < lowMark) void this.#refill();
    return paths.map(open);
  }

  /** Whether there are named pipes here at all. */
  async available(): Promise<boolean> {
    if (this.#made === 0) await this.#refill();
    return !this.#unavailable;
  }

  /** The directory that all of them lie in; `undefined` where there are none. */
  async directory(): Promise<string | undefined> {
    return (await this.available()) ? this.#directory : undefined;
  }

  close(): void {
    this.#unavailable = true;
    this.#ready = [];
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  #refill(): Promise<void> {
    this.#refilling ??= this.#make().finally(() => {
      this.#refilling = undefined;
    });
    return this.#refilling;
  }

  async #make(): Promise<void> {
    try {
      this.#directory ??= makePrivateDirectory();
      const directory = this.#directory;
      const length = this.#made === 0 ? firstBatch : batchSize;
      const paths = Array.from({ length }, () => join(directory, `${this.#made++}`));
      await outputOf("mkfifo", ["-m", "600", ...paths], { env: plainEnvironment() });
      if (this.#unavailable) rmSync(directory, { recursive: true, force: true });
      else this.#ready.push(...paths);
    } catch {
      this.#unavailable = true;
    }
  }
}

function open(path: string): Pipe {
  // Without O_NONBLOCK opening the reading end would wait for a writer.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let held: number | undefined;
  try {
    // Until the command has its end, a writer here keeps the pipe from looking finished.
    held = openSync(path, constants.O_WRONLY);
    const reader = new Socket({ fd: readFd, readable: true, writable: false });
    return {
      path,
      reader,
      handedOver: () => {
        if (held === undefined) return;
        closeSync(held);
        held = undefined;
        rmSync(path, { force: true });
      },
    };
  } catch (error) {
    closeSync(readFd);
    if (held !== undefined) closeSync(held);
    throw error;
  }
}
