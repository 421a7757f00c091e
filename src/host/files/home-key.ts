/** Keys that a home makes for itself when they are first needed: 32 random bytes in a file that only its owner can read. */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf, isMissing } from "./failures.ts";

const keyBytes = 32;

export async function homeKey(file: string): Promise<Buffer> {
  return (await readHomeKey(file)) ?? (await makeKey(file));
}

/** `undefined` if there is none, or what is there is no key. */
export async function readHomeKey(file: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(file);
    return key.length === keyBytes ? key : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whole under its name at once, and never over another process's: the first one counts for all. */
async function makeKey(file: string): Promise<Buffer> {
  const key = randomBytes(keyBytes);
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(temporary, key, { mode: 0o600, flag: "wx", flush: true });
  try {
    await link(temporary, file);
    return key;
  } catch (error) {
    const theirs = errnoOf(error) === "EEXIST" ? await readHomeKey(file) : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  } finally {
    await unlink(temporary);
  }
}
