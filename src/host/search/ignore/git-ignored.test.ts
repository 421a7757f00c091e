import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { pick, type Random, randomFrom } from "../fixtures/generated-tree.ts";
import { createSearch } from "../search.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "karyi-ignored-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const { ignored } = createSearch();

const hasGit = spawnSync("git", ["--version"]).status === 0;
const why = hasGit ? "" : " (skipped: no git)";

// Nothing of the machine's or the person's own settings may decide here.
const gitConfig = join(base, "gitconfig");
vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
vi.stubEnv("GIT_CONFIG_GLOBAL", gitConfig);
vi.stubEnv("XDG_CONFIG_HOME", join(base, "xdg"));
afterAll(() => void vi.unstubAllEnvs());

let counter = 0;
let root = "";
beforeEach(() => {
  root = join(base, `repository-${counter++}`);
  mkdirSync(root);
  if (hasGit) execFileSync("git", ["init", "-q", root]);
});

interface Verdict {
  readonly path: string;
  readonly ignored: boolean;
  readonly rule: string;
}

function askGit(paths: readonly string[]): readonly Verdict[] {
  const { stdout } = spawnSync("git", ["-C", root, "check-ignore", "--verbose", "--non-matching", "-z", "--stdin"], {
    input: paths.map((path) => `${path}\0`).join(""),
  });
  const fields = stdout.toString().split("\0");
  return paths.map((path, i) => {
    const [source, line, pattern] = fields.slice(4 * i, 4 * i + 3) as [string, string, string];
    return { path, ignored: pattern !== "" && !pattern.startsWith("!"), rule: pattern === "" ? "" : `${source}:${line}:${pattern}` };
  });
}

async function askHere(paths: readonly string[]): Promise<readonly Verdict[]> {
  return Promise.all(
    paths.map(async (path) => {
      const verdict = await ignored(join(root, path));
      const rule = verdict.rule;
      const source = rule?.source.startsWith(`${root}/`) ? rule.source.slice(root.length + 1) : rule?.source;
      return { path, ignored: verdict.ignored, rule: rule === undefined ? "" : `${source}:${rule.line}:${rule.pattern}` };
    }),
  );
}

const names = [
  "a",
  "b",
  "ab",
  "foo",
  "bar",
  "Foo",
  "a.log",
  "b.txt",
  "x y",
  "a ",
  "[a]",
  "#h",
  "!n",
  "*",
  "a\\b",
  "é",
  "foo.log",
  "build",
  ".hid",
  "{a,b}",
  "1",
  "a-b",
  "aab",
  "tab\t",
];
const pieces = [
  ..."a b ab foo bar * ** ? *.log [ab] [!a] [^a] [a-c] [[:alpha:]] [[:digit:]]* \\* \\#h \\!n f* *o *o* é ?? []a] [!]] [a a\\ a** **b a**b *** \\[a\\]".split(
    " ",
  ),
  ..."[\\[]a] {a,b} [a-] [-a]b a?b [[:foo:]] [[:alpha:] F* [A-Z]* \\a [b-a] foo*bar *a*b*".split(" "),
  "a ",
  "a\\ ",
  "x y",
  "x\\ y",
  "tab\t",
];

function somePattern(random: Random): string {
  let pattern = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, pieces)).join("/");
  if (random() < 0.2) pattern = `/${pattern}`;
  if (random() < 0.25) pattern += "/";
  if (random() < 0.25) pattern = `!${pattern}`;
  if (random() < 0.05) pattern = ` ${pattern}`;
  return pattern + (random() < 0.8 ? "" : pick(random, [" ", "\\ ", "\t", "\r", "  "]));
}

function someFile(random: Random, most: number): string {
  return Array.from({ length: Math.ceil(random() * most) }, () => somePattern(random)).join("\n") + (random() < 0.5 ? "\n" : "");
}

