/**
 * Owns opened files and directories that are provably the ones a path was resolved to.
 * A link swapped in after the decision is met twice: the last name is never followed, and the kernel is asked
 * where the opened handle really is. Directory handles give names below them that no swap can redirect.
 */
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PathFacts } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { exactly } from "./byte-name.ts";
import { close, fstat, fsync, kindOf, lstat, mkdir, openWarm, realpath } from "./calls.ts";
import { errnoOf, fileFailure, isMissing, namesDirectory, pathChanged, spelledAsDirectory, unusable } from "./failures.ts";
import { O_PATH } from "./path-handle.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

export interface OpenedFile {
  readonly fd: number;
  readonly stats: fs.Stats;
}

/** Opens the regular file at `facts.real` for reading; anything else there fails at once, a FIFO too. */
export async function openRegular(facts: PathFacts): Promise<OpenedFile> {
  if (facts.kind !== "file") throw await whyUnusable(facts);
  for (let attempt = 0; ; attempt += 1) {
    const opened = await openChecked(facts.real, facts.real, facts.asked);
    // Replaced by another writer right after it was opened: take the newer one.
    if (opened.stats.nlink > 0 || attempt === 2) return opened;
    await close(opened.fd);
  }
}

/** Opens `path` (a spelling of `real`) without following or waiting, and checks where the handle is. */
export async function openChecked(path: string, real: string, asked: string): Promise<OpenedFile> {
  let fd: number;
  try {
    fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // resolve saw no link here, so one that is here now was put in between.
    throw errnoOf(error) === "ELOOP" ? pathChanged(asked) : fileFailure(error, asked);
  }
  try {
    const stats = await fstat(fd);
    await confirm(fd, stats, real, asked);
    if (!stats.isFile()) throw unusable({ asked, kind: kindOf(stats) });
    return { fd, stats };
  } catch (error) {
    await close(fd);
    throw fileFailure(error, asked);
  }
}

async function confirm(fd: number, stats: fs.Stats, real: string, asked: string): Promise<void> {
  const place = placeOf(fd);
  if (place === real) return;
  // Replaced since it was opened. Counted again: a file may really be called that.
  if (place === `${real} (deleted)` && (await fstat(fd)).nlink === 0) return;
  if (place !== undefined) throw pathChanged(asked, place);
  // Without /proc: the path must still mean itself, and name what was opened.
  const now = await lstat(real);
  if ((await realpath(real)) !== real || now.ino !== stats.ino || now.dev !== stats.dev) throw pathChanged(asked);
}

/** Where the kernel says a descriptor is; never waits, so it is called directly. */
function placeOf(fd: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const handle = `/proc/self/fd/${fd}`;
    return exactly(fs.readlinkSync(handle), () => fs.readlinkSync(handle, { encoding: "buffer" }));
  } catch {
    return undefined;
  }
}

/** The failure for facts that name no regular file; of what could not be looked at, the kernel is asked for the reason. */
export async function whyUnusable(facts: PathFacts): Promise<ToolFailure> {
  if (facts.kind !== "unreadable" || facts.spelled.includes("\0")) return unusable(facts);
  try {
    await realpath(facts.spelled);
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR" && namesDirectory(facts.spelled)) return spelledAsDirectory(facts.asked, true);
    return fileFailure(error, facts.asked);
  }
  return unusable(facts);
}

/** A directory held open. */
export interface HeldDirectory {
  readonly real: string;
  /** A path of `name` in this very directory, wherever its own path leads by now. */
  at(name: string): string;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export async function holdDirectory(real: string, asked: string): Promise<HeldDirectory> {
  return hold(real, real, asked);
}

/** Holds a directory, creating what is missing on the way; each step is taken from the held parent. */
export async function holdOrCreate(real: string, asked: string, durable: boolean): Promise<HeldDirectory> {
  try {
    return await hold(real, real, asked);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" || dirname(real) === real) throw failureBelow(error, asked);
  }
  const parent = await holdOrCreate(dirname(real), asked, durable);
  try {
    const name = basename(real);
    try {
      await mkdir(parent.at(name));
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
    const held = await hold(parent.at(name), real, asked);
    if (durable) await parent.sync();
    return held;
  } catch (error) {
    throw failureBelow(error, asked);
  } finally {
    await parent.close();
  }
}

function failureBelow(error: unknown, asked: string): ToolFailure {
  if (errnoOf(error) !== "ENOTDIR") return fileFailure(error, asked);
  return new ToolFailure("tool_error", `${asked}: a part of the path is a file, not a directory`, {
    details: { reason: "not_a_directory", path: asked },
  });
}

async function hold(path: string, real: string, asked: string): Promise<HeldDirectory> {
  const { fd, listable } = await openDirectory(path, asked);
  try {
    await confirm(fd, await fstat(fd), real, asked);
  } catch (error) {
    await close(fd);
    throw error;
  }
  const base = placeOf(fd) === undefined ? real : `/proc/self/fd/${fd}`;
  return {
    real,
    at: (name) => join(base, name),
    sync: () => (listable ? fsync(fd) : Promise.resolve()),
    close: () => close(fd),
  };
}

async function openDirectory(path: string, asked: string): Promise<{ fd: number; listable: boolean }> {
  const flags = O_DIRECTORY | O_NOFOLLOW;
  try {
    return { fd: await openWarm(path, O_RDONLY | flags), listable: true };
  } catch (error) {
    const code = errnoOf(error);
    if (code === "EACCES" && O_PATH !== 0) return { fd: await openWarm(path, O_PATH | flags), listable: false };
    if ((code === "ENOTDIR" || code === "ELOOP") && (await isLink(path))) throw pathChanged(asked);
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
