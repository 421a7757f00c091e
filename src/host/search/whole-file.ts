/** Whole files of bounded size, read without blocking the event loop. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { toSystemPath } from "./byte-path.ts";

const maxBytes = 512 * 1024 * 1024;

/** `undefined` when it is no regular file, too large, or cannot be read. */
export async function readWhole(bytePath: string): Promise<Buffer | undefined> {
  const file = await open(toSystemPath(bytePath), constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const stat = await file.stat();
    return stat.isFile() && stat.size <= maxBytes ? await file.readFile() : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
