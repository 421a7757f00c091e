/**
 * Starts a command and stays with it until it is over: completion is the exit of the command, not the
 * closing of a pipe; at the time limit TERM to the group, 5 s, KILL, 2 s; no process survives.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import type { FifoPool } from "./fifo-pool.ts";
import { endMarked } from "./survivors.ts";

export interface Supervision {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor of the init text. */
  readonly initFd: number;
  /** One more descriptor for the command, as number 5. */
  readonly extraFd?: number;
  readonly mark: string;
  readonly contained: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly pipes: FifoPool;
  onOutput(stream: "stdout" | "stderr", chunk: Uint8Array): void;
}

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** What the EXIT trap reported. */
  readonly report: string;
}

const termGraceMs = 5_000;
const killGraceMs = 2_000;
/** How long output may still arrive after the exit, from processes that hold the pipe. */
const drainMs = 200;
const maxReportBytes = 1 << 20;

export async function supervise(supervision: Supervision): Promise<Ended> {
  const started = performance.now();
  const running = await start(supervision);
  const { child } = running;
  let timedOut = false;
  let cancelled = false;
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    if (timers.length > 1) return;
    signalGroup(child, "SIGTERM");
    timers.push(setTimeout(() => signalGroup(child, "SIGKILL"), termGraceMs));
    timers.push(setTimeout(() => running.giveUp(), termGraceMs + killGraceMs));
  };
  timers.push(
    setTimeout(() => {
      timedOut = true;
      stop();
    }, supervision.timeoutMs),
  );
  const onAbort = () => {
    cancelled = true;
    stop();
  };
  if (supervision.signal.aborted) onAbort();
  else supervision.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const { exitCode, signal } = await running.exit;
    // A namespace dies with its init; a group and whoever left it must be ended by hand.
    signalGroup(child, "SIGKILL");
    if (!supervision.contained) endMarked(supervision.mark);
    await running.drained();
    return { exitCode, signal, timedOut, cancelled, durationMs: Math.round(performance.now() - started), report: running.report() };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    supervision.signal.removeEventListener("abort", onAbort);
    running.close();
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly exit: Promise<{ exitCode: number | null; signal: string | null }>;
  giveUp(): void;
  drained(): Promise<void>;
  report(): string;
  close(): void;
}

async function start({ argv, cwd, env, initFd, extraFd, pipes, onOutput }: Supervision): Promise<Running> {
  const [program = "", ...args] = argv;
  const [out, err] = await Promise.all([pipes.take(), pipes.take()]);
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", out?.writeFd ?? "pipe", err?.writeFd ?? "pipe", "pipe", initFd, ...(extraFd === undefined ? [] : [extraFd])],
    });
  } finally {
    if (out) closeSync(out.writeFd);
    if (err) closeSync(err.writeFd);
  }
  const stdout = out?.reader ?? child.stdout;
  const stderr = err?.reader ?? child.stderr;
  const state = child.stdio[3] as Readable | null;
  const reports: Buffer[] = [];
  let reportBytes = 0;
  state?.on("data", (chunk: Buffer) => {
    reportBytes += chunk.length;
    if (reportBytes <= maxReportBytes) reports.push(chunk);
  });
  state?.on("error", () => {});
  const ends = [
    listen(stdout, (chunk) => onOutput("stdout", chunk)),
    listen(stderr, (chunk) => onOutput("stderr", chunk)),
    listen(state, () => {}),
  ];
  let finish: (value: { exitCode: number | null; signal: string | null }) => void = () => {};
  const exit = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
    finish = resolve;
    child.once("error", reject);
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return {
    child,
    exit,
    giveUp: () => finish({ exitCode: null, signal: "SIGKILL" }),
    drained: () => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      return Promise.race([Promise.all(ends).then(() => {}), limit]).finally(() => clearTimeout(timer));
    },
    report: () => Buffer.concat(reports).toString("utf8"),
    close: () => {
      for (const stream of [stdout, stderr, state]) stream?.destroy();
    },
  };
}

/** Resolves at the end of the stream, whichever way it ends. */
function listen(stream: Readable | null | undefined, onChunk: (chunk: Buffer) => void): Promise<void> {
  if (!stream) return Promise.resolve();
  return new Promise((resolve) => {
    stream.on("data", onChunk);
    stream.once("end", resolve);
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group is gone already.
  }
}
