/** Names on the wire: letters, digits, `_` and `-` of bounded length, unique. What does not fit is shortened with a hash of the whole. */
import { createHash } from "node:crypto";

const hashLength = 8;

/** The same name always gives the same answer; two names that would look alike get different ones. */
export function wireName(name: string, maxLength: number): string {
  const plain = name.replaceAll(":", "__").replace(/[^A-Za-z0-9_-]/g, "_");
  const isFaithful = plain === name.replaceAll(":", "__");
  if (isFaithful && plain.length <= maxLength) return plain;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, hashLength);
  return `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`;
}