const rounds = process.env.KARYI_FULL === "1" ? 400 : 24;
const title = `agrees with git check-ignore, rule and all, on a generated corpus of at least 2,000 pairs${why}`;
test.skipIf(!hasGit)(title, { timeout: 900_000 }, async () => {
  const random = randomFrom(20_240_607);
  const totals = { pairs: 0, ignored: 0, ruled: 0 };
  const differences: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    const paths: string[] = [];
    for (let i = 0; i < 100; i++) {
      const path = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(random, names)).join("/");
      try {
        mkdirSync(join(root, path, ".."), { recursive: true });
        if (random() < 0.3) mkdirSync(join(root, path), { recursive: true });
        else if (random() < 0.6) writeFileSync(join(root, path), "");
        paths.push(path);
      } catch {
        // Its parent is a file: not a path git would be asked about.
      }
    }
    writeFileSync(join(root, ".gitignore"), (round % 7 === 0 ? "\ufeff" : "") + someFile(random, 6));
    writeFileSync(join(root, ".git/info/exclude"), someFile(random, 2));
    for (const directory of ["a", "foo", "a/b", "ab"].filter(() => random() < 0.5)) {
      try {
        mkdirSync(join(root, directory), { recursive: true });
        writeFileSync(join(root, directory, ".gitignore"), someFile(random, 3));
      } catch {
        // A file has that name.
      }
    }
    execFileSync("git", ["-C", root, "config", "core.ignorecase", String(round % 5 === 4)]);
    const [expected, found] = [askGit(paths), await askHere(paths)];
    for (const [i, verdict] of expected.entries()) {
      totals.pairs++;
      if (verdict.ignored) totals.ignored++;
      if (verdict.rule !== "") totals.ruled++;
      if (JSON.stringify(verdict) !== JSON.stringify(found[i])) differences.push({ round, git: verdict, here: found[i] });
    }
    for (const name of [".gitignore", ...names]) rmSync(join(root, name), { recursive: true, force: true });
  }
  expect(differences).toEqual([]);
  expect(totals.pairs).toBeGreaterThanOrEqual(2_000);
  expect(totals.ignored).toBeGreaterThan(400);
  expect(totals.ruled).toBeGreaterThan(totals.ignored);
});

test.skipIf(!hasGit)(`reads ** after the fixed beginning of a path as git does${why}`, async () => {
  mkdirSync(join(root, "a.log"));
  writeFileSync(join(root, "a.log/build"), "");
  for (const pattern of ["/a**", "a**", "/a**d", "/**", "a.log/b**", "/a.*/**"]) {
    writeFileSync(join(root, ".gitignore"), `${pattern}\n`);
    const paths = ["a.log", "a.log/build", "b"];
    expect({ pattern, verdicts: await askHere(paths) }).toEqual({ pattern, verdicts: askGit(paths) });
  }
});

test.skipIf(!hasGit)(`a tracked path is never ignored, as git says${why}`, async () => {
  writeFileSync(join(root, ".gitignore"), "*.log\nout/\n");
  mkdirSync(join(root, "out"));
  for (const path of ["kept.log", "other.log", "out/kept.txt", "out/other.txt"]) writeFileSync(join(root, path), "");
  for (const version of ["2", "3", "4"]) {
    execFileSync("git", ["-C", root, "-c", `index.version=${version}`, "add", "-f", "kept.log", "out/kept.txt"]);
    execFileSync("git", ["-C", root, "update-index", `--index-version=${version}`]);
    const found = Object.fromEntries(
      await Promise.all(
        ["kept.log", "other.log", "out/kept.txt", "out/other.txt"].map(async (path) => [path, await ignored(join(root, path))]),
      ),
    );
    const rule = (line: number, pattern: string) => ({ source: join(root, ".gitignore"), line, pattern });
    expect(found).toEqual({
      "kept.log": { ignored: false, tracked: true },
      "other.log": { ignored: true, rule: rule(1, "*.log") },
      "out/kept.txt": { ignored: false, tracked: true },
      "out/other.txt": { ignored: true, rule: rule(2, "out/") },
    });
    expect(askGit(["kept.log", "other.log"]).map(({ ignored: verdict }) => verdict)).toEqual([false, true]);
  }
});

test.skipIf(!hasGit)(`a trailing slash means a directory that need not exist${why}`, async () => {
  writeFileSync(join(root, ".gitignore"), "cache/\n");
  expect([(await ignored(join(root, "cache"))).ignored, (await ignored(`${join(root, "cache")}/`)).ignored]).toEqual([false, true]);
});

test.skipIf(!hasGit)(`the person's own ignore file counts last, and a .gitignore that is a link does not${why}`, async () => {
  writeFileSync(join(base, "own-ignores"), "*.swp\n*.bak\n");
  writeFileSync(gitConfig, `[core]\n\texcludesFile = ${join(base, "own-ignores")}\n`);
  writeFileSync(join(root, ".gitignore"), "!keep.bak\n");
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "elsewhere"), "*.txt\n");
  symlinkSync("../elsewhere", join(root, "sub", ".gitignore"));
  const paths = ["a.swp", "keep.bak", "lost.bak", "sub/a.txt"];
  expect(await askHere(paths)).toEqual(askGit(paths));
  appendFileSync(gitConfig, "\texcludesFile =\n");
});

test("outside a repository the .gitignore files above count", async () => {
  const plain = join(base, "plain");
  mkdirSync(join(plain, "sub"), { recursive: true });
  writeFileSync(join(plain, ".gitignore"), "*.log\n");
  expect(await ignored(join(plain, "sub", "x.log"))).toEqual({
    ignored: true,
    rule: { source: join(plain, ".gitignore"), line: 1, pattern: "*.log" },
  });
  expect(await ignored(join(plain, "sub", "x.txt"))).toEqual({ ignored: false });
});
