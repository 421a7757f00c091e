/** Which kind of thing a path names, where it is one that no file tool opens. Nothing is opened for it, and links are followed. */
import { statSync } from "node:fs";
import type { PathKind } from "../../contract/index.ts";
import { kindOf } from "./calls.ts";

export function unopenable(path: string): PathKind | undefined {
  try {
    const kind = kindOf(statSync(path));
    return kind === "file" || kind === "directory" ? undefined : kind;
  } catch {
    return undefined;
  }
}
