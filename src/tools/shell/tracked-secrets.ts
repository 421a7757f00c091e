/**
 * Secrets that git itself can show: `git show`, `git log -p` or `git grep` print files nobody named, but only tracked
 * ones. Those whose names promise a secret are named as reads, from the repository's index; where it cannot be read it
 * is not known what would be shown. What only an older commit holds is not looked for.
 */
import { dirname, join } from "node:path";
import type { Effect, FileReader } from "../../contract/index.ts";
import { trackedPaths } from "./git-index.ts";
import { mayBeSecret } from "./secret-names.ts";

const maxIndexBytes = 64 * 1024 * 1024;
const maxNamed = 100;

type Reader = Pick<FileReader, "resolve" | "stat" | "readAll">;

/** Of the whole repository that `path` lies in, or only at and below it. */
export async function trackedSecrets(path: string, reach: "repository" | "below", files: Reader): Promise<Effect[]> {
  const root = await repositoryOf(path, files);
  if (root === undefined) return [];
  const unsure: Effect = { kind: "unknown", reason: "what this repository tracks, and would be shown, cannot be told" };
  const index = join(root, ".git", "index");
  if (!(await files.stat(index))) return [];
  try {
    const { bytes } = await files.readAll(await files.resolve(index), maxIndexBytes);
    const tracked = trackedPaths(bytes);
    if (tracked === undefined) return [unsure];
    const start = path === root || reach === "repository" ? "" : path.slice(root.length + 1).toLowerCase();
    const found = tracked.filter((name) => mayBeSecret(name) && isAtOrBelow(name.toLowerCase(), start));
    const reads = await Promise.all(
      found.slice(0, maxNamed).map(async (name): Promise<Effect> => ({ kind: "read", path: await files.resolve(join(root, name)) })),
    );
    return found.length > maxNamed ? [...reads, unsure] : reads;
  } catch {
    return [unsure];
  }
}

async function repositoryOf(path: string, files: Reader): Promise<string | undefined> {
  for (let directory = path; ; directory = dirname(directory)) {
    if (await files.stat(join(directory, ".git"))) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

function isAtOrBelow(name: string, start: string): boolean {
  return start === "" || name === start || name.startsWith(`${start}/`);
}
