/**
 * Starts the process that keeps a terminal: in a session of its own, without this one's working directory and open files,
 * and of its environment only where programs are found. What its shell begins with goes through a pipe, never through arguments, which every user can read.
 */
import { fileURLToPath } from "node:url";
import { ToolFailure } from "../../../contract/index.ts";
import { type Child, spawn } from "../../spawn.ts";
import type { KeeperLimits, KeeperNews, KeeperOrder } from "./keeper-order.ts";

const minute = 60_000;
export const keeperLimits: KeeperLimits = { idleMs: 15 * minute, busyMs: 240 * minute, reachMs: 5_000, lookMs: minute };
const startMs = 20_000;

/** Arguments for Node. */
export type KeeperProgram = readonly string[];

/** A part of the build: it stands beside the file that this one becomes a part of. */
export const builtKeeper: KeeperProgram = [fileURLToPath(new URL("./keeper.cjs", import.meta.url))];

/** Resolves when the terminal is served, by the new process or by another one that was faster. */
export async function startKeeper(program: KeeperProgram, order: KeeperOrder): Promise<void> {
  const child = spawn(process.execPath, ["--max-semi-space-size=1", ...program], {
    cwd: "/",
    env: process.env.PATH === undefined ? {} : { PATH: process.env.PATH },
    ownGroup: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const news = await firstNews(child, order);
  // From here on neither waits for the other.
  child.stdout.destroy();
  child.stdin.destroy();
  child.unref();
  if (news.kind !== "failed") return;
  throw new ToolFailure("tool_error", `The process that keeps the terminal could not be started: ${news.message}`, {
    details: { reason: news.reason },
  });
}

function firstNews(child: Child<["pipe", "pipe", "ignore"]>, order: KeeperOrder): Promise<KeeperNews> {
  return new Promise((resolve) => {
    const failed = (message: string) => {
      clearTimeout(late);
      resolve({ kind: "failed", message, reason: "not_started" });
    };
    const late = setTimeout(() => failed("it did not answer"), startMs);
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk: string) => {
      text += chunk;
      if (!text.endsWith("\n")) return;
      clearTimeout(late);
      resolve(JSON.parse(text) as KeeperNews);
    });
    child.stdout.once("end", () => failed("it ended at once"));
    child.once("error", (error) => failed(error.message));
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(order));
  });
}
