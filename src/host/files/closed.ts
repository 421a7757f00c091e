/**
 * Owns the way to what its owner closed, himself included: a file without the right to read it, all below a directory without
 * the right to enter it. Its image is wanted, and so is its return; who owns it could open it. It is open for a moment and then
 * has its mode again. What belongs to somebody else stays closed, and so does everything for tools that only read.
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { ToolFailure } from "../../contract/index.ts";
import { systemPath } from "./byte-name.ts";
import { openWarm } from "./calls.ts";
import { errnoOf } from "./failures.ts";
import { O_PATH } from "./path-handle.ts";

const { O_NOFOLLOW } = fs.constants;
const enterAndChange = 0o700;
const read = 0o400;

/** Directories that are open at the moment, and the mode that is theirs. */
const opened = new Map<string, number>();
/** One after the other: what one closes again, another may just be using. */
let turn: Promise<unknown> = Promise.resolve();

/** Tries again with the directory and those around it open. */
export async function throughClosed<T>(directory: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  const mine = turn.then(async () => {
    const close = openWay(directory);
    try {
      return await act();
    } finally {
      close();
    }
  });
  turn = mine.catch(() => undefined);
  return mine;
}

/** The same for what does not wait. */
export function throughClosedNow<T>(directory: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
  const close = openWay(directory);
  try {
    return act();
  } finally {
    close();
  }
}

/** Opens a file or directory of one's own, though nobody may. */
export async function openOwn(path: string, flags: number): Promise<number> {
  try {
    return await openWarm(path, flags);
  } catch (error) {
    if (!isClosed(error) || O_PATH === 0) throw error;
    const named = await openWarm(path, O_PATH | O_NOFOLLOW);
    const handle = `/proc/self/fd/${named}`;
    try {
      const stats = fs.fstatSync(named);
      if (!isOwn(stats) || !(stats.isFile() || stats.isDirectory())) throw error;
      fs.chmodSync(handle, (stats.mode & 0o7777) | (stats.isDirectory() ? enterAndChange : read));
      try {
        return fs.openSync(handle, flags & ~O_NOFOLLOW);
      } finally {
        fs.chmodSync(handle, stats.mode & 0o7777);
      }
    } finally {
      fs.closeSync(named);
    }
  }
}

/** The mode that is a directory's own, also while it is open for a moment. */
export function ownMode(stats: fs.Stats): number {
  return opened.get(keyOf(stats)) ?? stats.mode & 0o7777;
}

/** Outer ones first, for an inner one cannot be seen before; answers how to close them again. */
function openWay(inner: string): () => void {
  const closing: (() => void)[] = [];
  for (const directory of wayTo(inner)) {
    try {
      const stats = fs.lstatSync(systemPath(directory));
      const mode = stats.mode & 0o7777;
      if (!stats.isDirectory() || !isOwn(stats) || (mode & enterAndChange) === enterAndChange) continue;
      fs.chmodSync(systemPath(directory), mode | enterAndChange);
      opened.set(keyOf(stats), mode);
      closing.unshift(() => {
        fs.chmodSync(systemPath(directory), mode);
        opened.delete(keyOf(stats));
      });
    } catch {
      // It is not there, or cannot be opened: what is wanted will say so.
      break;
    }
  }
  return () => {
    for (const close of closing) close();
  };
}

function wayTo(directory: string): readonly string[] {
  const way: string[] = [];
  for (let place = directory; place !== dirname(place); place = dirname(place)) way.unshift(place);
  return way;
}

function isOwn({ uid }: fs.Stats): boolean {
  return uid === process.getuid?.();
}

function keyOf({ dev, ino }: fs.Stats): string {
  return `${dev}:${ino}`;
}

function isClosed(error: unknown): boolean {
  return errnoOf(error instanceof ToolFailure ? error.cause : error) === "EACCES";
}
