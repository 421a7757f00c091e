/**
 * The process that keeps a session's terminal while commands come and go. Holds the pty and serves its socket, nothing
 * else: no engine, no store, no secrets of its own; what may be typed is decided by who calls. Ends with its shell and
 * everything in it when it is asked to, when nobody came for long, and when its socket is gone (its home was removed).
 */
import { closeSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { ToolFailure } from "../../../contract/index.ts";
import { type ServedTerminal, serveTerminal } from "./attach-server.ts";
import { hasJobs, KeeperLife } from "./keeper-life.ts";
import type { KeeperNews, KeeperOrder } from "./keeper-order.ts";
import { SharedTerminal } from "./shared-terminal.ts";

/** O_CLOEXEC, as Linux counts it. */
const closeOnExec = 0o2000000;

process.title = "karyi-terminal";
closeInherited();
void keep(JSON.parse(readFileSync(0, "utf8")) as KeeperOrder);

async function keep({ path, shell, limits }: KeeperOrder): Promise<void> {
  const terminal = new SharedTerminal(shell);
  let served: ServedTerminal | undefined;
  const end = async (exitCode: number) => {
    try {
      await (served ? served.end() : terminal.close());
    } finally {
      process.exit(exitCode);
    }
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void end(0));
  process.on("uncaughtException", () => void end(1));

  try {
    served = await serveTerminal(terminal, path, { kept: true, onCloseAsked: () => void end(0) });
  } catch (error) {
    const reason = error instanceof ToolFailure ? error.details?.reason : undefined;
    if (reason === "already_served") tell({ kind: "taken" });
    else tell({ kind: "failed", message: (error as Error).message, reason: typeof reason === "string" ? reason : "not_served" });
    return end(1);
  }
  tell({ kind: "served" });
  terminal.warmUp();
  const { clients, holds } = served;
  setInterval(() => {
    if (!holds()) void end(0);
  }, limits.reachMs);
  const life = new KeeperLife(limits);
  setInterval(async () => {
    const busy = clients() === 0 && (await isBusy(terminal));
    if (life.isOver(Date.now(), { clients: clients(), busy })) void end(0);
  }, limits.lookMs);
}

async function isBusy(terminal: SharedTerminal): Promise<boolean> {
  const { state } = await terminal.of({}).peek();
  return state === "running" || state === "waiting" || hasJobs();
}

function tell(news: KeeperNews): void {
  writeSync(1, `${JSON.stringify(news)}\n`);
}

/**
 * What whoever started this had open for its own children (a lock, a pipe somebody reads to its end) would stay open here
 * for hours. Node opens everything of its own so that it is not handed on; what was handed on to it has no such mark.
 */
function closeInherited(): void {
  for (const fd of openFiles()) {
    try {
      const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd);
    } catch {
      // It was open only to list the others.
    }
  }
}

/** Besides the three that every process has. Elsewhere the system does not tell. */
function openFiles(): number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((fd) => fd > 2);
  } catch {
    return [];
  }
}
