/** Runs the canary of a tier in its world; rejects with what was said where it did not end well. */
import { closeSync, openSync } from "node:fs";
import { FifoPool } from "../processes/fifo-pool.ts";
import { bashProgram } from "../programs.ts";
import { spawn } from "../spawn.ts";
import { setupEnvironment } from "./confinement.ts";
import { Keeper } from "./keeper.ts";
import type { KeptWorld } from "./keeper-order.ts";

const probeTimeoutMs = 10_000;

export function runCanary(prefix: readonly string[], command: string): Promise<void> {
  const [file = "", ...args] = prefix;
  const nothing = openSync("/dev/null", "r");
  return new Promise<void>((resolve, reject) => {
    const child = spawn(file, [...args, "bash", "-c", command], {
      env: setupEnvironment,
      stdio: ["ignore", "ignore", "pipe", "pipe", "ignore", nothing],
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), probeTimeoutMs);
    child.once("close", () => clearTimeout(timer));
    const words: Buffer[] = [];
    for (const stream of [child.stderr, child.stdio[3]]) stream?.on("data", (chunk: Buffer) => words.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(Buffer.concat(words).toString("utf8").trim().slice(0, 500) || `the canary ended with ${code}`));
    });
  }).finally(() => closeSync(nothing));
}

/** The same in a world that a keeper makes. */
export async function runKeptCanary(world: KeptWorld, cwd: string, command: string): Promise<void> {
  const pipes = new FifoPool();
  const nothing = openSync("/dev/null", "r");
  let keeper: Keeper | undefined;
  try {
    keeper = await Keeper.open(pipes, nothing, world.base);
    const opened = keeper;
    const started = await keeper.start({
      argv: [bashProgram(), "-c", command],
      cwd,
      env: setupEnvironment,
      mark: "",
      tether: [],
      world,
    });
    const words: Buffer[] = [];
    for (const stream of [started.stderr, started.state]) stream.on("data", (chunk: Buffer) => words.push(chunk));
    started.stdout.resume();
    const timer = setTimeout(() => opened.close(), probeTimeoutMs);
    const ends = [started.stderr, started.state].map((stream) => new Promise<void>((resolve) => stream.once("close", () => resolve())));
    const { exitCode } = await started.exit.finally(() => clearTimeout(timer));
    await Promise.all(ends);
    if (exitCode !== 0) throw new Error(Buffer.concat(words).toString("utf8").trim().slice(0, 500) || `the canary ended with ${exitCode}`);
  } finally {
    keeper?.close();
    pipes.close();
    closeSync(nothing);
  }
}
