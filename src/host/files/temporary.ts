/**
 * Owns the names of files that exist only while something is written, and removes those whose writer died.
 * The name says who wrote it (PID namespace and process id), so that a living writer's file is never taken away.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, unlink } from "./calls.ts";
import { type HeldDirectory, holdDirectory } from "./handles.ts";

const shape = /^\.karyi-([0-9a-z]+)-([0-9]+)-[0-9a-f]{16}\.tmp$/;
/** What `rescue.ts` keeps of a file that is gone, or was never asked about again. */
const forgotten = /^\.karyi-rescue-[0-9a-f]{16}$/;
const forgottenMs = 30 * 24 * 60 * 60 * 1000;
/** No write takes this long: older files of writers that cannot be asked about are left over. */
const abandonedMs = 60 * 60 * 1000;
/** A directory is looked through at most this often by one process. */
const rescanMs = 60 * 1000;
const maxRemembered = 1000;

/** Process ids mean something only within one namespace. */
const namespace = readNamespace();
const scanned = new Map<string, number>();

function readNamespace(): string {
  try {
    const id = /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0];
    return id === undefined ? "0" : Number(id).toString(36);
  } catch {
    return "0";
  }
}

export function temporaryName(): string {
  return `.karyi-${namespace}-${process.pid}-${randomBytes(8).toString("hex")}.tmp`;
}

/** Who writes: process ids are reused, so the time of its start belongs to it where the system tells. */
export interface Writer {
  readonly namespace: string;
  readonly pid: number;
  readonly started: string;
}

export function thisWriter(): Writer {
  return { namespace, pid: process.pid, started: startOf(process.pid) };
}

/** Of a writer that cannot be asked about, the answer is yes. */
export function isWriterAlive(writer: Writer): boolean {
  return writer.namespace !== namespace || (isAlive(writer.pid) && startOf(writer.pid) === writer.started);
}

function startOf(pid: number): string {
  try {
    // The name of the program comes before it, in brackets, and may hold anything.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** Removes what dead writers left in the directory. Never fails: leftovers are untidy, not wrong. `again`: even if it was looked through just now. */
export async function sweepLeftovers(directory: HeldDirectory, again = false): Promise<void> {
  const now = Date.now();
  const last = scanned.get(directory.real);
  if (!again && last !== undefined && now - last < rescanMs) return;
  if (scanned.size >= maxRemembered) scanned.clear();
  scanned.set(directory.real, now);
  try {
    for (const name of await readdir(directory.at("."))) {
      if (forgotten.test(name) && now - (await lstat(directory.at(name))).mtimeMs > forgottenMs) await unlink(directory.at(name));
      const parts = shape.exec(name);
      if (parts === null) continue;
      if (await isAbandoned(directory.at(name), parts[1] ?? "", Number(parts[2]), now)) await unlink(directory.at(name));
    }
  } catch {
    // Unlistable, or another process swept at the same time.
  }
}

/** The same for directories by their paths, now. One that is gone, or is another one by now, is passed over. */
export async function sweepDirectories(paths: Iterable<string>): Promise<void> {
  for (const path of new Set(paths)) {
    try {
      const held = await holdDirectory(path, path);
      await sweepLeftovers(held, true).finally(() => held.close());
    } catch {
      // It was never made, or is gone already.
    }
  }
}

async function isAbandoned(path: string, writerNamespace: string, pid: number, now: number): Promise<boolean> {
  if (writerNamespace === namespace && !isAlive(pid)) return true;
  return now - (await lstat(path)).mtimeMs > abandonedMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
