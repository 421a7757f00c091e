/**
 * The private place of the sockets of a home: the directory (mode 0700, the owner's), and the token that a connection
 * has to know. The directory keeps other users out. The token is for programs of the same user, which file modes cannot
 * stop: a captured command does not see the home at all, and one that runs without capture would have to read a file
 * that it has no business with and that the policy asks about. It is no wall against a person's own programs.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ToolFailure } from "../../../contract/index.ts";

/** The longest path every system takes for a socket. */
const maxPath = 100;
const tokenName = "token";
const tokenPattern = /^[0-9a-f]{64}$/;

/** Makes the place where it is missing; answers its token. */
export function preparePlace(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return readToken(directory) ?? makeToken(directory);
}

/** Nothing: no terminal was ever served there. */
export function readToken(directory: string): string | undefined {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const mine = process.getuid?.() === undefined || stat.uid === process.getuid();
  if (!mine) {
    throw new ToolFailure("tool_error", `The directory ${directory} belongs to another user; a terminal is not served there.`, {
      hint: "Use a home of your own: --home, or KARYI_HOME.",
      details: { reason: "foreign_directory" },
    });
  }
  if ((stat.mode & 0o077) !== 0) {
    throw new ToolFailure("tool_error", `The directory ${directory} is open to others; a terminal is not served there.`, {
      hint: `chmod 700 ${directory}`,
      details: { reason: "open_directory" },
    });
  }
  try {
    const token = readFileSync(join(directory, tokenName), "utf8");
    return tokenPattern.test(token) ? token : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function isToken(token: string, given: unknown): boolean {
  if (typeof given !== "string" || !tokenPattern.test(given)) return false;
  return timingSafeEqual(Buffer.from(token), Buffer.from(given));
}

/** Whole or not there: of two processes that make one, both use that of the first. */
function makeToken(directory: string): string {
  const path = join(directory, tokenName);
  const draft = join(directory, randomBytes(6).toString("hex"));
  const token = randomBytes(32).toString("hex");
  writeFileSync(draft, token, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, path);
    return token;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const first = readToken(directory);
    if (first !== undefined) return first;
    throw new ToolFailure("tool_error", `The file ${path} does not hold a token.`, {
      hint: `Remove it: rm ${path}`,
      details: { reason: "token_damaged" },
    });
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * A path by which a socket can be bound or joined: systems take only short ones. Where the directory can be named by a
 * descriptor, its length does not matter; elsewhere a long one is refused.
 */
export async function withShortPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= maxPath) return use(path);
  if (process.platform !== "linux") {
    throw new ToolFailure("tool_error", "The path of the terminal's socket is too long for the system.", {
      hint: "Set KARYI_HOME to a shorter path.",
      details: { reason: "socket_path_too_long", path },
    });
  }
  const directory = openSync(dirname(path), "r");
  try {
    return await use(`/proc/self/fd/${directory}/${basename(path)}`);
  } finally {
    closeSync(directory);
  }
}
