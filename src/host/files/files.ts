/**
 * The file port: reads that cannot hang or be led astray, and byte-faithful atomic writes.
 * Knows nothing of policy or of what may be written; callers are bound to their approved plan elsewhere.
 * Relative paths start at the directory `cwd` names at that moment.
 */
import type { DirectoryEntry, FileStat, FileWriter, Fingerprint, OpenFile, PathFacts } from "../../contract/index.ts";
import { ToolFailure } from "../../contract/index.ts";
import { close, fstat, kindOf, lstat, lstatCold, readEntries, readFully, readWarm, toStat } from "./calls.ts";
import { fileFailure, isMissing, tooLarge } from "./failures.ts";
import { holdDirectory, openRegular, whyUnusable } from "./handles.ts";
import { removeFile, replaceFile, sha256 } from "./replace.ts";
import { type OwnPlaces, resolvePath } from "./resolve.ts";
import { Warmth } from "./warm.ts";

const defaultMaxBytes = 256 << 20;
const maxAttempts = 3;
const statsAtOnce = 64;
const wasRead = new Warmth();

export interface FilesOptions {
  /** The session's working directory at this moment. */
  cwd(): string;
  /** What `~` means; the home directory of this user unless said otherwise. */
  readonly userHome?: string;
  /** Directories of which the session has its own. */
  readonly own?: OwnPlaces;
  /** Force every change to disk before it counts as done. True unless said otherwise. */
  readonly fsync?: boolean;
}

export function createFiles(options: FilesOptions): FileWriter {
  const durable = options.fsync ?? true;
  const resolve = (path: string, whose?: "machine"): Promise<PathFacts> =>
    resolvePath(options.cwd(), path, options.userHome, whose === "machine" ? undefined : options.own);
  return {
    resolve,
    stat: async (path) => statOf(await resolve(path)),
    open: openFile,
    readAll,
    list: async (path) => listDirectory(await resolve(path)),
    replace: (facts, bytes, how) => replaceFile(facts, bytes, how, durable),
    remove: (facts, expect) => removeFile(facts, expect, durable),
  };
}

async function statOf(facts: PathFacts): Promise<FileStat | undefined> {
  try {
    if (facts.kind !== "unreadable") return toStat(await lstat(facts.real));
  } catch (error) {
    if (isMissing(error)) return undefined;
  }
  return { kind: "unreadable", size: 0, mode: 0, mtimeMs: 0, uid: 0, gid: 0, hardLinks: 0, identity: "" };
}

async function openFile(facts: PathFacts): Promise<OpenFile> {
  const { fd, stats } = await openRegular(facts);
  let isOpen = true;
  return {
    stat: toStat(stats),
    async read(position, length, reuse) {
      const buffer = reuse?.byteLength === length ? reuse : Buffer.allocUnsafeSlow(length);
      const content = `${stats.dev}:${stats.ino}:${stats.mtimeMs}:${position}:${length}`;
      try {
        const count = await (wasRead.has(content) ? readWarm(fd, buffer, position, length) : readFully(fd, buffer, position));
        wasRead.note(content);
        return buffer.subarray(0, count);
      } catch (error) {
        throw fileFailure(error, facts.asked);
      }
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await close(fd);
    },
  };
}

async function readAll(facts: PathFacts, maxBytes = defaultMaxBytes): Promise<{ bytes: Uint8Array; fingerprint: Fingerprint }> {
  const { fd, stats } = await openRegular(facts);
  try {
    let before = stats;
    for (let attempt = 1; ; attempt += 1) {
      if (before.size > maxBytes) throw tooLarge(facts.asked, before.size, maxBytes);
      const bytes = await readToEnd(fd, before.size, maxBytes, facts.asked);
      const after = await fstat(fd);
      // Written to while it was read: the bytes may be half old, half new.
      const steady = after.size === bytes.byteLength && after.mtimeMs === before.mtimeMs;
      if (steady || attempt === maxAttempts) {
        return { bytes, fingerprint: { size: bytes.byteLength, mtimeMs: after.mtimeMs, hash: sha256(bytes) } };
      }
      before = after;
    }
  } catch (error) {
    throw fileFailure(error, facts.asked);
  } finally {
    await close(fd);
  }
}

/** One byte more than expected is asked for, so that growth during the read is seen. */
async function readToEnd(fd: number, size: number, maxBytes: number, asked: string): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafeSlow(size + 1);
  let length = await readFully(fd, buffer, 0, size);
  while (length === buffer.byteLength) {
    if (length > maxBytes) throw tooLarge(asked, length, maxBytes);
    const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes + 1, length * 2 + 4096));
    buffer.copy(larger);
    buffer = larger;
    length += await readFully(fd, buffer.subarray(length), length);
  }
  if (length > maxBytes) throw tooLarge(asked, length, maxBytes);
  return buffer.subarray(0, length);
}

async function listDirectory(facts: PathFacts): Promise<readonly DirectoryEntry[]> {
  if (facts.kind === "file") {
    throw new ToolFailure("invalid_tool_input", `${facts.asked} is a file, not a directory`, {
      hint: "Use Read to see what is in it.",
      details: { reason: "not_a_directory", path: facts.asked },
    });
  }
  if (facts.kind !== "directory") throw await whyUnusable(facts);
  try {
    const directory = await holdDirectory(facts.real, facts.asked);
    try {
      const found = [...(await readEntries(directory.at(".")))];
      found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      const entries: DirectoryEntry[] = [];
      for (let start = 0; start < found.length; start += statsAtOnce) {
        const group = await Promise.all(found.slice(start, start + statsAtOnce).map((one) => entryOf(one, directory.at(one.name))));
        for (const entry of group) if (entry !== undefined) entries.push(entry);
      }
      return entries;
    } finally {
      await directory.close();
    }
  } catch (error) {
    throw fileFailure(error, facts.asked);
  }
}

async function entryOf({ name, kind }: Pick<DirectoryEntry, "name" | "kind">, path: string): Promise<DirectoryEntry | undefined> {
  try {
    const stats = await lstatCold(path);
    return { name, kind: stats.isSymbolicLink() ? "link" : kindOf(stats), size: stats.size, mtimeMs: stats.mtimeMs };
  } catch (error) {
    // What vanished is no entry.
    return isMissing(error) ? undefined : { name, kind, size: 0, mtimeMs: 0 };
  }
}
