/**
 * Keeps a secret out of `/proc`: a process that got one by flag or variable starts itself again without it and hands it
 * over on a pipe. The pipe stays open: if the first process dies, the second one notices and stops.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { spawn } from "../spawn.ts";

/** The descriptor that the second process finds its secret on. */
const handOverFd = 3;
const maxSecretBytes = 64 * 1024;

interface StartAgain {
  /** Arguments of Node, the secret not among them. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secret: string;
}

/** Signals go to the second process; resolves with its exit code. */
export function startAgain({ args, env, secret }: StartAgain): Promise<number> {
  forget(secret);
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    env,
    stdio: ["inherit", "inherit", "inherit", "pipe"],
  });
  const pipe = child.stdio[handOverFd] as Socket;
  pipe.on("error", () => {});
  pipe.write(`${secret}\n`);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/** Reads the secret in the second process; `onOrphaned` is called if the first one has died. */
export function takeOver(onOrphaned: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const pipe = new Socket({ fd: handOverFd, readable: true, writable: false });
    let text = "";
    let taken = false;
    pipe.setEncoding("utf8");
    pipe.on("data", (chunk: string) => {
      if (taken) return;
      text += chunk;
      const end = text.indexOf("\n");
      if (end < 0 && text.length < maxSecretBytes) return;
      taken = true;
      resolve(text.slice(0, end < 0 ? undefined : end));
      text = "";
      pipe.unref();
    });
    pipe.on("error", () => {});
    pipe.on("close", () => {
      if (taken) onOrphaned();
      else reject(new Error("the secret was not handed over"));
    });
  });
}

/** Overwrites the secret in this process's own arguments and environment, which `/proc` shows to every program of the user. */
function forget(secret: string): void {
  for (const [name, value] of Object.entries(process.env)) if (value === secret) delete process.env[name];
  if (process.platform !== "linux") return;
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The second field is a name in parentheses that may hold spaces, so fields are counted from its end.
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [argStart = 0, argEnd = 0, envStart = 0, envEnd = 0] = fields.slice(45, 49);
    const memory = openSync("/proc/self/mem", "r+");
    try {
      for (const [from, to] of [[argStart, argEnd] as const, [envStart, envEnd] as const]) overwrite(memory, from, to, Buffer.from(secret));
    } finally {
      closeSync(memory);
    }
  } catch {
    // A system that forbids it: the process that serves has no trace of the secret all the same.
  }
}

function overwrite(memory: number, from: number, to: number, secret: Buffer): void {
  if (to <= from || secret.length === 0) return;
  const bytes = Buffer.alloc(to - from);
  readSync(memory, bytes, 0, bytes.length, from);
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + 1)) {
    writeSync(memory, Buffer.alloc(secret.length, "x"), 0, secret.length, from + at);
  }
}
