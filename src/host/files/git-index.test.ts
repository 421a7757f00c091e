import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isGitIndex, meaningOfIndex } from "./git-index.ts";

it("knows an index by its place", () => {
  expect(["/w/.git/index", "/w/.git/worktrees/x/index", "/w/.git/modules/a/b/index"].map(isGitIndex)).toEqual([true, true, true]);
  expect(["/w/index", "/w/.git/HEAD", "/w/x.git/index", "/w/.git/refs/index"].map(isGitIndex)).toEqual([false, false, false, false]);
});

const hasGit = spawnSync("git", ["--version"]).status === 0;
const why = hasGit ? "" : " (skipped: there is no git here)";

it.skipIf(!hasGit).each(["2", "4"])(
  `an index of version %s means the same after a refresh, and another thing after an add${why}`,
  (version) => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "karyi-index-")));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const git = (...args: string[]) => execFileSync("git", ["-C", directory, "-c", `index.version=${version}`, ...args]);
    git("init", "-q");
    for (const name of ["a", "ab", "abc/d", "long-enough-to-need-filling-up"].map((one) => one.replace("/", "-"))) {
      writeFileSync(join(directory, name), name);
    }
    git("add", ".");
    const index = () => readFileSync(join(directory, ".git/index"));
    const before = index();
    expect(before.readUInt32BE(4)).toBe(Number(version));
    utimesSync(join(directory, "a"), 1, 1);
    git("update-index", "-q", "--refresh");
    expect(index().equals(before)).toBe(false);
    expect(meaningOfIndex(before)).toBeDefined();
    expect(meaningOfIndex(index())).toBe(meaningOfIndex(before));
    writeFileSync(join(directory, "a"), "changed");
    git("add", "a");
    expect(meaningOfIndex(index())).not.toBe(meaningOfIndex(before));
  },
);

it("says nothing of what is no index", () => {
  for (const text of ["", "DIRC", "DIRC\0\0\0\u0002\0\0\0\u0009", "something else entirely"])
    expect(meaningOfIndex(Buffer.from(text))).toBeUndefined();
});
