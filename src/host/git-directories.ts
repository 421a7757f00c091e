/**
 * The git directories, outside of the roots, of the repositories that hold a root: above it, or those of a linked worktree or a
 * submodule (F7). Refuses what only the workspace says to be one, and a repository that holds the person's whole home.
 */
import { realpathSync } from "node:fs";
import { toBytePath, toSystemPath } from "./search/byte-path.ts";
import { findRepository } from "./search/ignore/git-repository.ts";

export function gitDirectoriesOf(roots: readonly string[], userHome: string): readonly string[] {
  const found = roots.flatMap((root) => {
    const repository = findRepository(toBytePath(root));
    if (repository === undefined || !repository.isOwn || isWithin(toBytePath(userHome), repository.root)) return [];
    // What lies in a root says whatever a command wrote there, also about a common directory elsewhere.
    if (roots.some((inside) => isWithin(repository.gitDirectory, toBytePath(inside)))) return [];
    return [repository.gitDirectory, repository.commonDirectory].flatMap((directory) => {
      try {
        return [realpathSync.native(toSystemPath(directory)).toString()];
      } catch {
        return [];
      }
    });
  });
  return [...new Set(found)].filter((directory) => !roots.some((root) => isWithin(directory, root)));
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
}
