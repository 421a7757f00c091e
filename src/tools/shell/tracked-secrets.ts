/**
 * Secrets that git itself can show: `git show`, `git log -p` or `git grep` print files nobody named, but only tracked
 * ones. Those whose names promise a secret are named as reads, from the repository's index; where it cannot be read it
 * is not known what would be shown. What only an older commit holds is not looked for.
 */
import { dirname, join, resolve } from "node:path";
import { type Effect, type FileReader, isSecretPath, readGitIndex } from "../../contract/index.ts";

const maxIndexBytes = 64 * 1024 * 1024;
const maxPointerBytes = 4096;
const maxNamed = 100;

type Reader = Pick<FileReader, "resolve" | "stat" | "readAll">;

/** Of the whole repository that `path` lies in, or only at and below it. */
export async function trackedSecrets(path: string, reach: "repository" | "below", files: Reader): Promise<Effect[]> {
  const unsure: Effect = {
    kind: "unknown",
    reason: "what this repository tracks, and would be shown, cannot be told",
    mayShowSecrets: true,
  };
  try {
    const repository = await repositoryOf(path, files);
    if (repository === undefined) return [];
    if (repository === "bare") return [unsure];
    const { root, git } = repository;
    const index = join(git, "index");
    if (!(await files.stat(index))) return (await isUnborn(git, files)) ? [] : [unsure];
    const { bytes } = await files.readAll(await files.resolve(index), maxIndexBytes);
    const tracked = readGitIndex(bytes);
    if (!tracked?.isWhole) return [unsure];
    const names = tracked.entries.map((entry) => entry.name.toString("utf8"));
    const start = path === root || reach === "repository" ? "" : path.slice(root.length + 1).toLowerCase();
    const found = names.filter((name) => isSecretPath(name) && isAtOrBelow(name.toLowerCase(), start));
    const reads = await Promise.all(
      found.slice(0, maxNamed).map(
        async (name): Promise<Effect> => ({
          kind: "read",
          path: await files.resolve(join(root, name)),
          recorded: true,
        }),
      ),
    );
    return found.length > maxNamed ? [...reads, unsure] : reads;
  } catch {
    return [unsure];
  }
}

interface Repository {
  readonly root: string;
  /** Holds its index; of a linked worktree it lies elsewhere. */
  readonly git: string;
}

async function repositoryOf(path: string, files: Reader): Promise<Repository | "bare" | undefined> {
  for (let directory = path; ; directory = dirname(directory)) {
    const git = join(directory, ".git");
    const stat = await files.stat(git);
    if (stat?.kind === "directory") return { root: directory, git };
    if (stat !== undefined) {
      const elsewhere = /^gitdir: (.+)$/m.exec(await textOf(git, files))?.[1];
      if (elsewhere === undefined) throw new Error("a .git that leads nowhere");
      return { root: directory, git: resolve(directory, elsewhere) };
    }
    if ((await files.stat(join(directory, "HEAD"))) && (await files.stat(join(directory, "objects")))) return "bare";
    if (dirname(directory) === directory) return undefined;
  }
}

/** Nothing was ever committed or fetched. */
async function isUnborn(git: string, files: Reader): Promise<boolean> {
  const branch = /^ref: (.+)$/m.exec(await textOf(join(git, "HEAD"), files))?.[1];
  if (branch === undefined || (await files.stat(join(git, "commondir")))) return false;
  const traces = await Promise.all([branch, "packed-refs", "FETCH_HEAD"].map((name) => files.stat(join(git, name))));
  return traces.every((stat) => stat === undefined);
}

async function textOf(path: string, files: Reader): Promise<string> {
  const { bytes } = await files.readAll(await files.resolve(path), maxPointerBytes);
  return Buffer.from(bytes).toString("utf8");
}

function isAtOrBelow(name: string, start: string): boolean {
  return start === "" || name === start || name.startsWith(`${start}/`);
}
