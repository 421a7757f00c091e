/**
 * Reads the entries of a git index, versions 2 to 4, with names of SHA-1 or SHA-256. The only reader: whoever asks what is tracked,
 * and whoever asks whether an index still means the same, asks here. Refuses to guess: entries that do not add up have no answer.
 */

interface GitIndexEntry {
  readonly mode: number;
  /** Of the content. */
  readonly hash: Buffer;
  /** Stage, and what git assumes about the file; without the length of its name. */
  readonly flags: number;
  /** Further flags since version 3; 0 if there are none. */
  readonly moreFlags: number;
  readonly name: Buffer;
}

interface GitIndex {
  readonly entries: readonly GitIndexEntry[];
  /** False if part of the entries is kept in another file, or a directory stands in place of its files. */
  readonly isWhole: boolean;
}

const header = 12;
/** Times, device, inode, mode, owner and size before an entry's hash. */
const statBytes = 40;
const modeAt = 24;
const directoryMode = 0o040000;
const extended = 0x4000;
const lengthOfName = 0x0fff;

export function readGitIndex(bytes: Uint8Array): GitIndex | undefined {
  const index = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (index.length < header || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  // Which hash a repository uses stands in its configuration; only one of them makes the entries add up.
  return readEntries(index, 20) ?? readEntries(index, 32);
}

function readEntries(index: Buffer, hashBytes: number): GitIndex | undefined {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const end = index.length - hashBytes;
  const entries: GitIndexEntry[] = [];
  let previous: Buffer = Buffer.alloc(0);
  let isSparse = false;
  let at = header;
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + statBytes + hashBytes;
    if (flagsAt + 4 > end) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    const isExtended = version >= 3 && (flags & extended) !== 0;
    const cut = version === 4 ? readVariable(index, flagsAt + (isExtended ? 4 : 2)) : undefined;
    const nameAt = cut?.next ?? flagsAt + (isExtended ? 4 : 2);
    const nameEnd = index.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end || (cut && cut.value > previous.length)) return undefined;
    const rest = index.subarray(nameAt, nameEnd);
    const name = cut ? Buffer.concat([previous.subarray(0, previous.length - cut.value), rest]) : rest;
    if (name.length === 0 || Buffer.compare(previous, name) > 0) return undefined;
    const mode = index.readUInt32BE(at + modeAt);
    isSparse ||= mode === directoryMode;
    entries.push({
      mode,
      hash: index.subarray(at + statBytes, flagsAt),
      flags: flags & ~lengthOfName,
      moreFlags: isExtended ? index.readUInt16BE(flagsAt + 2) : 0,
      name,
    });
    previous = name;
    // Before version 4 an entry ends with one to eight NULs, at a multiple of eight.
    at = version === 4 ? nameEnd + 1 : at + ((nameEnd - at + 8) & ~7);
  }
  const isSplit = splitAfter(index, at, end);
  return isSplit === undefined ? undefined : { entries, isWhole: !isSparse && !isSplit };
}

/** How many bytes of the name before are dropped: seven bits a byte, each further byte one up. */
function readVariable(index: Buffer, at: number): { readonly value: number; readonly next: number } {
  let next = at;
  let byte = index[next] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && next - at < 4) {
    next += 1;
    byte = index[next] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: next + 1 };
}

/** Behind the entries stand extensions up to the hash; one named `link` keeps entries in another file. */
function splitAfter(index: Buffer, from: number, end: number): boolean | undefined {
  let at = from;
  let isSplit = false;
  while (at + 8 <= end) {
    isSplit ||= index.toString("latin1", at, at + 4) === "link";
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end ? isSplit : undefined;
}
