/** Runs the canary of a tier in its world; rejects with what was said where it did not end well. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { withoutMasters } from "../processes/open-terminals.ts";
import { setupEnvironment } from "./confinement.ts";

const probeTimeoutMs = 10_000;

export function runCanary(prefix: readonly string[], command: string): Promise<void> {
  const [file = "", ...args] = prefix;
  const nothing = openSync("/dev/null", "r");
  return new Promise<void>((resolve, reject) => {
    const child = spawn(file, [...args, "bash", "-c", command], {
      env: setupEnvironment,
      timeout: probeTimeoutMs,
      stdio: withoutMasters(["ignore", "ignore", "pipe", "pipe", "ignore", nothing]),
    });
    const words: Buffer[] = [];
    for (const stream of [child.stderr, child.stdio[3]]) stream?.on("data", (chunk: Buffer) => words.push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(Buffer.concat(words).toString("utf8").trim().slice(0, 500) || `the canary ended with ${code}`));
    });
  }).finally(() => closeSync(nothing));
}
