/**
 * The program of the launcher process, as text: a small process that starts commands for a large one. Whole in itself, so
 * that its text can be handed to another Node; it knows nothing of what it starts. When Karyi is gone, however it went,
 * everything it started is ended.
 */
import type { ChildProcess } from "../spawn.ts";

/** One line a message, in JSON. */
export interface LaunchOrder {
  readonly id: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Pipes for stdout, stderr and the state. */
  readonly paths: readonly string[];
  /** A file to be given as descriptor 5. */
  readonly hidden?: string;
  /** What every process of the command has in its environment. */
  readonly mark: string;
}

export type LaunchNews =
  | { readonly kind: "ready" }
  | { readonly kind: "started"; readonly id: number; readonly pid: number }
  | { readonly kind: "failed"; readonly id: number; readonly code: string; readonly message: string }
  | { readonly kind: "exit"; readonly id: number; readonly exitCode: number | null; readonly signal: string | null };

/** The launcher holds the init text as descriptor 4, as every command does. */
export const launcherText = (): string => `(${program})(require, process)`;

/** Nothing from outside this function may be used in it: it runs elsewhere. */
function program(load: NodeJS.Require, self: NodeJS.Process): void {
  const { spawn } = load("node:child_process") as typeof import("node:child_process");
  const { closeSync, constants, openSync, readdirSync, readFileSync } = load("node:fs") as typeof import("node:fs");
  const running = new Map<number, { readonly pid: number; readonly mark: string }>();
  const tell = (news: LaunchNews) => self.stdout.write(`${JSON.stringify(news)}\n`);

  const launch = ({ id, argv, cwd, env, paths, hidden, mark }: LaunchOrder): void => {
    const opened: number[] = [];
    const fail = ({ code = "", message }: NodeJS.ErrnoException) => {
      tell({ kind: "failed", id, code, message });
    };
    try {
      for (const path of paths) opened.push(openSync(path, constants.O_WRONLY));
      if (hidden !== undefined) opened.push(openSync(hidden, constants.O_RDONLY));
      const [stdout, stderr, state, ...extra] = opened;
      const [name = "", ...args] = argv;
      const child: ChildProcess = spawn(name, args, {
        cwd,
        env,
        detached: true,
        stdio: ["ignore", stdout, stderr, state, 4, ...extra],
      });
      child.once("error", fail);
      const { pid } = child;
      if (pid === undefined) return;
      running.set(id, { pid, mark });
      child.once("exit", (exitCode, signal) => {
        running.delete(id);
        tell({ kind: "exit", id, exitCode, signal });
      });
      tell({ kind: "started", id, pid });
    } catch (error) {
      fail(error as NodeJS.ErrnoException);
    } finally {
      for (const fd of opened) closeSync(fd);
    }
  };

  const kill = (pid: number) => {
    try {
      self.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  };

  /** Those that left their group, where no namespace held them. */
  const marked = (marks: readonly string[]): number[] =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => {
        try {
          const environment = pid > 0 ? readFileSync(`/proc/${pid}/environ`) : "";
          return marks.some((mark) => environment.includes(mark));
        } catch {
          return false;
        }
      });

  const leave = () => {
    const left = [...running.values()];
    for (const { pid } of left) kill(-pid);
    try {
      if (left.length > 0) for (const pid of marked(left.map(({ mark }) => mark))) kill(pid);
    } finally {
      self.exit(0);
    }
  };

  let parts: string[] = [];
  self.stdin.setEncoding("utf8");
  self.stdin.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      parts.push(line);
      const order = JSON.parse(parts.join("")) as LaunchOrder;
      parts = [];
      launch(order);
    }
    if (rest !== "") parts.push(rest);
  });
  self.stdin.on("end", leave);
  self.stdin.on("error", leave);
  self.stdout.on("error", leave);
  // A signal meant for the programs of a terminal or for every `node` is not meant for this one.
  for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT"] as const) self.on(signal, () => {});
  self.title = "karyi-launcher";
  tell({ kind: "ready" });
}
