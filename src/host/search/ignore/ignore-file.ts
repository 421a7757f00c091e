/** Reads an ignore file into rules. Only regular files of a sane size: a FIFO named `.gitignore` hangs nobody. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { toSystemPath } from "../byte-path.ts";
import type { WildcardDialect } from "../wildcard.ts";
import { parseRules, type RuleSet } from "./ignore-rules.ts";

const maxBytes = 16 * 1024 * 1024;

export interface IgnoreFileOptions {
  readonly dialect: WildcardDialect;
  readonly fold?: boolean;
  /** Git does not read a `.gitignore` that is a link. */
  readonly followLink?: boolean;
}

export function readIgnoreFile(bytePath: string, { dialect, fold, followLink = true }: IgnoreFileOptions): RuleSet | undefined {
  const text = readSmallFile(bytePath, followLink);
  return text === undefined ? undefined : parseRules(text, dialect, fold);
}

/** The bytes of a small regular file as a byte string; `undefined` when there is none or it cannot be read. */
export function readSmallFile(bytePath: string, followLink = true): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(toSystemPath(bytePath), constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW));
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const bytes = Buffer.allocUnsafe(stat.size);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(descriptor, bytes, length, bytes.length - length, length);
    return bytes.toString("latin1", 0, length);
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
