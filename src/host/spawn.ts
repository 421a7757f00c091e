/**
 * Owns the start of every child process of this process, and the signals to their groups. A child gets exactly the environment
 * that `spawn` is handed. It gets only the descriptors named in `stdio`: a terminal's master, which lacks close-on-exec, is shut out.
 * Refuses nothing else: `processes` and `sandbox` decide whether and how confined a program runs.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn as start } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { withoutMasters } from "./open-terminals.ts";

export type { ChildProcess } from "node:child_process";

type Descriptor = "pipe" | "ignore" | "inherit" | number;

type StreamOf<Kind, Stream> = Kind extends "pipe" ? Stream : null;

/** A child whose first three descriptors have the types that `stdio` asked for. */
export type Child<Stdio extends readonly unknown[]> = ChildProcessByStdio<
  StreamOf<Stdio[0], Writable>,
  StreamOf<Stdio[1], Readable>,
  StreamOf<Stdio[2], Readable>
>;

type Environment = Readonly<Record<string, string | undefined>>;

interface SpawnOptions<Stdio extends readonly Descriptor[]> {
  /** The whole environment: nothing of this process's own is added. */
  readonly env: Environment;
  readonly stdio: Stdio;
  readonly cwd?: string;
  /** True if the child leads a process group and session of its own, so `signalGroup` reaches all that stays in it. */
  readonly ownGroup?: boolean;
}

/** The child's `error` event says that it could not be started; then its `pid` is `undefined`. */
export function spawn<const Stdio extends readonly Descriptor[]>(
  program: string,
  args: readonly string[],
  { env, stdio, cwd, ownGroup = false }: SpawnOptions<Stdio>,
): Child<Stdio> {
  const options = { env: { ...env }, stdio: withoutMasters(stdio), detached: ownGroup, windowsHide: true };
  const child: ChildProcess = start(program, args, cwd === undefined ? options : { ...options, cwd });
  return child as Child<Stdio>;
}

interface OutputOptions {
  readonly env: Environment;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** The program is killed at this age. */
  readonly timeoutMs?: number;
  /** The program is killed if it prints more on stdout. */
  readonly maxBytes?: number;
}

const defaultMaxBytes = 1024 * 1024;
const maxStderrBytes = 4096;

/** How a program that `outputOf` ran did not end well. */
export class ProgramFailure extends Error {
  override readonly name = "ProgramFailure";

  constructor(
    readonly program: string,
    readonly reason: "not_started" | "exit" | "timeout" | "too_long",
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`${program} ${detail}`, options);
  }
}

/** Runs a small program to its end and answers its stdout. Rejects with `ProgramFailure` unless it ends with exit code 0. */
export function outputOf(
  program: string,
  args: readonly string[],
  { env, cwd, input, timeoutMs, maxBytes = defaultMaxBytes }: OutputOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { env, stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] as const };
    const child = spawn(program, args, cwd === undefined ? options : { ...options, cwd });
    const kept: Buffer[] = [];
    let keptBytes = 0;
    let stderr = "";
    let killed: ProgramFailure | undefined;
    const kill = (failure: ProgramFailure): void => {
      killed ??= failure;
      child.kill("SIGKILL");
      // Whoever it left behind may hold the pipes; nobody reads them any more.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const late = (): void => kill(new ProgramFailure(program, "timeout", `did not end within ${timeoutMs} ms`));
    const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
    child.stdout.on("data", (chunk: Buffer) => {
      keptBytes += chunk.length;
      if (keptBytes <= maxBytes) kept.push(chunk);
      else kill(new ProgramFailure(program, "too_long", `printed more than ${maxBytes} bytes`));
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < maxStderrBytes) stderr += chunk.toString("utf8");
    });
    child.once("error", (cause) => {
      clearTimeout(timer);
      reject(new ProgramFailure(program, "not_started", `could not be started: ${cause.message}`, { cause }));
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (killed !== undefined) return reject(killed);
      if (code === 0) return resolve(Buffer.concat(kept));
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      reject(new ProgramFailure(program, "exit", stderr.trim() === "" ? how : `${how}: ${stderr.trim()}`));
    });
    // A program may end without reading its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** The environment of small programs of the system: where programs are found, and words that do not depend on the person. */
export function plainEnvironment(): Environment {
  return { PATH: process.env.PATH, LC_ALL: "C" };
}

/** Signals every process of the group that `pid` leads; a group that is gone is no error. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group is gone already.
  }
}
