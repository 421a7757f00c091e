/**
 * The git directory that a `.git` file names. Refuses to believe it: whoever wrote the workspace wrote that file too, and could name any
 * directory of the machine. What lies elsewhere counts only if it looks like a git directory and leads back to this very work tree, as
 * the one of a linked worktree (`gitdir`) and of a submodule (`core.worktree`) do. Nothing of the workspace can make it say so.
 */
import { lstatSync, realpathSync } from "node:fs";
import { baseName, joinBytes, parentOf, toSystemPath } from "../byte-path.ts";
import { configEntries } from "./git-config.ts";
import { readSmallFile } from "./ignore-file.ts";

export interface LinkedGit {
  /** Of this work tree: holds the index. */
  readonly gitDirectory: string;
  /** Shared by all work trees: holds `info/exclude` and `config`. */
  readonly commonDirectory: string;
  /** True if it leads back; otherwise it lies below the work tree, and counts only as a part of it. */
  readonly leadsBack: boolean;
}

/** Of the file `.git` in `top`. Nothing if it is none, or names what is not this work tree's. */
export function linkedGit(top: string): LinkedGit | undefined {
  const named = pathIn(joinBytes(top, ".git"), /^gitdir: (.+?)\n*$/s);
  const own = realOf(top);
  const gitDirectory = named === undefined ? undefined : realOf(resolveBytes(top, named));
  if (own === undefined || gitDirectory === undefined) return undefined;
  const written = pathIn(joinBytes(gitDirectory, "commondir"), /^(.+?)\n*$/s);
  const commonDirectory = written === undefined ? gitDirectory : realOf(resolveBytes(gitDirectory, written));
  if (commonDirectory === undefined) return undefined;
  const leadsBack = looksLikeGit(commonDirectory) && isGitOf(own, gitDirectory, commonDirectory);
  const isPart = [gitDirectory, commonDirectory].every((directory) => directory.startsWith(`${own}/`));
  return leadsBack || isPart ? { gitDirectory, commonDirectory, leadsBack } : undefined;
}

function isGitOf(top: string, gitDirectory: string, commonDirectory: string): boolean {
  if (gitDirectory === commonDirectory) {
    const configs = ["config", "config.worktree"].map((name) => readSmallFile(joinBytes(gitDirectory, name)) ?? "");
    const trees = configs.flatMap((text) => [...configEntries(text)]).filter(([key]) => key === "core.worktree");
    const worktree = trees.at(-1)?.[1];
    return worktree !== undefined && realOf(resolveBytes(gitDirectory, worktree)) === top;
  }
  const folder = parentOf(gitDirectory);
  if (folder === undefined || baseName(folder) !== "worktrees" || parentOf(folder) !== commonDirectory) return false;
  const back = pathIn(joinBytes(gitDirectory, "gitdir"), /^(.+?)\n*$/s);
  return back !== undefined && realOf(resolveBytes(gitDirectory, back)) === joinBytes(top, ".git");
}

const commit = /^(?:ref: *refs\/[^\n]*|[0-9a-f]{40}|[0-9a-f]{64})\n?$/;

/** As git tells one, and with nothing in it that is a link to somewhere else. */
export function looksLikeGit(directory: string): boolean {
  const isDirectory = (name: string) => {
    try {
      return lstatSync(toSystemPath(joinBytes(directory, name))).isDirectory();
    } catch {
      return false;
    }
  };
  return isDirectory("objects") && isDirectory("refs") && commit.test(readSmallFile(joinBytes(directory, "HEAD"), false) ?? "");
}

function pathIn(file: string, form: RegExp): string | undefined {
  return form.exec(readSmallFile(file, false) ?? "")?.[1];
}

export function resolveBytes(base: string, path: string): string {
  return path.startsWith("/") ? path : joinBytes(base, path);
}

function realOf(bytePath: string): string | undefined {
  try {
    return realpathSync.native(toSystemPath(bytePath), "buffer").toString("latin1");
  } catch {
    return undefined;
  }
}
