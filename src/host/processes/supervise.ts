/**
 * Starts a command and stays with it until it is over: completion is the exit of the command, not the
 * closing of a pipe; at the time limit TERM to the group, 5 s, KILL, 2 s; no process survives.
 */
import type { Readable } from "node:stream";
import type { Exit, Start, Started, Starter } from "./starting.ts";
import { endMarked } from "./survivors.ts";

export interface Supervision {
  readonly start: Start;
  readonly starter: Starter;
  readonly mark: string;
  readonly contained: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onOutput(stream: "stdout" | "stderr", chunk: Uint8Array): void;
}

export interface Ended extends Exit {
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

export async function supervise({ start, starter, mark, contained, timeoutMs, signal, onOutput }: Supervision): Promise<Ended> {
  const began = performance.now();
  const running = follow(await starter(start), onOutput);
  const { pid } = running;
  let timedOut = false;
  let cancelled = false;
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    if (timers.length > 1) return;
    signalGroup(pid, "SIGTERM");
    timers.push(setTimeout(() => signalGroup(pid, "SIGKILL"), termGraceMs));
    timers.push(setTimeout(() => running.giveUp(), termGraceMs + killGraceMs));
  };
  timers.push(
    setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs),
  );
  const onAbort = () => {
    cancelled = true;
    stop();
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    const exit = await running.exit;
    // A namespace dies with its init; a group and whoever left it must be ended by hand.
    signalGroup(pid, "SIGKILL");
    if (!contained) endMarked(mark, { pid, ageMs: performance.now() - began });
    await running.drained();
    const durationMs = Math.round(performance.now() - began);
    return { exitCode: exit.exitCode, signal: exit.signal, timedOut, cancelled, durationMs, report: running.report() };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    running.close();
  }
}

interface Running {
  readonly pid: number;
  readonly exit: Promise<Exit>;
  giveUp(): void;
  drained(): Promise<void>;
  report(): string;
  close(): void;
}

function follow({ pid, exit, stdout, stderr, state }: Started, onOutput: Supervision["onOutput"]): Running {
  const reports: Buffer[] = [];
  let reportBytes = 0;
  const ends = Promise.all([
    listen(stdout, (chunk) => onOutput("stdout", chunk)),
    listen(stderr, (chunk) => onOutput("stderr", chunk)),
    listen(state, (chunk) => {
      reportBytes += chunk.length;
      if (reportBytes <= maxReportBytes) reports.push(chunk);
    }),
  ]);
  let finish: (value: Exit) => void = () => {};
  const givenUp = new Promise<Exit>((resolve) => {
    finish = resolve;
  });
  return {
    pid,
    exit: Promise.race([exit, givenUp]),
    giveUp: () => finish({ exitCode: null, signal: "SIGKILL" }),
    drained: () => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, drainMs);
      });
      return Promise.race([ends.then(() => {}), limit]).finally(() => clearTimeout(timer));
    },
    report: () => Buffer.concat(reports).toString("utf8"),
    close: () => {
      for (const stream of [stdout, stderr, state]) stream.destroy();
    },
  };
}

/** Resolves at the end of the stream, whichever way it ends. */
function listen(stream: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", onChunk);
    stream.once("end", resolve);
    stream.once("close", resolve);
    stream.once("error", () => resolve());
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group is gone already.
  }
}
