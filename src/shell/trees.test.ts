/** Commands that read more than the path they name say so, and those that follow links ask. */
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "./analyze.ts";
import type { ShellWorld } from "./types.ts";

const world: ShellWorld = { cwd: "/repo", userHome: "/home/u", workspace: "/repo", gitTrusted: true };

function trees(command: string): readonly string[] {
  return analyzeCommand(command, world).effects.flatMap((effect) => (effect.kind === "read" && effect.tree === true ? [effect.path] : []));
}

describe("a whole directory is read", () => {
  it.each([
    ["grep -r x src", ["/repo/src"]],
    ["grep -d recurse x src", ["/repo/src"]],
    ["grep -drec x", ["/repo"]],
    ["grep --directories=recurse x", ["/repo"]],
    ["diff a b", ["/repo/a", "/repo/b"]],
    ["diff -r a b", ["/repo/a", "/repo/b"]],
    ["git diff --no-index a b", ["/repo/a", "/repo/b"]],
    ["git diff a b", ["/repo/a", "/repo/b"]],
    ["git grep --untracked x", ["/repo"]],
    ["git grep --no-index x src", ["/repo/src"]],
    ["git grep --untracked --no-exclude-standard x -- src", ["/repo/src"]],
    ["rg x", ["/repo"]],
    ["ag -p ignored x", ["/repo"]],
  ])("%s", (command, expected) => {
    expect(trees(command)).toEqual(expected);
  });

  it.each(["git diff HEAD~1 HEAD", "git grep x", "grep x a.txt", "git diff src"])("not by %s", (command) => {
    expect(trees(command)).toEqual([]);
  });
});

describe("links that lead anywhere", () => {
  it.each(["rg -L x", "rg --follow x src", "ag -f x"])("make %s ask", (command) => {
    expect(analyzeCommand(command, world).understood).toBe(false);
  });
});

function removals(command: string): readonly string[] {
  const { effects } = analyzeCommand(command, world);
  return [
    ...new Set(effects.flatMap((effect) => (effect.kind === "write" && /^\/repo(?:\/\.)?$/.test(effect.path) ? [effect.change] : []))),
  ];
}

describe("some files of a directory are not the directory", () => {
  it.each(["rm *.log", "find . -name '*.log' -delete", "find . -name '*.log' | xargs rm", "find . -name '*.log' -exec rm {} +"])(
    "%s",
    (command) => {
      expect(removals(command)).toEqual(["modify"]);
    },
  );

  it.each([
    "rm -rf *",
    "rm -rf .g*",
    "rm -rf .[a-z]*",
    "find . -name '.g*' -exec rm -rf {} +",
    "find . -not -name x -delete",
    "find . -name x -o -delete",
    "find . -delete -name x",
  ])("but %s may be all of it", (command) => {
    expect(removals(command)).toContain("delete");
  });
});
