/**
 * Starts a command and stays with it until it is over: completion is the exit of the command, not the
 * closing of a pipe; at the time limit TERM to the group, 5 s, KILL, 2 s; no process survives. A limit that ends before the
 * command has begun ends it as soon as it begins.
 */
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { signalGroup } from "../spawn.ts";
import type { Exit, Start, Started, Starter } from "./starting.ts";
import { begun } from "./state-report.ts";
import { endMarked } from "./survivors.ts";

export interface Supervision {
  readonly start: Start;
  readonly starter: Starter;
  readonly contained: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onOutput(stream: "stdout" | "stderr", chunk: Uint8Array): void | Promise<void>;
}

export interface Ended {
  readonly exitCode: number;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** What the EXIT trap reported. */
  readonly report: string;
  /** Where its world counted them. */
  readonly networkAttempts?: number;
}

const termGraceMs = 5_000;
const killGraceMs = 2_000;
/** A command that began less than this before is still being started. */
const startingMs = 200;
/**
 * How often it is looked whether the streams have ended after the exit, while somebody holds them. Counted in looks: between two of
 * them what has arrived is read, however busy the machine is. Times when nobody takes the output do not count.
 */
const drainLooks = 10;
const drainLookMs = 20;
/** A report that is cut would look as if the rest had been unset: it is not taken at all. */
const maxReportBytes = 16 << 20;

export async function supervise({ start, starter, contained, timeoutMs, signal, onOutput }: Supervision): Promise<Ended> {
  const began = performance.now();
  const started = await starter(start);
  const { pid } = started;
  const tell = (name: NodeJS.Signals) => (started.signal === undefined ? signalGroup(pid, name) : started.signal(name));
  const running = follow(started, onOutput);
  let timedOut = false;
  let cancelled = false;
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    if (timers.length > 1) return;
    timers.push(setTimeout(() => tell("SIGKILL"), termGraceMs));
    timers.push(setTimeout(() => running.giveUp(), termGraceMs + killGraceMs));
    const end = () => {
      tell("SIGTERM");
      // A shell loses the signal for a program that it is just starting.
      if (running.beganMsAgo() < startingMs) timers.push(setTimeout(end, startingMs));
    };
    // What builds the command's world is let finish: half a world would be taken for a broken one.
    running.onceBegun(end);
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
    if (started.signal === undefined) signalGroup(pid, "SIGKILL");
    if (!contained) endMarked(start.mark, { pid, ageMs: performance.now() - began });
    await running.drained();
    const durationMs = Math.round(performance.now() - began);
    const { networkAttempts } = exit;
    return {
      exitCode: exitCodeOf(exit),
      signal: exit.signal,
      timedOut,
      cancelled,
      durationMs,
      report: running.report(),
      ...(networkAttempts === undefined ? {} : { networkAttempts }),
    };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    running.close();
  }
}

/** As every shell counts it, with a namespace around the command and without: a signal is 128 and its number. */
function exitCodeOf({ exitCode, signal }: Exit): number {
  return exitCode ?? 128 + constants.signals[(signal ?? "SIGKILL") as NodeJS.Signals];
}

interface Running {
  readonly exit: Promise<Exit>;
  giveUp(): void;
  /** Calls back when the command's shell has begun, at once where it has. */
  onceBegun(listener: () => void): void;
  beganMsAgo(): number;
  drained(): Promise<void>;
  report(): string;
  close(): void;
}

function follow({ exit, stdout, stderr, state }: Started, onOutput: Supervision["onOutput"]): Running {
  const reports: Buffer[] = [];
  let reportBytes = 0;
  let begunAt: number | undefined;
  let onBegin = () => {};
  const streams = [
    new Listening(stdout, (chunk) => onOutput("stdout", chunk)),
    new Listening(stderr, (chunk) => onOutput("stderr", chunk)),
    new Listening(state, (chunk) => {
      reportBytes += chunk.length;
      if (reportBytes <= maxReportBytes) reports.push(chunk);
      if (begunAt !== undefined || !chunk.includes(begun)) return;
      begunAt = performance.now();
      onBegin();
    }),
  ];
  let finish: (value: Exit) => void = () => {};
  const givenUp = new Promise<Exit>((resolve) => {
    finish = resolve;
  });
  return {
    exit: Promise.race([exit, givenUp]),
    giveUp: () => finish({ exitCode: null, signal: "SIGKILL" }),
    onceBegun: (listener) => {
      if (begunAt === undefined) onBegin = listener;
      else listener();
    },
    beganMsAgo: () => performance.now() - (begunAt ?? performance.now()),
    drained: async () => {
      const ends = Promise.all(streams.map(({ ended }) => ended));
      for (let looks = 0; looks < drainLooks && !streams.every(({ hasEnded }) => hasEnded); ) {
        let timer: NodeJS.Timeout | undefined;
        const look = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, drainLookMs);
        });
        await Promise.race([ends, look]);
        clearTimeout(timer);
        if (!streams.some(({ waits }) => waits)) looks += 1;
      }
    },
    report: () => (reportBytes > maxReportBytes ? "" : Buffer.concat(reports).toString("utf8")),
    close: () => {
      for (const stream of [stdout, stderr, state]) stream.destroy();
    },
  };
}

/** One stream: hands its chunks on, and makes it wait where they cannot be taken so fast. */
class Listening {
  /** Resolves at the end of the stream, whichever way it ends. */
  readonly ended: Promise<void>;
  hasEnded = false;
  waits = false;

  constructor(stream: Readable, onChunk: (chunk: Buffer) => void | Promise<void>) {
    stream.on("data", (chunk: Buffer) => {
      const busy = onChunk(chunk);
      if (busy === undefined) return;
      stream.pause();
      this.waits = true;
      const goOn = () => {
        this.waits = false;
        stream.resume();
      };
      busy.then(goOn, goOn);
    });
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.hasEnded = true;
        resolve();
      };
      stream.once("end", end);
      stream.once("close", end);
      stream.once("error", end);
    });
  }
}
