/** Text handed to a child by descriptor, in memory where the machine has such a place: its file has a name only until it is open. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "./private-directory.ts";

export interface HiddenFile {
  readonly path: string;
  remove(): void;
}

export function hideText(text: string): HiddenFile {
  const directory = makePrivateDirectory();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const path = join(directory, "text");
  try {
    writeFileSync(path, text, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
