/**
 * One bash on one pseudo-terminal: starts it, tells its marks from its output, keeps the screen and the
 * recent raw bytes for people, and ends it with everything it started. Knows nothing of calls.
 */
import { randomBytes } from "node:crypto";
import { readlinkSync, readSync } from "node:fs";
import type { IPty } from "@lydell/node-pty";
import { guardMaster, openMasters } from "../../open-terminals.ts";
import { marker, newMark } from "../../processes/state-report.ts";
import { endMarked } from "../../processes/survivors.ts";
import type { VirtualScreen } from "../vt/virtual-screen.ts";
import { type Mark, MarkScanner } from "./marks.ts";
import { ShellFiles } from "./shell-files.ts";

export interface LiveShellOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: string;
  readonly screen: VirtualScreen;
  /** Output of programs, marks removed. */
  onBytes(bytes: Buffer): void;
  onMark(mark: Mark): void;
  onExit(exitCode: number): void;
}

export class LiveShell {
  readonly files: ShellFiles;
  readonly terminal: string;
  readonly #pty: IPty;
  readonly #mark: string;
  #ended = false;

  private constructor(pty: IPty, files: ShellFiles, mark: string, scanner: MarkScanner, options: LiveShellOptions) {
    this.#pty = pty;
    this.files = files;
    this.#mark = mark;
    this.terminal = nameOf(pty);
    const push = (data: Buffer): void =>
      scanner.push(
        data,
        // It may be ended in the middle of what it sent; the rest is nobody's.
        (bytes) => !this.#ended && options.onBytes(bytes),
        (found) => !this.#ended && options.onMark(found),
      );
    // The pty was opened for bytes, whatever its types say.
    pty.onData((data: string | Buffer) => push(typeof data === "string" ? Buffer.from(data) : data));
    whenReadingEnds(pty, () => push(unreadBytes(masterOf(pty))));
    pty.onExit(({ exitCode, signal }) => {
      if (this.#ended) return;
      this.#ended = true;
      options.onExit(signal ? 128 + signal : exitCode);
    });
  }

  static async start(options: LiveShellOptions): Promise<LiveShell> {
    const { spawn } = await import("@lydell/node-pty");
    const nonce = randomBytes(12).toString("hex");
    const files = new ShellFiles(nonce, openMasters());
    const mark = newMark();
    try {
      const pty = spawn(options.shell, ["--norc", "--noprofile", "-i"], {
        cwd: options.cwd,
        env: { ...options.env, PROMPT_COMMAND: files.start, [marker]: mark },
        name: options.env.TERM ?? "xterm-256color",
        rows: options.screen.rows,
        cols: options.screen.columns,
        encoding: null,
      });
      guardMaster(masterOf(pty));
      return new LiveShell(pty, files, mark, new MarkScanner(nonce), options);
    } catch (error) {
      files.remove();
      throw error;
    }
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Where the shell is, as the system sees it; for directories whose name cannot be printed. */
  cwd(): string | undefined {
    try {
      return readlinkSync(`/proc/${this.pid}/cwd`);
    } catch {
      return undefined;
    }
  }

  write(text: string): void {
    if (!this.#ended) this.#pty.write(text);
  }

  resize(rows: number, columns: number): void {
    if (!this.#ended) this.#pty.resize(columns, rows);
  }

  /** A shell that stopped itself goes on: nobody above it would wake it. */
  goOn(): void {
    try {
      process.kill(this.pid, "SIGCONT");
    } catch {
      // It ended by itself meanwhile.
    }
  }

  /** Ends the program in the foreground, or the shell where that is what runs. */
  endGroup(group: number): void {
    try {
      process.kill(group > 1 ? -group : this.pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }

  /** Ends the shell and everything it started, and removes its files. */
  dispose(): void {
    if (!this.#ended) {
      this.#ended = true;
      try {
        this.#pty.kill("SIGHUP");
        this.#pty.kill("SIGKILL");
      } catch {
        // Already gone.
      }
    }
    endMarked(this.#mark);
    this.files.remove();
  }
}

/** The device of the terminal; the library knows it and leaves it out of its types, as it does its own end. */
function nameOf(pty: IPty): string {
  const named: { readonly ptsName?: unknown } = pty as object;
  return typeof named.ptsName === "string" ? named.ptsName : "";
}

/** The library hands its stream's events on, and leaves that out of its types. */
function whenReadingEnds(pty: IPty, listener: () => void): void {
  const emitter: { on?(event: "end", listener: () => void): void } = pty as object;
  emitter.on?.("end", listener);
}

/**
 * What the last processes of a terminal printed and nobody read. libuv reports the end of its stream if one read brought less than
 * it could hold while the other side was closed; the kernel may hand over the rest only after that read.
 */
function unreadBytes(master: number): Buffer {
  const found: Buffer[] = [];
  // The system may have given the number to another file by now.
  if (!openMasters().includes(master)) return Buffer.alloc(0);
  const buffer = Buffer.alloc(65_536);
  try {
    for (;;) {
      const count = readSync(master, buffer);
      if (count === 0) break;
      found.push(Buffer.from(buffer.subarray(0, count)));
    }
  } catch {
    // EIO: everything was read.
  }
  return Buffer.concat(found);
}

function masterOf(pty: IPty): number {
  const opened: { readonly fd?: unknown } = pty as object;
  if (typeof opened.fd === "number") return opened.fd;
  // Unguarded, every program started here could type into it.
  pty.kill("SIGKILL");
  throw new Error("the library does not tell its end of the terminal");
}
