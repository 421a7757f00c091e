/**
 * Reads the paths out of a git index, versions 2 to 4. Refuses to guess: an index that keeps part of its entries
 * elsewhere, or whose entries do not add up, has no answer.
 */
const header = 12;
/** Times, device, inode, mode, owner and size before an entry's hash. */
const statBytes = 40;
const directoryMode = 0o040000;

/** In the order of the index; `undefined` where they cannot be told. */
export function trackedPaths(bytes: Uint8Array): string[] | undefined {
  const index = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (index.length < header || index.toString("latin1", 0, 4) !== "DIRC") return undefined;
  // Which hash a repository uses stands in its configuration; only one of them makes the entries add up.
  return readEntries(index, 20) ?? readEntries(index, 32);
}

function readEntries(index: Buffer, hashBytes: number): string[] | undefined {
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const end = index.length - hashBytes;
  const paths: string[] = [];
  let previous = Buffer.alloc(0);
  let at = header;
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + statBytes + hashBytes;
    if (flagsAt + 2 > end) return undefined;
    // A directory in place of its files: a sparse index.
    if (index.readUInt32BE(at + 24) === directoryMode) return undefined;
    const extended = version >= 3 && (index.readUInt16BE(flagsAt) & 0x4000) !== 0;
    let nameAt = flagsAt + (extended ? 4 : 2);
    let kept = Buffer.alloc(0);
    if (version === 4) {
      const cut = readVariable(index, nameAt);
      if (cut.value > previous.length) return undefined;
      kept = previous.subarray(0, previous.length - cut.value);
      nameAt = cut.next;
    }
    const nameEnd = index.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return undefined;
    const name = Buffer.concat([kept, index.subarray(nameAt, nameEnd)]);
    if (name.length === 0 || Buffer.compare(previous, name) > 0) return undefined;
    paths.push(name.toString("utf8"));
    previous = name;
    at = version === 4 ? nameEnd + 1 : at + padded(nameEnd - at);
  }
  return isWhole(index, at, end) ? paths : undefined;
}

/** An entry ends with one to eight NULs, at a multiple of eight. */
function padded(length: number): number {
  return (length + 8) & ~7;
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
function isWhole(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    if (index.toString("latin1", at, at + 4) === "link") return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
