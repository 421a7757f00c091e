/**
 * Runs a program of somebody's plugin: input on stdin, both streams kept, ended at its limit with everything it started.
 * Gives it exactly the environment that it is handed. Confines nothing: a person added the plugin and approves its calls.
 */
import { closeSync, constants, openSync } from "node:fs";
import { constants as osConstants } from "node:os";
import { resolve } from "node:path";
import { ToolFailure } from "../contract/index.ts";
import { containment, tether } from "./processes/containment.ts";
import { hideText } from "./processes/hidden-file.ts";
import { which } from "./processes/which.ts";
import { signalGroup, spawn } from "./spawn.ts";

interface ProgramRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface ProgramEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly dropped: number;
}

const maxKeptBytes = 16 * 1024 * 1024;
const termGraceMs = 2_000;
const killGraceMs = 2_000;

export async function runProgram({ argv: [program = "", ...args], cwd, env, input, timeoutMs, signal }: ProgramRun): Promise<ProgramEnd> {
  const found = which(program, env.PATH ?? "", cwd);
  if (found === undefined) {
    throw new ToolFailure("tool_error", `The program ${program} is not found.`, {
      hint: "Is it installed, and executable?",
      details: { reason: "not_started" },
    });
  }
  signal.throwIfAborted();
  const [first = "", ...rest] = [...(await tether()), ...(await namespace()), resolve(cwd, found), ...args];
  // A file, not a pipe of Node's: that is a socket, which programs cannot open again as /dev/stdin.
  const hidden = hideText(input);
  const stdin = openSync(hidden.path, constants.O_RDONLY);
  const child = spawn(first, rest, { cwd, env, ownGroup: true, stdio: [stdin, "pipe", "pipe"] });
  closeSync(stdin);
  hidden.remove();
  const stdout = new Kept();
  const stderr = new Kept();
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  const timers: NodeJS.Timeout[] = [];
  let timedOut = false;
  return new Promise((done, failed) => {
    const tell = (name: NodeJS.Signals) => signalGroup(child.pid, name);
    const finish = (code: number | null, name: NodeJS.Signals | null) => {
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      tell("SIGKILL");
      child.stdout.destroy();
      child.stderr.destroy();
      if (signal.aborted) return failed(signal.reason);
      const exitCode = code ?? 128 + osConstants.signals[name ?? "SIGKILL"];
      done({ exitCode, stdout: stdout.text(), stderr: stderr.text(), timedOut, dropped: stdout.dropped + stderr.dropped });
    };
    const stop = () => {
      tell("SIGTERM");
      timers.push(setTimeout(() => tell("SIGKILL"), termGraceMs));
      // Whoever holds the pipes open must not hold the call.
      timers.push(setTimeout(() => finish(null, "SIGKILL"), termGraceMs + killGraceMs));
    };
    timers.push(
      setTimeout(() => {
        timedOut = true;
        stop();
      }, timeoutMs),
    );
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", (error) => {
      for (const timer of timers) clearTimeout(timer);
      failed(
        new ToolFailure("tool_error", `The program ${program} could not be started: ${error.message}`, {
          details: { reason: "not_started" },
          cause: error,
        }),
      );
    });
    child.once("exit", (code, name) => {
      // What it left behind may hold the pipes: the output is whole soon, or never.
      timers.push(setTimeout(() => finish(code, name), killGraceMs));
      child.once("close", () => finish(code, name));
    });
  });
}

/** The program is the first process of a namespace, where there are such: nothing it starts outlives it. */
async function namespace(): Promise<readonly string[]> {
  const { prefix } = await containment();
  return prefix.slice(0, prefix.indexOf("--") + 1);
}

/** The first bytes of a stream; the rest is counted. */
class Kept {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  dropped = 0;

  push(chunk: Buffer): void {
    const room = maxKeptBytes - this.#bytes;
    this.dropped += Math.max(0, chunk.length - room);
    if (room <= 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += Math.min(chunk.length, room);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
