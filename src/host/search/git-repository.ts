/**
 * Finds the repository around a path and reads the little of it that ignore rules need: where `info/exclude` is, two settings,
 * and which paths are tracked. Runs no git: a hostile repository's configuration can make git execute programs.
 */
import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { joinBytes, parentOf, toBytePath, toSystemPath } from "./byte-path.ts";
import { readSmallFile } from "./ignore-file.ts";

export interface Repository {
  /** Directory that holds `.git`. */
  readonly root: string;
  /** Of this work tree: holds the index. */
  readonly gitDirectory: string;
  /** Shared by all work trees: holds `info/exclude` and `config`. */
  readonly commonDirectory: string;
}

/** The nearest repository at or above a directory. */
export function findRepository(directory: string): Repository | undefined {
  for (let at: string | undefined = directory; at !== undefined; at = parentOf(at)) {
    const entry = joinBytes(at, ".git");
    const kind = kindOf(entry);
    if (kind === "directory") return { root: at, gitDirectory: entry, commonDirectory: commonOf(entry) };
    if (kind === "file") {
      const target = /^gitdir: (.+?)\n*$/s.exec(readSmallFile(entry) ?? "")?.[1];
      if (target !== undefined) {
        const gitDirectory = resolveBytes(at, target);
        return { root: at, gitDirectory, commonDirectory: commonOf(gitDirectory) };
      }
    }
  }
  return undefined;
}

function commonOf(gitDirectory: string): string {
  const written = readSmallFile(joinBytes(gitDirectory, "commondir"))?.replace(/\n+$/, "");
  return written === undefined || written === "" ? gitDirectory : resolveBytes(gitDirectory, written);
}

function resolveBytes(base: string, path: string): string {
  return path.startsWith("/") ? path : joinBytes(base, path);
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
  /** Bytes of an object name in the index. */
  readonly hashBytes: number;
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
  let hashBytes = 20;
  for (const file of files) {
    for (const [key, value] of configEntries(readSmallFile(file) ?? "")) {
      if (key === "core.ignorecase") ignoreCase = value === undefined || /^(true|yes|on|1)$/i.test(value);
      else if (key === "core.excludesfile" && value !== undefined) {
        excludesFile = value.startsWith("~/") ? joinBytes(home, value.slice(2)) : resolveBytes(repository.root, value);
      } else if (key === "extensions.objectformat") hashBytes = value === "sha256" ? 32 : 20;
    }
  }
  return { ignoreCase, excludesFile, hashBytes };
}

/** `section.key` in lower case and its value; sections with a sub-section are passed over. */
function* configEntries(text: string): Generator<readonly [string, string | undefined]> {
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^\s*\[\s*([\w.-]+)\s*\]\s*(?:[#;].*)?$/.exec(line);
    if (heading !== null) {
      section = (heading[1] as string).toLowerCase();
      continue;
    }
    if (/^\s*\[/.test(line)) {
      section = "";
      continue;
    }
    const entry = /^\s*([a-zA-Z][\w-]*)\s*(?:=\s*(.*?)\s*)?$/.exec(line);
    if (entry === null || section === "") continue;
    const value = entry[2]?.replace(/^"(.*)"$/, "$1").replace(/\\(["\\])/g, "$1");
    yield [`${section}.${(entry[1] as string).toLowerCase()}`, value];
  }
}
