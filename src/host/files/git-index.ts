/**
 * What a git index says, apart from what it remembers of the files' times: `git status`, which every prompt and editor
 * runs, rewrites the latter and nothing else. Reads versions 2 to 4 with SHA-1 names; of anything else it says nothing.
 */
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";

const headerBytes = 12;
/** Times, device, inode, owner and size of the file, around its mode. */
const statBytes = 40;
const modeAt = 24;
const nameBytes = 20;
const flagsAt = statBytes + nameBytes;
const fixedBytes = flagsAt + 2;
const extended = 0x4000;
const stageAndFlags = 0xf000;

export function isGitIndex(path: string): boolean {
  return basename(path) === "index" && /(?:^|\/)\.git(?:\/(?:worktrees|modules)\/.+)?$/.test(dirname(path));
}

/** Equal for equal content of the index; nothing when it cannot be read. */
export function meaningOfIndex(bytes: Buffer): string | undefined {
  if (bytes.length < headerBytes || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const count = bytes.readUInt32BE(8);
  const hash = createHash("sha256");
  let at = headerBytes;
  for (let entry = 0; entry < count; entry++) {
    if (at + fixedBytes > bytes.length) return undefined;
    const flags = bytes.readUInt16BE(at + flagsAt);
    const nameAt = at + fixedBytes + ((flags & extended) === 0 ? 0 : 2);
    const end = bytes.indexOf(0, version === 4 ? skipNumber(bytes, nameAt) : nameAt);
    if (end < 0) return undefined;
    hash.update(bytes.subarray(at + modeAt, at + modeAt + 4));
    hash.update(bytes.subarray(at + statBytes, at + flagsAt));
    hash.update(`${flags & stageAndFlags} `);
    hash.update(bytes.subarray(at + fixedBytes, end + 1));
    // Before version 4 entries are filled up to a multiple of eight.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return hash.digest("hex");
}

/** In version 4 a number stands before the name: how much of the name before it is cut off. */
function skipNumber(bytes: Buffer, at: number): number {
  let p = at;
  while (p < bytes.length && ((bytes[p] ?? 0) & 0x80) !== 0) p += 1;
  return p + 1;
}
