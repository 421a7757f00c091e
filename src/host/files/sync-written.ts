/**
 * Forces what was written to the disk: a few files one by one, many with one call for their whole file system, because a
 * sync for each of ten thousand files takes longer than everything else.
 */
import { constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { outputOf, plainEnvironment } from "../spawn.ts";
import { systemPath } from "./byte-name.ts";
import { close, fsync, openWarm } from "./calls.ts";
import { isMissing } from "./failures.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const few = 64;
const lanes = 8;

/** `paths`: files and directories below `root`, all of its file system. */
export async function syncWritten(root: string, paths: readonly string[]): Promise<void> {
  if (paths.length > few && (await syncFileSystem(root))) return;
  let next = 0;
  const lane = async () => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++]) await syncOne(path);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The same for paths of any file systems; what is not there any more needs no sync. */
export async function syncEverywhere(paths: readonly string[]): Promise<void> {
  const places = new Map<number, string[]>();
  for (const path of new Set(paths)) {
    const device = deviceOf(path);
    if (device === undefined) continue;
    const others = places.get(device);
    if (others === undefined) places.set(device, [path]);
    else others.push(path);
  }
  for (const group of places.values()) await syncWritten(dirname(group[0] ?? "/"), group);
}

function deviceOf(path: string): number | undefined {
  try {
    return lstatSync(systemPath(path)).dev;
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === "EACCES") return undefined;
    throw error;
  }
}

/** False if the machine's `sync` knows no file systems. */
async function syncFileSystem(root: string): Promise<boolean> {
  try {
    await outputOf("sync", ["-f", "--", root], { env: plainEnvironment() });
    return true;
  } catch {
    return false;
  }
}

/** A link or pipe has no bytes of its own; its directory is in the list. A file closed to its owner waits for the kernel. */
async function syncOne(path: string): Promise<void> {
  let fd: number;
  try {
    fd = await openWarm(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (isMissing(error) || code === "ELOOP" || code === "EACCES" || code === "ENXIO") return;
    throw error;
  }
  try {
    await fsync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    await close(fd);
  }
}
