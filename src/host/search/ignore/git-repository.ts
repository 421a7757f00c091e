/**
 * Finds the repository around a path and reads the little of it that ignore rules need: where `info/exclude` is, two settings,
 * and which paths are tracked. Runs no git: a hostile repository's configuration can make git execute programs.
 */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { joinBytes, parentOf, toBytePath, toSystemPath } from "../byte-path.ts";
import { configEntries } from "./git-config.ts";
import { readSmallFile } from "./ignore-file.ts";
import { linkedGit, looksLikeGit, resolveBytes } from "./linked-git.ts";

export interface Repository {
  /** Directory that holds `.git`. */
  readonly root: string;
  /** Of this work tree: holds the index. */
  readonly gitDirectory: string;
  /** Shared by all work trees: holds `info/exclude` and `config`. */
  readonly commonDirectory: string;
  /** True if these are of this repository wherever they lie; otherwise they count only as files of the work tree. */
  readonly isOwn: boolean;
}

/** The nearest repository at or above a directory. A `.git` file that names somebody else's directory leaves it without one. */
export function findRepository(directory: string): Repository | undefined {
  for (let at: string | undefined = directory; at !== undefined; at = parentOf(at)) {
    const entry = joinBytes(at, ".git");
    const kind = kindOf(entry);
    if (kind === "directory") return { root: at, gitDirectory: entry, commonDirectory: entry, isOwn: looksLikeGit(entry) };
    if (kind === "file" && /^gitdir: ./.test(readSmallFile(entry) ?? "")) {
      const { leadsBack, ...directories } = linkedGit(at) ?? { gitDirectory: entry, commonDirectory: entry, leadsBack: false };
      return { root: at, ...directories, isOwn: leadsBack };
    }
  }
  return undefined;
}

export function kindOf(bytePath: string): "directory" | "file" | "other" | undefined {
  try {
    const stat = lstatSync(toSystemPath(bytePath), { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "other";
  } catch {
    return undefined;
  }
}

export interface IgnoreSettings {
  readonly ignoreCase: boolean;
  /** The person's own ignore file, for all repositories. */
  readonly excludesFile: string;
}

/** Git's settings in git's order: the machine's, the person's, the repository's; the last one wins. */
export function readIgnoreSettings(repository: Repository, env: NodeJS.ProcessEnv = process.env): IgnoreSettings {
  const home = toBytePath(env.HOME ?? homedir());
  const xdg = env.XDG_CONFIG_HOME ? toBytePath(env.XDG_CONFIG_HOME) : joinBytes(home, ".config");
  const files = [
    ...(env.GIT_CONFIG_NOSYSTEM ? [] : [toBytePath(env.GIT_CONFIG_SYSTEM ?? "/etc/gitconfig")]),
    ...(env.GIT_CONFIG_GLOBAL === undefined
      ? [joinBytes(xdg, "git/config"), joinBytes(home, ".gitconfig")]
      : [toBytePath(env.GIT_CONFIG_GLOBAL)]),
    joinBytes(repository.commonDirectory, "config"),
  ];
  let ignoreCase = false;
  let excludesFile = joinBytes(xdg, "git/ignore");
  for (const file of files) {
    for (const [key, value] of configEntries(readSmallFile(file) ?? "")) {
      if (key === "core.ignorecase") ignoreCase = value === undefined || /^(true|yes|on|1)$/i.test(value);
      else if (key === "core.excludesfile" && value !== undefined) {
        excludesFile = value.startsWith("~/") ? joinBytes(home, value.slice(2)) : resolveBytes(repository.root, value);
      }
    }
  }
  return { ignoreCase, excludesFile };
}
