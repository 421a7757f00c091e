/**
 * Named pipes for the output of commands. Node's own "pipe" is a socket, and a socket cannot be opened
 * again through /dev/stdout or /dev/stderr, which many scripts do. One `mkfifo` makes a whole batch,
 * so a command pays nothing for it. Where there is no `mkfifo`, commands get Node's pipes.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, mkdtempSync, openSync, rmSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);
const batchSize = 64;

/** The two ends: `writeFd` goes to the child and is closed here after the start. */
export interface Pipe {
  readonly writeFd: number;
  readonly reader: Socket;
}

export class FifoPool {
  #directory: string | undefined;
  #ready: string[] = [];
  #refilling: Promise<void> | undefined;
  #unavailable = false;

  /** `undefined` where named pipes cannot be made. */
  async take(): Promise<Pipe | undefined> {
    while (!this.#unavailable) {
      const path = this.#ready.pop();
      if (path !== undefined) return open(path);
      this.#refilling ??= this.#refill().finally(() => {
        this.#refilling = undefined;
      });
      await this.#refilling;
    }
    return undefined;
  }

  close(): void {
    this.#unavailable = true;
    this.#ready = [];
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #refill(): Promise<void> {
    try {
      this.#directory ??= mkdtempSync(join(tmpdir(), "karyi-pipes-"));
      const directory = this.#directory;
      const paths = Array.from({ length: batchSize }, () => join(directory, randomBytes(8).toString("hex")));
      await execute("mkfifo", ["-m", "600", ...paths]);
      this.#ready.push(...paths);
    } catch {
      this.#unavailable = true;
    }
  }
}

function open(path: string): Pipe {
  // Without O_NONBLOCK opening the reading end would wait for a writer.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const writeFd = openSync(path, constants.O_WRONLY);
    unlinkSync(path);
    return { writeFd, reader: new Socket({ fd: readFd, readable: true, writable: false }) };
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
