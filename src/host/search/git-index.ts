/** Asks git's index file whether a path is tracked. Reads versions 2 to 4; says `undefined` for what it does not understand. */
import { joinBytes } from "./byte-path.ts";
import { readWhole } from "./whole-file.ts";

/** `path` is relative to the repository; a directory is tracked when something below it is. */
export async function isTracked(gitDirectory: string, path: string, hashBytes: number): Promise<boolean | undefined> {
  const bytes = await readWhole(joinBytes(gitDirectory, "index"));
  if (bytes === undefined) return false;
  if (bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const below = `${path}/`;
  try {
    for (const name of entryNames(bytes, version, bytes.readUInt32BE(8), hashBytes)) {
      if (name === path || name.startsWith(below)) return true;
    }
  } catch {
    return undefined;
  }
  return false;
}

function* entryNames(bytes: Buffer, version: number, count: number, hashBytes: number): Generator<string> {
  let at = 12;
  let previous = "";
  for (let i = 0; i < count; i++) {
    const start = at;
    const flags = bytes.readUInt16BE(start + 40 + hashBytes);
    at = start + 42 + hashBytes + ((flags & 0x4000) !== 0 ? 2 : 0);
    let kept = "";
    if (version === 4) {
      const strip = readOffset(bytes, at);
      at = strip.end;
      kept = previous.slice(0, previous.length - strip.value);
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) throw new RangeError("index entry without end");
    previous = kept + bytes.toString("latin1", at, end);
    yield previous;
    at = version === 4 ? end + 1 : start + Math.ceil((end + 1 - start) / 8) * 8;
  }
}

/** The variable-length number of the pack format. */
function readOffset(bytes: Buffer, from: number): { value: number; end: number } {
  let at = from;
  let byte = bytes.readUInt8(at++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, end: at };
}
