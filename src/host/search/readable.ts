/**
 * What a search may read unasked, as it was injected: one answer for Grep, Glob and List, the same that the sandbox gets.
 * Refuses to decide: the policy does. Without a policy the table of secrets alone speaks.
 */
import { isSecretPath, type Readable } from "../../contract/index.ts";

export const readableByName: Readable = { byName: true, mayRead: (path, isDirectory) => !isSecretPath(path, isDirectory) };

/** Of a tree that a person was asked about as a whole, names within it are judged from its top down. */
export function readableIn(target: string, readable: Readable): Readable {
  if (readable.mayRead(target, true)) return readable;
  const start = target.endsWith("/") ? target.length : target.length + 1;
  return { byName: true, mayRead: (path, isDirectory) => !isSecretPath(path.slice(start), isDirectory) };
}
