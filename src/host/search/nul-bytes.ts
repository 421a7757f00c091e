/** Whether a file holds a NUL byte, which is what makes it no text here. UTF-16 is text by its mark. */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { toSystemPath } from "./byte-path.ts";

const blockBytes = 256 * 1024;

export function hasNul(bytePath: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(toSystemPath(bytePath), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return false;
  }
  try {
    const block = Buffer.allocUnsafe(blockBytes);
    for (let position = 0; ; ) {
      const got = readSync(descriptor, block, 0, blockBytes, position);
      if (got === 0) return false;
      const bytes = block.subarray(0, got);
      if (position === 0 && isWide(bytes)) return false;
      if (bytes.includes(0)) return true;
      position += got;
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}

function isWide(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}
