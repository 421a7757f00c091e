/** Asks git's index file whether a path is tracked; `undefined` if the file cannot be read. */
import { readGitIndex } from "../../../contract/index.ts";
import { joinBytes } from "../byte-path.ts";
import { readWhole } from "../whole-file.ts";

/** `path` is relative to the repository; a directory is tracked if something below it is. */
export async function isTracked(gitDirectory: string, path: string): Promise<boolean | undefined> {
  const bytes = await readWhole(joinBytes(gitDirectory, "index"));
  if (bytes === undefined) return false;
  const below = `${path}/`;
  return readGitIndex(bytes)?.entries.some((entry) => {
    const name = entry.name.toString("latin1");
    return name === path || name.startsWith(below);
  });
}
