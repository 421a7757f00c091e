/**
 * A program that is talked to by lines on its stdin and stdout (an MCP server). Owns its life: a process group of its own that
 * ends with Karyi, however that ends. Refuses to hand anything of Karyi's environment over.
 */
import { closeSync, constants, openSync } from "node:fs";
import type { Readable } from "node:stream";
import type { NetworkAccess } from "../contract/index.ts";
import { tether } from "./processes/containment.ts";
import { hideText } from "./processes/hidden-file.ts";
import { which } from "./processes/which.ts";
import { type ConfinedRun, exportText, type Hides, type Sandbox, setupEnvironment } from "./sandbox/index.ts";
import { type ChildProcess, signalGroup, spawn } from "./spawn.ts";

export interface ServerProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Absent: it runs as the person does. */
  readonly confinement?: ServerConfinement;
}

/** Only the roots and temporary directories can be written, and what is hidden cannot be read. */
interface ServerConfinement {
  readonly sandbox: Pick<Sandbox, "begin" | "drop">;
  readonly roots: readonly string[];
  readonly network: NetworkAccess;
  readonly hides: Hides;
}

interface ServerExit {
  /** How it ended, in words. */
  readonly how: string;
  /** The end of what it printed on stderr. */
  readonly stderr: string;
}

export interface ServerProcess {
  write(text: string): void;
  onData(listener: (chunk: Buffer) => void): void;
  readonly exited: Promise<ServerExit>;
  /** Closes its stdin, and ends whatever is left a moment later. */
  end(): Promise<void>;
}

const politeMs = 400;
const sternMs = 1_200;
const maxStderr = 4_000;

const alive = new Set<number>();
let isWatching = false;

export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { command, args, env, cwd, confinement } = options;
  const program = which(command, env.PATH ?? "", cwd);
  if (program === undefined) throw new Error(`there is no program '${command}'`);
  const world = await confinement?.sandbox.begin({ ...confinement, purpose: "serve", cwd, path: env.PATH ?? "", isPiped: true });
  const [first = program, ...rest] = [...(await tether()), ...(world?.prefix ?? []), program, ...args];
  const child = world === undefined ? spawnPlainly(first, rest, env, cwd) : spawnInto(world, first, rest, env);
  let stderr = "";
  const exited = new Promise<ServerExit>((resolve) => {
    const tell = (how: string) => resolve({ how, stderr: stderr.trim() });
    child.once("error", (error) => tell(error.message));
    child.once("close", (code, signal) => {
      if (child.pid !== undefined) alive.delete(child.pid);
      world?.ended?.();
      if (world !== undefined) confinement?.sandbox.drop(world);
      tell(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
    });
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-maxStderr);
  });
  // Whoever does not read any more is gone, or soon will be.
  child.stdin.on("error", () => {});
  if (child.pid !== undefined) alive.add(child.pid);
  watchOwnEnd();
  return {
    write: (text) => {
      if (child.stdin.writable) child.stdin.write(text);
    },
    onData: (listener) => {
      child.stdout.on("data", listener);
    },
    exited,
    end: () => endOf(child, exited),
  };
}

const streams = ["pipe", "pipe", "pipe"] as const;

function spawnPlainly(program: string, args: readonly string[], env: Readonly<Record<string, string>>, cwd: string) {
  return spawn(program, args, { cwd, env, stdio: streams, ownGroup: true });
}

/** What builds the world is not shaped by the server's environment: the server reads it when everything stands. */
function spawnInto(world: ConfinedRun, program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const file = hideText(exportText({ ...env, ...world.environment }));
  const descriptor = openSync(file.path, constants.O_RDONLY);
  try {
    const stdio = [...streams, "pipe", "ignore", descriptor] as const;
    const child = spawn(program, args, { cwd: "/", env: setupEnvironment, stdio, ownGroup: true });
    // Complaints of whoever builds the world are told like the server's own.
    (child.stdio[3] as unknown as Readable).on("data", (chunk: Buffer) => child.stderr.emit("data", chunk));
    return child;
  } finally {
    closeSync(descriptor);
    file.remove();
  }
}

async function endOf(child: ChildProcess, exited: Promise<ServerExit>): Promise<void> {
  child.stdin?.end();
  const timers = [
    setTimeout(() => signalGroup(child.pid, "SIGTERM"), politeMs),
    setTimeout(() => signalGroup(child.pid, "SIGKILL"), sternMs),
  ];
  await exited;
  for (const timer of timers) clearTimeout(timer);
  // Children of its own may still be there.
  signalGroup(child.pid, "SIGKILL");
}

function watchOwnEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const pid of alive) signalGroup(pid, "SIGKILL");
  });
}
