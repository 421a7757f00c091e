/**
 * Before-images that hold a secret are encrypted where they are kept: undo needs the bytes, a search through the home
 * must not find them. The key is the home's own, made when it is first needed, readable by its owner only.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolFailure } from "../../contract/index.ts";
import { errnoOf, isMissing } from "./failures.ts";

const cipher = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface Sealing {
  /** Whether there is anything to look for at all. */
  isNeeded(): boolean;
  holdsSecret(text: string): boolean;
  /** Where the key lies. */
  readonly keyFile: string;
}

export async function sealBytes(bytes: Uint8Array, keyFile: string): Promise<Buffer> {
  const nonce = randomBytes(nonceBytes);
  const sealer = createCipheriv(cipher, (await readKey(keyFile)) ?? (await makeKey(keyFile)), nonce);
  const sealed = Buffer.concat([sealer.update(bytes), sealer.final()]);
  return Buffer.concat([nonce, sealer.getAuthTag(), sealed]);
}

export async function openBytes(sealed: Buffer, keyFile: string): Promise<Buffer> {
  const key = await readKey(keyFile);
  try {
    if (key === undefined) throw new Error("the key is gone");
    const opener = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    opener.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([opener.update(sealed.subarray(nonceBytes + tagBytes)), opener.final()]);
  } catch (error) {
    throw new ToolFailure("tool_error", "The kept bytes of a file with a secret cannot be opened: their key has changed.", {
      hint: `The key was in ${keyFile}.`,
      details: { reason: "image_key_missing" },
      cause: error,
    });
  }
}

async function readKey(file: string): Promise<Buffer | undefined> {
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
    const theirs = errnoOf(error) === "EEXIST" ? await readKey(file) : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  } finally {
    await unlink(temporary);
  }
}
