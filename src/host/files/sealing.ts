/**
 * Before-images that hold a secret are encrypted where they are kept: undo needs the bytes, a search through the home
 * must not find them. The key is the home's own, made when it is first needed, readable by its owner only.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ToolFailure } from "../../contract/index.ts";
import { homeKey, readHomeKey } from "./home-key.ts";

const cipher = "aes-256-gcm";
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
  const sealer = createCipheriv(cipher, await homeKey(keyFile), nonce);
  const sealed = Buffer.concat([sealer.update(bytes), sealer.final()]);
  return Buffer.concat([nonce, sealer.getAuthTag(), sealed]);
}

export async function openBytes(sealed: Buffer, keyFile: string): Promise<Buffer> {
  const key = await readHomeKey(keyFile);
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
